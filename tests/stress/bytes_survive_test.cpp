// SPDX-License-Identifier: Apache-2.0
// Whatever a program does with its memory, every word holds what was last written to it: kernels, host threads and
// system calls write to the same blocks at once, under hints that change, with four times more data than budget.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <umrt/umrt.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace umrt::test {
namespace {

using Word = std::uint64_t;
constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t budget = 12 * mib;

struct Add {  // words[i] += value for every second i, from `first` on
  Word* words;
  std::uint64_t first;
  Word value;
  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    const Add& add = *static_cast<const Add*>(arguments);
    for (std::uint64_t i = begin; i < end; ++i) add.words[add.first + 2 * i] += add.value;
  }
};

struct Sum {  // *total = the sum of the words; reads alone
  const Word* words;
  std::uint64_t count;
  Word* total;
  static void run(const void* arguments, std::uint64_t, std::uint64_t) {
    const Sum& sum = *static_cast<const Sum*>(arguments);
    Word total = 0;
    for (std::uint64_t i = 0; i < sum.count; ++i) total += sum.words[i];
    *sum.total = total;
  }
};

struct Setup {
  const char* way;
  const char* huge_pages;
  std::uint32_t devices;
  const char* copies = "auto";
};

struct Memory {  // one range, and what it should hold
  Word* words = nullptr;
  std::vector<Word> expected;
};

class BytesSurvive : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    const std::string way = std::string("soft.fault_way=") + GetParam().way;
    const std::string pages = std::string("soft.huge_pages=") + GetParam().huge_pages;
    const std::string copies = std::string("soft.copy_way=") + GetParam().copies;
    const std::vector<const char*> settings{way.c_str(),      pages.c_str(),       copies.c_str(),
                                            "soft.workers=2", "arena.bytes=16GiB", "samples.per_second=50"};
    umrt_config config;
    umrt_config_init(&config);
    config.device_count = GetParam().devices;
    config.device_budget = budget;
    config.settings = settings.data();
    config.settings_count = settings.size();
    const umrt_result result = umrt_init(&config);
    if (result == UMRT_ERROR_NOT_SUPPORTED) GTEST_SKIP() << umrt_error_detail();
    check(result);
    for (std::uint32_t device = 0; device < GetParam().devices; ++device)
      check(umrt_stream_create(&streams_[device], device));
    check(umrt_malloc(reinterpret_cast<void**>(&total_), sizeof *total_));
  }
  void TearDown() override { umrt_shutdown(); }

  static void check(umrt_result result) {
    if (result == UMRT_SUCCESS) return;
    ADD_FAILURE() << umrt_error_name(result) << ": " << umrt_error_detail();
    std::abort();  // a test that goes on here says nothing more
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  umrt_stream any_stream() { return streams_[below(GetParam().devices)]; }

  Memory make() {
    static constexpr std::size_t sizes[] = {5000, 3 * 65536, mib + 4096, 5 * mib, 12 * mib};
    Memory made;
    umrt_hints hints;
    umrt_hints_init(&hints);
    static constexpr umrt_page_class classes[] = {UMRT_PAGE_CLASS_AUTO, UMRT_PAGE_CLASS_4K, UMRT_PAGE_CLASS_64K};
    hints.page_class = classes[below(3)];
    hints.read_mostly = one_in(3);
    const std::size_t bytes = sizes[below(5)];
    check(umrt_malloc_hinted(reinterpret_cast<void**>(&made.words), bytes, &hints));
    made.expected.resize(bytes / sizeof(Word));
    for (std::size_t i = 0; i < made.expected.size(); ++i) made.words[i] = made.expected[i] = random_();
    return made;
  }

  // Even words are the kernels', odd ones the host's, while both run.
  void write_from_both_sides(Memory& memory) {
    const std::size_t begin = below(memory.expected.size() / 4) * 2;
    const std::size_t pairs = (memory.expected.size() - begin) / 2;
    const Add add{memory.words, begin, random_()};
    check(umrt_launch(any_stream(), Add::run, &add, sizeof add, pairs, below(2) * 512));
    if (one_in(3)) share_or_not(memory);
    const std::size_t stride = one_in(2) ? 2 : 1022;
    for (std::size_t i = begin + 1; i < memory.expected.size(); i += stride) memory.expected[i] = ++memory.words[i];
    if (one_in(3)) share_or_not(memory);
    check(umrt_synchronize());
    for (std::size_t i = 0; i < pairs; ++i) memory.expected[begin + 2 * i] += add.value;
  }

  void sum(const Memory& memory) {
    const Sum sum{memory.words, memory.expected.size(), total_};
    const umrt_stream stream = any_stream();
    check(umrt_launch(stream, Sum::run, &sum, sizeof sum, 1, 0));
    if (one_in(2)) std::thread([&] { expect_equal(memory); }).join();  // read on both sides at once
    check(umrt_stream_synchronize(stream));
    Word expected = 0;
    for (const Word word : memory.expected) expected += word;
    ASSERT_EQ(*total_, expected);
  }

  void advise(const Memory& memory) {
    static constexpr umrt_advice advice[] = {UMRT_ADVISE_SET_READ_MOSTLY,
                                             UMRT_ADVISE_UNSET_READ_MOSTLY,
                                             UMRT_ADVISE_SET_READ_MOSTLY,
                                             UMRT_ADVISE_UNSET_READ_MOSTLY,
                                             UMRT_ADVISE_SET_PREFERRED_LOCATION,
                                             UMRT_ADVISE_UNSET_PREFERRED_LOCATION,
                                             UMRT_ADVISE_SEQUENTIAL,
                                             UMRT_ADVISE_RANDOM,
                                             UMRT_ADVISE_STREAMING,
                                             UMRT_ADVISE_UNSET_PATTERN,
                                             UMRT_ADVISE_SET_ACCESSED_BY,
                                             UMRT_ADVISE_UNSET_ACCESSED_BY};
    const umrt_advice given = advice[below(std::size(advice))];
    const bool has_place = given == UMRT_ADVISE_SET_PREFERRED_LOCATION || given == UMRT_ADVISE_SET_ACCESSED_BY ||
                           given == UMRT_ADVISE_UNSET_ACCESSED_BY;
    check(umrt_advise(memory.words, memory.expected.size() * sizeof(Word), given,
                      has_place ? any_place() : umrt_location{UMRT_LOCATION_NONE, 0}));
  }

  // Asks for one mapping of system memory on both sides, or for an end to that.
  void share_or_not(const Memory& memory) {
    const std::size_t bytes = memory.expected.size() * sizeof(Word);
    const umrt_location host{UMRT_LOCATION_HOST, 0}, device{UMRT_LOCATION_DEVICE, 0}, none{UMRT_LOCATION_NONE, 0};
    if (one_in(2)) {
      check(umrt_advise(memory.words, bytes, UMRT_ADVISE_SET_PREFERRED_LOCATION, host));
      check(umrt_advise(memory.words, bytes, UMRT_ADVISE_SET_ACCESSED_BY, device));
    } else {
      check(umrt_advise(memory.words, bytes, UMRT_ADVISE_UNSET_PREFERRED_LOCATION, none));
    }
  }

  void prefetch(const Memory& memory) {
    const std::size_t begin = below(memory.expected.size());
    const std::size_t bytes = (memory.expected.size() - begin) * sizeof(Word);
    check(umrt_prefetch_async(memory.words + begin, bytes, any_place(), any_stream()));
  }

  // Where kernels fault on the same block meanwhile, and where the kernel's own faults are not served, it is refused.
  void use_in_system_calls(Memory& memory) {
    const std::size_t bytes = memory.expected.size() * sizeof(Word);
    const int file = ::memfd_create("words", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(file, static_cast<off_t>(bytes)), 0);
    check(umrt_prefetch_async(memory.words, bytes, any_place(), nullptr));
    check(umrt_synchronize());
    const ssize_t written = ::pwrite(file, memory.words, bytes, 0);
    if (written == static_cast<ssize_t>(bytes)) {
      for (std::size_t i = 0; i < memory.expected.size(); ++i) memory.words[i] = 0;
      ASSERT_EQ(::pread(file, memory.words, bytes, 0), static_cast<ssize_t>(bytes));
    }
    ::close(file);
  }

  static void expect_equal(const Memory& memory) {
    for (std::size_t i = 0; i < memory.expected.size(); ++i)
      ASSERT_EQ(memory.words[i], memory.expected[i]) << "word " << i << " of " << memory.expected.size();
  }

  void step() {
    Memory& memory = all_[below(all_.size())];
    switch (below(8)) {
      case 0:
      case 1:
        return write_from_both_sides(memory);
      case 2:
        return sum(memory);
      case 3:
        return advise(memory);
      case 4:
        return prefetch(memory);
      case 5:
        return use_in_system_calls(memory);
      case 6:
        return expect_equal(memory);
      default:
        check(umrt_free(memory.words));
        memory = make();
    }
  }

  std::mt19937_64 random_;
  std::vector<Memory> all_;

 private:
  umrt_location any_place() {
    const auto place = static_cast<std::int32_t>(below(GetParam().devices + 1));
    return place == 0 ? umrt_location{UMRT_LOCATION_HOST, 0} : umrt_location{UMRT_LOCATION_DEVICE, place - 1};
  }

  umrt_stream streams_[2] = {};
  Word* total_ = nullptr;
};

TEST_P(BytesSurvive, any_program) {
  const char* given = std::getenv("UMRT_TEST_SEED");
  const char* steps = std::getenv("UMRT_TEST_STEPS");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  const int count = steps != nullptr ? std::atoi(steps) : 60;
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("UMRT_TEST_SEED=" + std::to_string(seed));
  random_.seed(seed);
  for (int i = 0; i < 8; ++i) all_.push_back(make());
  for (int i = 0; i < count && !HasFatalFailure(); ++i) step();
  for (const Memory& memory : all_) expect_equal(memory);
}

INSTANTIATE_TEST_SUITE_P(Soft, BytesSurvive,
                         testing::Values(Setup{"move", "on", 1}, Setup{"move", "off", 1}, Setup{"copy", "on", 1},
                                         Setup{"copy", "off", 1}, Setup{"move", "on", 2}, Setup{"move", "off", 2},
                                         Setup{"copy", "off", 2}, Setup{"move", "on", 2, "staged"}),
                         [](const auto& setup) {
                           return std::string(setup.param.way) + "_huge_" + setup.param.huge_pages + "_devices_" +
                                  std::to_string(setup.param.devices) + "_" + setup.param.copies;
                         });

}  // namespace
}  // namespace umrt::test
