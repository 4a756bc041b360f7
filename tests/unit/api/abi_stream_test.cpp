// SPDX-License-Identifier: Apache-2.0
// The C interface: devices, streams, events, launches and prefetches, each with its documented errors.
#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

using AbiStream = RuntimeTest;

const auto never_made_stream = reinterpret_cast<umrt_stream>(std::uintptr_t{0xdead0});
const auto never_made_event = reinterpret_cast<umrt_event>(std::uintptr_t{0xdead0});
constexpr umrt_location none{UMRT_LOCATION_NONE, 0};
constexpr umrt_location on_host{UMRT_LOCATION_HOST, 0};
constexpr umrt_location on_device{UMRT_LOCATION_DEVICE, 0};

void nothing(const void*, std::uint64_t, std::uint64_t) {}

TEST_F(AbiStream, CountsDevices) {
  std::uint32_t count = 0;
  EXPECT_TRUE(fails(umrt_device_count(nullptr), UMRT_ERROR_INVALID_VALUE, {"count"}));
  EXPECT_TRUE(succeeds(umrt_device_count(&count)));
  EXPECT_EQ(count, 1u);
}

TEST_F(AbiStream, RefusesDevicesThatDoNotExist) {
  umrt_stream stream = never_made_stream;
  EXPECT_TRUE(fails(umrt_stream_create(nullptr, 0), UMRT_ERROR_INVALID_VALUE, {"stream"}));
  EXPECT_TRUE(fails(umrt_stream_create(&stream, 1), UMRT_ERROR_INVALID_DEVICE, {"1"}));
  EXPECT_EQ(stream, never_made_stream) << "outputs are written on success alone";
  EXPECT_TRUE(fails(umrt_device_reset(4), UMRT_ERROR_INVALID_DEVICE, {"4"}));
}

TEST_F(AbiStream, RefusesHandlesThatDoNotExistAnyMoreOrNeverDid) {
  umrt_stream destroyed_stream = nullptr;
  umrt_event destroyed_event = nullptr;
  umrt_event event = nullptr;
  ASSERT_TRUE(succeeds(umrt_stream_create(&destroyed_stream, 0)));
  ASSERT_TRUE(succeeds(umrt_stream_destroy(destroyed_stream)));
  ASSERT_TRUE(succeeds(umrt_event_create(&destroyed_event)));
  ASSERT_TRUE(succeeds(umrt_event_destroy(destroyed_event)));
  ASSERT_TRUE(succeeds(umrt_event_create(&event)));
  char* managed = allocate<char>(4096);
  constexpr umrt_result expected = UMRT_ERROR_INVALID_HANDLE;
  for (const umrt_stream stream : {destroyed_stream, never_made_stream}) {
    EXPECT_TRUE(fails(umrt_stream_destroy(stream), expected, {"stream"}));
    EXPECT_TRUE(fails(umrt_stream_synchronize(stream), expected));
    EXPECT_TRUE(fails(umrt_stream_query(stream), expected));
    EXPECT_TRUE(fails(umrt_stream_wait_event(stream, event), expected));
    EXPECT_TRUE(fails(umrt_event_record(event, stream), expected));
    EXPECT_TRUE(fails(umrt_launch(stream, nothing, nullptr, 0, 1, 0), expected));
    EXPECT_TRUE(fails(umrt_prefetch_async(managed, 1, on_device, stream), expected));
  }
  float milliseconds = 0;
  for (const umrt_event stale : {destroyed_event, never_made_event, umrt_event{nullptr}}) {
    const umrt_result code = stale == nullptr ? UMRT_ERROR_INVALID_VALUE : expected;
    EXPECT_TRUE(fails(umrt_stream_wait_event(nullptr, stale), code, {"event"}));
    EXPECT_TRUE(fails(umrt_event_record(stale, nullptr), code, {"event"}));
    EXPECT_TRUE(fails(umrt_event_synchronize(stale), code, {"event"}));
    EXPECT_TRUE(fails(umrt_event_query(stale), code, {"event"}));
    EXPECT_TRUE(fails(umrt_event_elapsed_ms(&milliseconds, stale, event), code));
    EXPECT_TRUE(fails(umrt_event_elapsed_ms(&milliseconds, event, stale), code));
    EXPECT_TRUE(fails(umrt_event_destroy(stale), code, {"event"}));
  }
  EXPECT_TRUE(fails(umrt_stream_destroy(nullptr), UMRT_ERROR_INVALID_VALUE, {"stream"}));
  EXPECT_TRUE(fails(umrt_event_create(nullptr), UMRT_ERROR_INVALID_VALUE, {"event"}));
  EXPECT_TRUE(succeeds(umrt_event_destroy(event)));
  EXPECT_TRUE(succeeds(umrt_free(managed)));
}

TEST_F(AbiStream, HandlesOfALastRunAreStale) {
  umrt_stream stream = nullptr;
  umrt_event event = nullptr;
  ASSERT_TRUE(succeeds(umrt_stream_create(&stream, 0)));
  ASSERT_TRUE(succeeds(umrt_event_create(&event)));
  ASSERT_TRUE(succeeds(umrt_shutdown()));
  ASSERT_TRUE(succeeds(start()));
  EXPECT_TRUE(fails(umrt_stream_synchronize(stream), UMRT_ERROR_INVALID_HANDLE));
  EXPECT_TRUE(fails(umrt_event_query(event), UMRT_ERROR_INVALID_HANDLE));
}

TEST_F(AbiStream, RunsEachItemOnceInOrderOfTheStream) {
  const std::uint64_t count = 100'000;
  std::uint64_t* words = allocate(count);
  const auto add_one = [](const void* arguments, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* at = *static_cast<std::uint64_t* const*>(arguments);
    for (std::uint64_t i = begin; i < end; ++i) at[i] += 1;
  };
  for (const std::uint64_t grain : {0ull, 1000ull, 1'000'000ull}) {
    ASSERT_TRUE(succeeds(Fill{words, 5}.launch(nullptr, count)));
    ASSERT_TRUE(succeeds(umrt_launch(nullptr, add_one, &words, sizeof words, count, grain)));
    ASSERT_TRUE(succeeds(umrt_launch(nullptr, add_one, &words, sizeof words, 0, grain)));
    ASSERT_TRUE(succeeds(umrt_stream_synchronize(nullptr)));
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 6) << grain;
  }
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiStream, CopiesArgumentsBeforeTheLaunchReturns) {
  std::uint64_t* words = allocate(16);
  Gate gate;
  ASSERT_TRUE(succeeds(gate.launch(nullptr)));
  {
    Fill fill{words, 40};
    ASSERT_TRUE(succeeds(fill.launch(nullptr, 16)));
    fill = {nullptr, 0};
  }
  gate.open();
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  EXPECT_EQ(words[2], 42u);
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiStream, TakesArgumentsUpToTheLimitAlignedTo64Bytes) {
  struct alignas(64) Large {
    std::uint64_t* out;
    unsigned char bytes[UMRT_LAUNCH_ARGUMENTS_MAX - sizeof(std::uint64_t*)];
  };
  static_assert(sizeof(Large) == UMRT_LAUNCH_ARGUMENTS_MAX);
  Large large{};
  large.out = allocate(2);
  large.bytes[sizeof large.bytes - 1] = 42;
  const auto kernel = [](const void* arguments, std::uint64_t, std::uint64_t) {
    const auto* at = static_cast<const Large*>(arguments);
    at->out[0] = at->bytes[sizeof at->bytes - 1];
    at->out[1] = reinterpret_cast<std::uintptr_t>(arguments) % 64;
  };
  ASSERT_TRUE(succeeds(umrt_launch(nullptr, kernel, &large, sizeof large, 1, 0)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  EXPECT_EQ(large.out[0], 42u);
  EXPECT_EQ(large.out[1], 0u);
  EXPECT_TRUE(succeeds(umrt_free(large.out)));
}

TEST_F(AbiStream, RefusesLaunchesByName) {
  char arguments[8]{};
  EXPECT_TRUE(fails(umrt_launch(nullptr, nullptr, nullptr, 0, 1, 0), UMRT_ERROR_INVALID_VALUE, {"kernel"}));
  EXPECT_TRUE(fails(umrt_launch(nullptr, nothing, nullptr, 8, 1, 0), UMRT_ERROR_INVALID_VALUE, {"arguments"}));
  EXPECT_TRUE(fails(umrt_launch(nullptr, nothing, arguments, UMRT_LAUNCH_ARGUMENTS_MAX + 1, 1, 0),
                    UMRT_ERROR_INVALID_VALUE, {"arguments_bytes", "4097", "4096"}));
}

TEST_F(AbiStream, SaysThatWorkIsNotReadyUntilItHasEnded) {
  umrt_stream stream = nullptr;
  umrt_event before = nullptr, after = nullptr;
  float milliseconds = -1;
  ASSERT_TRUE(succeeds(umrt_stream_create(&stream, 0)));
  ASSERT_TRUE(succeeds(umrt_event_create(&before)));
  ASSERT_TRUE(succeeds(umrt_event_create(&after)));
  EXPECT_TRUE(succeeds(umrt_stream_query(stream)));
  EXPECT_TRUE(fails(umrt_event_elapsed_ms(&milliseconds, before, after), UMRT_ERROR_INVALID_VALUE, {"recorded"}));
  {
    Gate gate;
    ASSERT_TRUE(succeeds(umrt_event_record(before, stream)));
    ASSERT_TRUE(succeeds(umrt_event_synchronize(before)));
    ASSERT_TRUE(succeeds(gate.launch(stream)));
    ASSERT_TRUE(succeeds(umrt_event_record(after, stream)));
    EXPECT_EQ(umrt_stream_query(stream), UMRT_ERROR_NOT_READY);
    EXPECT_EQ(umrt_event_query(after), UMRT_ERROR_NOT_READY);
    EXPECT_TRUE(succeeds(umrt_event_query(before)));
    EXPECT_TRUE(fails(umrt_event_elapsed_ms(&milliseconds, before, after), UMRT_ERROR_NOT_READY));
    gate.open();
    ASSERT_TRUE(succeeds(umrt_event_synchronize(after)));
  }
  EXPECT_TRUE(succeeds(umrt_stream_query(stream)));
  EXPECT_TRUE(succeeds(umrt_event_query(after)));
  EXPECT_TRUE(fails(umrt_event_elapsed_ms(nullptr, before, after), UMRT_ERROR_INVALID_VALUE, {"milliseconds"}));
  EXPECT_TRUE(succeeds(umrt_event_elapsed_ms(&milliseconds, before, after)));
  EXPECT_GT(milliseconds, 0);
  EXPECT_TRUE(succeeds(umrt_event_destroy(before)));
  EXPECT_TRUE(succeeds(umrt_event_destroy(after)));
  EXPECT_TRUE(succeeds(umrt_stream_destroy(stream)));
}

TEST_F(AbiStream, AStreamWaitsForAnotherOnesEvent) {
  const std::uint64_t count = 4096;
  std::uint64_t* words = allocate(count);
  umrt_stream first = nullptr, second = nullptr;
  umrt_event event = nullptr;
  ASSERT_TRUE(succeeds(umrt_stream_create(&first, 0)));
  ASSERT_TRUE(succeeds(umrt_stream_create(&second, 0)));
  ASSERT_TRUE(succeeds(umrt_event_create(&event)));
  EXPECT_TRUE(succeeds(umrt_stream_wait_event(second, event))) << "never recorded: does not hold the stream";
  EXPECT_TRUE(succeeds(umrt_stream_synchronize(second)));
  {
    Gate gate;
    ASSERT_TRUE(succeeds(gate.launch(first)));
    ASSERT_TRUE(succeeds(Fill{words, 1}.launch(first, count)));
    ASSERT_TRUE(succeeds(umrt_event_record(event, first)));
    ASSERT_TRUE(succeeds(umrt_stream_wait_event(second, event)));
    ASSERT_TRUE(succeeds(Fill{words, 2}.launch(second, count)));
    EXPECT_EQ(umrt_stream_query(second), UMRT_ERROR_NOT_READY);
    gate.open();
    ASSERT_TRUE(succeeds(umrt_stream_synchronize(second)));
  }
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 2);
  EXPECT_TRUE(succeeds(umrt_event_destroy(event)));
  EXPECT_TRUE(succeeds(umrt_stream_destroy(first)));
  EXPECT_TRUE(succeeds(umrt_stream_destroy(second)));
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiStream, DestroyAndFreeWaitForTheWorkGivenSoFar) {
  const std::uint64_t count = mib;
  std::uint64_t* words = allocate(count);
  std::uint64_t* more = allocate(count);
  umrt_stream stream = nullptr;
  ASSERT_TRUE(succeeds(umrt_stream_create(&stream, 0)));
  ASSERT_TRUE(succeeds(Fill{words, 7}.launch(stream, count)));
  ASSERT_TRUE(succeeds(umrt_stream_destroy(stream)));
  for (std::uint64_t i = 0; i < count; i += 1023) ASSERT_EQ(words[i], i + 7);
  ASSERT_TRUE(succeeds(Fill{more, 7}.launch(nullptr, count)));
  EXPECT_TRUE(succeeds(umrt_free(more)));
  EXPECT_TRUE(succeeds(umrt_synchronize()));
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiStream, PrefetchMovesARangeAheadOfUse) {
  const std::uint64_t count = mib / 2;  // 4 MiB
  std::uint64_t* words = allocate(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = i;
  umrt_residency residency;
  ASSERT_TRUE(succeeds(umrt_prefetch_async(words, 4 * mib, on_device, nullptr)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  ASSERT_TRUE(succeeds(umrt_range_get_residency(words, 4 * mib, &residency)));
  EXPECT_EQ(residency.device_bytes[0], 4 * mib);
  ASSERT_TRUE(succeeds(Fill{words, 1}.launch(nullptr, count)));
  ASSERT_TRUE(succeeds(umrt_prefetch_async(words, 4 * mib, on_host, nullptr)));
  ASSERT_TRUE(succeeds(umrt_synchronize()));
  ASSERT_TRUE(succeeds(umrt_range_get_residency(words, 4 * mib, &residency)));
  EXPECT_EQ(residency.host_bytes, 4 * mib);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 1);
  EXPECT_TRUE(succeeds(umrt_free(words)));
}

TEST_F(AbiStream, RefusesPrefetchesByName) {
  char* bytes = allocate<char>(mib);
  int on_stack = 0;
  EXPECT_TRUE(fails(umrt_prefetch_async(bytes, 0, on_device, nullptr), UMRT_ERROR_INVALID_VALUE, {"bytes"}));
  EXPECT_TRUE(fails(umrt_prefetch_async(bytes, 2 * mib, on_device, nullptr), UMRT_ERROR_INVALID_VALUE,
                    {std::to_string(2 * mib)}));
  EXPECT_TRUE(fails(umrt_prefetch_async(bytes, mib, none, nullptr), UMRT_ERROR_INVALID_VALUE, {"destination"}));
  EXPECT_TRUE(fails(umrt_prefetch_async(&on_stack, 4, on_device, nullptr), UMRT_ERROR_FOREIGN_POINTER));
  EXPECT_TRUE(
      fails(umrt_prefetch_async(bytes, mib, {UMRT_LOCATION_DEVICE, 3}, nullptr), UMRT_ERROR_INVALID_DEVICE, {"3"}));
  EXPECT_TRUE(succeeds(umrt_free(bytes)));
}

TEST(AbiDevices, AreTwoWhereTwoAreAskedFor) {
  ASSERT_TRUE(succeeds(start({"soft.devices=2"})));
  umrt_stream stream = nullptr;
  void* pointer = nullptr;
  ASSERT_TRUE(succeeds(umrt_stream_create(&stream, 1)));
  ASSERT_TRUE(succeeds(umrt_malloc(&pointer, 4 * mib)));
  auto* words = static_cast<std::uint64_t*>(pointer);
  const std::uint64_t count = 4 * mib / sizeof *words;
  ASSERT_TRUE(succeeds(Fill{words, 3}.launch(stream, count)));
  ASSERT_TRUE(succeeds(umrt_stream_synchronize(stream)));
  umrt_pointer_info info;
  ASSERT_TRUE(succeeds(umrt_pointer_get_info(words, &info)));
  EXPECT_EQ(info.location.type, UMRT_LOCATION_DEVICE);
  EXPECT_EQ(info.location.id, 1);
  EXPECT_EQ(info.on_devices, 2u);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(words[i], i + 3);
  EXPECT_TRUE(succeeds(umrt_free(pointer)));
  EXPECT_TRUE(succeeds(umrt_stream_destroy(stream)));
  EXPECT_TRUE(succeeds(umrt_shutdown()));
}

}  // namespace
}  // namespace umrt::test
