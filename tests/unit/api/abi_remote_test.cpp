// SPDX-License-Identifier: Apache-2.0
// The C interface: zero-copy ranges, asked for by a preferred host and accessed-by.
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

constexpr umrt_location none{UMRT_LOCATION_NONE, 0};
constexpr umrt_location on_host{UMRT_LOCATION_HOST, 0};
constexpr umrt_location on_device{UMRT_LOCATION_DEVICE, 0};
constexpr std::size_t bytes = 3 * mib;
constexpr std::size_t count = bytes / sizeof(std::uint64_t);

struct Increment {  // ++words[i]
  std::uint64_t* words;
  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* words = static_cast<const Increment*>(arguments)->words;
    for (std::uint64_t i = begin; i < end; ++i) ++words[i];
  }
};

class AbiRemote : public RuntimeTest {
 protected:
  static void increment(std::uint64_t* words, std::uint64_t items = count) {
    const Increment arguments{words};
    ASSERT_TRUE(succeeds(umrt_launch(nullptr, Increment::run, &arguments, sizeof arguments, items, 0)));
    ASSERT_TRUE(succeeds(umrt_synchronize()));
  }
  static std::uint64_t* shared(const char* name = "shared") {
    umrt_hints hints;
    umrt_hints_init(&hints);
    hints.name = name;
    hints.preferred = on_host;
    hints.accessed_by_devices = 1;
    void* pointer = nullptr;
    EXPECT_TRUE(succeeds(umrt_malloc_hinted(&pointer, bytes, &hints)));
    return static_cast<std::uint64_t*>(pointer);
  }
  static bool is_remote(const void* pointer) {
    umrt_pointer_info info{};
    EXPECT_TRUE(succeeds(umrt_pointer_get_info(pointer, &info)));
    return info.is_remote != 0;
  }
  static umrt_residency residency(const void* pointer) {
    umrt_residency found{};
    EXPECT_TRUE(succeeds(umrt_range_get_residency(pointer, bytes, &found)));
    return found;
  }
  static std::string report(umrt_report_format format) {
    std::size_t needed = 0;
    std::string text(mib, '\0');
    EXPECT_TRUE(succeeds(umrt_report(format, text.data(), text.size(), &needed)));
    text.resize(needed - 1);
    return text;
  }
};

TEST_F(AbiRemote, OneMappingOfSystemMemoryServesHostAndKernelsWithoutMoving) {
  std::uint64_t* words = shared();
  for (std::size_t i = 0; i < count; ++i) words[i] = i;
  increment(words);
  EXPECT_TRUE(is_remote(words));
  EXPECT_EQ(residency(words).remote_bytes, bytes);
  EXPECT_EQ(residency(words).device_bytes[0], 0u);
  for (std::size_t i = 0; i < count; i += 511) ASSERT_EQ(words[i], i + 1);
  for (int round = 0; round < 10; ++round) {
    words[7] += 100;
    increment(words);
  }
  EXPECT_EQ(words[7], 7 + 11 + 1000u);
  EXPECT_EQ(words[8], 8 + 11u);
  const auto json = nlohmann::json::parse(report(UMRT_REPORT_JSON));
  EXPECT_EQ(json.at("totals").at("bytes_in"), 0);
  EXPECT_EQ(json.at("totals").at("bytes_out"), 0);
  EXPECT_THAT(report(UMRT_REPORT_TEXT), ::testing::HasSubstr("hint-remote"));
}

TEST_F(AbiRemote, AHostThreadAndAKernelSeeEachOtherWhileBothRun) {
  std::uint64_t* words = shared();
  increment(words, 1);
  struct Pong {  // answers each new number in words[0] by the same in words[512], up to 1000
    std::uint64_t* words;
    static void run(const void* arguments, std::uint64_t, std::uint64_t) {
      std::uint64_t* words = static_cast<const Pong*>(arguments)->words;
      for (std::uint64_t seen = 0; seen < 1000;) {
        seen = std::atomic_ref(words[0]).load();
        std::atomic_ref(words[512]).store(seen);
      }
    }
  } pong{words};
  words[0] = 0;
  ASSERT_TRUE(succeeds(umrt_launch(nullptr, Pong::run, &pong, sizeof pong, 1, 1)));
  for (std::uint64_t ball = 1; ball <= 1000; ++ball) {
    std::atomic_ref(words[0]).store(ball);
    while (std::atomic_ref(words[512]).load() != ball) std::this_thread::yield();
  }
  EXPECT_TRUE(succeeds(umrt_synchronize()));
}

TEST_F(AbiRemote, UnsetAdviceEndsItAndTheBytesMigrateAgain) {
  std::uint64_t* words = allocate(count, "advised");
  for (std::size_t i = 0; i < count; ++i) words[i] = i;
  ASSERT_TRUE(succeeds(umrt_advise(words, bytes, UMRT_ADVISE_SET_PREFERRED_LOCATION, on_host)));
  ASSERT_TRUE(succeeds(umrt_advise(words, bytes, UMRT_ADVISE_SET_ACCESSED_BY, on_device)));
  increment(words);
  EXPECT_TRUE(is_remote(words));
  ASSERT_TRUE(succeeds(umrt_advise(words, bytes, UMRT_ADVISE_UNSET_PREFERRED_LOCATION, none)));
  while (is_remote(words)) std::this_thread::yield();
  EXPECT_EQ(residency(words).host_bytes, bytes);
  increment(words);
  EXPECT_FALSE(is_remote(words));
  EXPECT_EQ(residency(words).device_bytes[0], bytes);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 2);
}

TEST_F(AbiRemote, AFreedRangeLeavesItsAddressesAsTheyWere) {
  for (int round = 0; round < 3; ++round) {
    std::uint64_t* words = shared();
    words[9] = 1;
    increment(words);
    EXPECT_EQ(words[9], 2u);
    ASSERT_TRUE(is_remote(words));
    EXPECT_TRUE(succeeds(umrt_free(words)));
    std::uint64_t* next = allocate(2 * count, "next");
    for (std::size_t i = 0; i < 2 * count; ++i) next[i] = i;
    increment(next, 2 * count);
    for (std::size_t i = 0; i < 2 * count; ++i) ASSERT_EQ(next[i], i + 1);
    EXPECT_TRUE(succeeds(umrt_free(next)));
  }
}

TEST_F(AbiRemote, AResetDeviceHasItAgain) {
  std::uint64_t* words = shared();
  words[4] = 4;
  increment(words);
  ASSERT_TRUE(succeeds(umrt_device_reset(0)));
  EXPECT_TRUE(is_remote(words));
  increment(words);
  EXPECT_EQ(words[4], 6u);
}

TEST_F(AbiRemote, ShutdownEndsItWithTheRest) {
  increment(shared());
  EXPECT_TRUE(succeeds(umrt_shutdown()));
  EXPECT_TRUE(succeeds(start()));
  increment(shared());
}

}  // namespace
}  // namespace umrt::test
