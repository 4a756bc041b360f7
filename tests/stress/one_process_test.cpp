// SPDX-License-Identifier: Apache-2.0
// The whole runtime in one process, from many threads at once, for ThreadSanitizer: what each thread owns holds what
// was last written to it, through evictions and resets; and where devices die or threads use what others free, every
// answer is one of those that the interface names.
#include <gtest/gtest.h>
#include <umrt/umrt.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "api/process_runtime.h"
#include "support/one_process_device.h"

namespace umrt::test {
namespace {

using Word = std::uint64_t;
constexpr std::uint64_t stride = 4096 / sizeof(Word);  // words are used one a page, at its begin and beside it
constexpr std::uint32_t devices = 2;
constexpr unsigned threads = 3;

struct Put {  // words[i * stride] = value + i
  Word* words;
  Word value;
  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    const Put& put = *static_cast<const Put*>(arguments);
    for (std::uint64_t i = begin; i < end; ++i) {
      load(put.words + i * stride);
      store(put.words + i * stride, put.value + i);
    }
  }
};

bool is_one_of(umrt_result result, std::initializer_list<umrt_result> codes) {
  for (const umrt_result code : codes)
    if (result == code) return true;
  ADD_FAILURE() << umrt_error_name(result) << ": " << umrt_error_detail();
  return false;
}

// What stream work may answer where devices die under it.
bool has_ended(umrt_result result) {
  return is_one_of(result, {UMRT_SUCCESS, UMRT_ERROR_LAUNCH_FAILED, UMRT_ERROR_DATA_LOSS});
}

class OneProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::array settings{"soft.workers=2", "samples.per_second=50", "host.budget=512MiB"};
    umrt_config config;
    umrt_config_init(&config);
    config.device_count = devices;
    config.device_budget = 12u << 20;
    config.settings = settings.data();
    config.settings_count = settings.size();
    config.log = [](void*, umrt_log_level, const char*) {};  // deaths are many
    const Status started = init_runtime(
        &config, [](const StartOptions& options) { return OneProcessDevice::make(options.device_budgets); });
    ASSERT_TRUE(started) << started.error().detail;
    const char* given = std::getenv("UMRT_TEST_SEED");
    seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::cout << "UMRT_TEST_SEED=" << seed << std::endl;
  }
  void TearDown() override { umrt_shutdown(); }

  // Runs `program(random, stream)` on several threads, each with a stream of its own.
  template <class Program>
  void run_on_threads(Program program) {
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        std::mt19937_64 random{seed + i};
        umrt_stream stream = nullptr;
        ASSERT_EQ(umrt_stream_create(&stream, i % devices), UMRT_SUCCESS);
        program(random, stream);
        has_ended(umrt_stream_destroy(stream));
      });
    }
    for (std::thread& thread : running) thread.join();
  }

  std::uint64_t seed = 0;
};

umrt_result allocate(std::mt19937_64& random, Word** words, std::size_t bytes) {
  umrt_hints hints;
  umrt_hints_init(&hints);
  hints.read_mostly = random() % 4 == 0;
  hints.name = random() % 2 == 0 ? "named" : nullptr;  // one that is not kept by a cache
  return umrt_malloc_hinted(reinterpret_cast<void**>(words), bytes, &hints);
}

umrt_result advise(std::mt19937_64& random, const void* pointer, std::size_t bytes) {
  static constexpr std::array given{UMRT_ADVISE_SET_READ_MOSTLY,
                                    UMRT_ADVISE_UNSET_READ_MOSTLY,
                                    UMRT_ADVISE_SET_PREFERRED_LOCATION,
                                    UMRT_ADVISE_UNSET_PREFERRED_LOCATION,
                                    UMRT_ADVISE_SEQUENTIAL,
                                    UMRT_ADVISE_STREAMING,
                                    UMRT_ADVISE_UNSET_PATTERN};
  const umrt_advice advice = given[random() % given.size()];
  const bool has_place = advice == UMRT_ADVISE_SET_PREFERRED_LOCATION;
  return umrt_advise(pointer, bytes, advice,
                     {has_place ? UMRT_LOCATION_DEVICE : UMRT_LOCATION_NONE,
                      has_place ? static_cast<std::int32_t>(random() % devices) : 0});
}

umrt_result prefetch(std::mt19937_64& random, const void* pointer, std::size_t bytes, umrt_stream stream) {
  const auto place = static_cast<std::int32_t>(random() % (devices + 1));
  return umrt_prefetch_async(
      pointer, bytes, {place == 0 ? UMRT_LOCATION_HOST : UMRT_LOCATION_DEVICE, place == 0 ? 0 : place - 1}, stream);
}

umrt_result query(std::mt19937_64& random, const void* pointer, std::size_t bytes) {
  umrt_pointer_info info;
  umrt_residency residency;
  return random() % 2 == 0 ? umrt_pointer_get_info(pointer, &info)
                           : umrt_range_get_residency(pointer, bytes, &residency);
}

umrt_result report() {
  std::vector<char> text(1 << 20);
  std::size_t needed = 0;
  return umrt_report(UMRT_REPORT_JSON, text.data(), text.size(), &needed);
}

// A range of one thread: a word for the kernels and one for the host in every page that is used.
class Memory {
 public:
  explicit Memory(std::mt19937_64& random) : random_{random} { make(); }

  // A kernel and this thread write to the same pages. What a device took along when it died is made anew.
  void write_from_both_sides(umrt_stream stream, bool may_lose) {
    const Put put{words_, random_() % 1'000'000'000};
    const bool is_launched = launched(umrt_launch(stream, Put::run, &put, sizeof put, pages_, 4), may_lose);
    try {
      for (std::uint64_t i = 0; i < pages_; ++i) store(&words_[i * stride + 1], host_[i] = put.value - i);
      const bool is_done = launched(umrt_stream_synchronize(stream), may_lose) && is_launched && !may_lose;
      for (std::uint64_t i = 0; i < pages_; ++i) {
        const Word seen = load(&words_[i * stride]);
        if (is_done || seen != kernels_[i]) {
          EXPECT_EQ(seen, put.value + i) << "page " << i;
        }
        kernels_[i] = seen;
      }
      expect_equal();
    } catch (const AccessRejected& rejected) {
      launched(umrt_stream_synchronize(stream), may_lose);
      if (!may_lose || rejected.why != UMRT_ERROR_DATA_LOSS) ADD_FAILURE() << "rejected: " << rejected.why;
      free();
      make();
    }
  }
  void expect_equal() const {
    for (std::uint64_t i = 0; i < pages_; ++i) {
      EXPECT_EQ(load(&words_[i * stride]), kernels_[i]) << "page " << i;
      EXPECT_EQ(load(&words_[i * stride + 1]), host_[i]) << "page " << i;
    }
  }
  void free() { EXPECT_EQ(umrt_free(words_), UMRT_SUCCESS) << umrt_error_detail(); }
  void make() {
    static constexpr std::array<std::size_t, 4> sizes{5 * 4096, 48 * 4096, 520 * 4096, 1030 * 4096};
    bytes_ = sizes[random_() % sizes.size()];
    pages_ = std::min<std::uint64_t>(bytes_ / 4096, 24);
    ASSERT_EQ(allocate(random_, &words_, bytes_), UMRT_SUCCESS) << umrt_error_detail();
    host_.assign(pages_, 0);
    kernels_.assign(pages_, 0);
    for (std::uint64_t i = 0; i < pages_; ++i) {  // one that a cache kept holds anything
      store(&words_[i * stride], 0);
      store(&words_[i * stride + 1], 0);
    }
  }
  Word* words() const { return words_; }
  std::size_t bytes() const { return bytes_; }

 private:
  static bool launched(umrt_result result, bool may_lose) {
    if (may_lose) return has_ended(result) && result == UMRT_SUCCESS;
    return is_one_of(result, {UMRT_SUCCESS});
  }

  std::mt19937_64& random_;
  Word* words_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t pages_ = 0;
  std::vector<Word> kernels_, host_;
};

TEST_F(OneProcess, LosesNoWriteThroughEvictionsAndResets) {
  run_on_threads([](std::mt19937_64& random, umrt_stream stream) {
    std::vector<Memory> all;
    for (int i = 0; i < 3; ++i) all.emplace_back(random);
    for (int step = 0; step < 60 && !HasFailure(); ++step) {
      Memory& memory = all[random() % all.size()];
      switch (random() % 8) {
        case 0:
          EXPECT_EQ(advise(random, memory.words(), memory.bytes()), UMRT_SUCCESS) << umrt_error_detail();
          break;
        case 1:
          EXPECT_EQ(prefetch(random, memory.words(), memory.bytes(), stream), UMRT_SUCCESS) << umrt_error_detail();
          break;
        case 2:
          EXPECT_EQ(query(random, memory.words(), memory.bytes()), UMRT_SUCCESS) << umrt_error_detail();
          EXPECT_EQ(report(), UMRT_SUCCESS);
          break;
        case 3:
          EXPECT_EQ(umrt_device_reset(static_cast<std::uint32_t>(random() % devices)), UMRT_SUCCESS)
              << umrt_error_detail();
          break;
        case 4:
          memory.free();
          memory.make();
          break;
        default:
          memory.write_from_both_sides(stream, false);
      }
    }
    for (Memory& memory : all) {
      memory.expect_equal();
      memory.free();
    }
  });
}

TEST_F(OneProcess, GivesBytesThatAreRightOrAnErrorWhereDevicesDie) {
  run_on_threads([](std::mt19937_64& random, umrt_stream stream) {
    std::vector<Memory> all;
    for (int i = 0; i < 3; ++i) all.emplace_back(random);
    for (int step = 0; step < 60 && !HasFailure(); ++step) {
      Memory& memory = all[random() % all.size()];
      const auto device = static_cast<std::uint32_t>(random() % devices);
      switch (random() % 6) {
        case 0:
          OneProcessDevice::instance().kill(device_processor(device));
          has_ended(umrt_device_reset(device));
          break;
        case 1:
          has_ended(umrt_device_reset(device));
          break;
        case 2:
          has_ended(prefetch(random, memory.words(), memory.bytes(), stream));
          break;
        default:
          memory.write_from_both_sides(stream, true);
      }
    }
    for (Memory& memory : all) memory.free();
  });
}

TEST_F(OneProcess, AnswersByNameForWhatAnotherThreadFrees) {
  std::array<std::atomic<Word*>, 8> slots{};
  constexpr std::size_t bytes = 3 * 65536;
  run_on_threads([&](std::mt19937_64& random, umrt_stream stream) {
    const auto is_named = [](umrt_result result) {
      is_one_of(result, {UMRT_SUCCESS, UMRT_ERROR_FOREIGN_POINTER, UMRT_ERROR_DOUBLE_FREE, UMRT_ERROR_INVALID_VALUE});
    };
    for (int step = 0; step < 400 && !HasFailure(); ++step) {
      std::atomic<Word*>& slot = slots[random() % slots.size()];
      Word* const seen = slot.load();
      if (seen == nullptr || random() % 4 == 0) {
        Word* made = nullptr;
        ASSERT_EQ(allocate(random, &made, random() % 2 == 0 ? bytes : bytes / 3), UMRT_SUCCESS) << umrt_error_detail();
        try {
          store(made, 1);
        } catch (const AccessRejected& rejected) {  // freed already, by a thread that saw an earlier one there
          EXPECT_EQ(rejected.why, UMRT_ERROR_ILLEGAL_ADDRESS);
        }
        if (Word* const replaced = slot.exchange(made)) is_named(umrt_free(replaced));
      } else if (random() % 4 == 0) {
        is_named(umrt_free(seen));
      } else if (random() % 3 == 0) {
        is_named(advise(random, seen, bytes / 3));
      } else if (random() % 2 == 0) {
        is_named(prefetch(random, seen, bytes / 3, stream));
      } else {
        is_named(query(random, seen, bytes / 3));
        if (random() % 4 == 0) is_named(report());
      }
    }
  });
}

}  // namespace
}  // namespace umrt::test
