// SPDX-License-Identifier: Apache-2.0
// The runtime on a small software device, seen through the public C interface alone.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <umrt/umrt.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace umrt::test {

inline constexpr std::size_t budget = std::size_t{64} << 20;
inline constexpr std::size_t arena = std::size_t{16} << 30;
inline constexpr std::size_t mib = std::size_t{1} << 20;

// Whether a call's result is the code, and the detail names each of the words. To be used on the call itself.
inline ::testing::AssertionResult fails(umrt_result result, umrt_result code,
                                        std::initializer_list<std::string_view> words = {}) {
  const std::string detail = umrt_error_detail();
  if (result != code) {
    return ::testing::AssertionFailure() << umrt_error_name(result) << " instead of " << umrt_error_name(code) << ": "
                                         << detail;
  }
  for (const std::string_view word : words) {
    if (detail.find(word) == std::string::npos)
      return ::testing::AssertionFailure() << "no '" << word << "' in: " << detail;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult succeeds(umrt_result result) {
  if (result == UMRT_SUCCESS) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << umrt_error_name(result) << ": " << umrt_error_detail();
}

inline umrt_result start(std::initializer_list<const char*> more = {}, umrt_log_callback log = nullptr,
                         void* log_context = nullptr) {
  std::vector<const char*> settings{"device.budget=64MiB", "arena.bytes=16GiB", "soft.workers=2"};
  settings.insert(settings.end(), more);
  umrt_config config;
  umrt_config_init(&config);
  config.settings = settings.data();
  config.settings_count = settings.size();
  config.log = log;
  config.log_context = log_context;
  return umrt_init(&config);
}

class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(succeeds(start())); }
  void TearDown() override { umrt_shutdown(); }

  template <class T = std::uint64_t>
  static T* allocate(std::size_t count, const char* name = nullptr) {
    umrt_hints hints;
    umrt_hints_init(&hints);
    hints.name = name;
    void* pointer = nullptr;
    EXPECT_TRUE(succeeds(umrt_malloc_hinted(&pointer, count * sizeof(T), &hints)));
    return static_cast<T*>(pointer);
  }
};

struct Fill {  // words[i] = value + i
  std::uint64_t* words;
  std::uint64_t value;

  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    const Fill fill = *static_cast<const Fill*>(arguments);
    for (std::uint64_t i = begin; i < end; ++i) fill.words[i] = fill.value + i;
  }
  umrt_result launch(umrt_stream stream, std::uint64_t items) const {
    return umrt_launch(stream, run, this, sizeof *this, items, 0);
  }
};

// A kernel that runs until the host opens the gate, so that a test sees work that has not ended.
class Gate {
 public:
  Gate() {
    void* pointer = nullptr;
    EXPECT_TRUE(succeeds(umrt_malloc(&pointer, 65536)));
    word_ = static_cast<std::uint32_t*>(pointer);
    *word_ = 0;
  }
  ~Gate() {
    open();
    umrt_free(word_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  umrt_result launch(umrt_stream stream) const { return umrt_launch(stream, wait, &word_, sizeof word_, 1, 1); }
  void open() { std::atomic_ref(*word_).store(1); }

 private:
  static void wait(const void* arguments, std::uint64_t, std::uint64_t) {
    std::uint32_t* word = *static_cast<std::uint32_t* const*>(arguments);
    while (std::atomic_ref(*word).load() == 0) {
    }
  }

  std::uint32_t* word_ = nullptr;
};

}  // namespace umrt::test
