// SPDX-License-Identifier: Apache-2.0
// The C++ interface: owners, kernels as function objects, managed memory for std::pmr, failures as exceptions.
#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <umrt/umrt.hpp>

#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

config small_device() { return config{}.budget(budget).set("arena.bytes", "16GiB").set("soft.workers", "2"); }

template <class Call>
umrt_result code_thrown_by(Call call) {
  try {
    call();
  } catch (const error& failed) {
    return failed.code();
  }
  return UMRT_SUCCESS;
}

static_assert(std::ranges::contiguous_range<buffer<int>> && std::ranges::sized_range<const buffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<buffer<int>> && !std::is_copy_constructible_v<buffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<stream> && !std::is_copy_constructible_v<stream>);
static_assert(std::is_nothrow_move_constructible_v<event> && !std::is_copy_constructible_v<event>);
static_assert(std::is_nothrow_copy_constructible_v<call_failed> && std::is_nothrow_copy_constructible_v<out_of_memory>);

class CppInterface : public ::testing::Test {
 private:
  runtime runtime_{small_device()};
};

TEST(CppRuntime, StartsAndShutsDownWithTheObject) {
  for (int round = 0; round < 2; ++round) {
    const runtime started{small_device().devices(2).policy("uvm")};
    std::uint32_t count = 0;
    check(umrt_device_count(&count));
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(code_thrown_by([] { runtime second{small_device()}; }), UMRT_ERROR_ALREADY_INITIALIZED);
    synchronize();
  }
  EXPECT_EQ(code_thrown_by([] { synchronize(); }), UMRT_ERROR_NOT_INITIALIZED);
}

TEST(CppRuntime, ThrowsWhatIsWrongInAConfig) {
  try {
    const runtime started{small_device().policy("magic")};
    FAIL() << "a policy that does not exist";
  } catch (const std::exception& failed) {
    EXPECT_THAT(failed.what(), ::testing::StartsWith("UMRT_ERROR_INVALID_VALUE: "));
    EXPECT_THAT(failed.what(), ::testing::HasSubstr("magic"));
  }
  EXPECT_EQ(code_thrown_by([] { runtime started{small_device().set("no.such.key", "1")}; }), UMRT_ERROR_INVALID_VALUE);
}

TEST(CppRuntime, HandsLogLinesToAFunction) {
  std::mutex mutex;
  std::string lines;
  {
    const runtime started{small_device().log([&](umrt_log_level, std::string_view line) {
      const std::lock_guard lock(mutex);
      lines += line;
    })};
    void* pointer = nullptr;
    hints named;  // holds the name that `values` points to
    named.name("left behind");
    const umrt_hints values = named.c_hints();
    check(umrt_malloc_hinted(&pointer, mib, &values));
  }
  EXPECT_THAT(lines, ::testing::HasSubstr("left behind"));
}

TEST(CppErrors, AreCaughtByEachOfTheirBases) {
  const call_failed failed{UMRT_ERROR_INVALID_DEVICE, "text"};
  EXPECT_THROW(throw failed, error);
  EXPECT_THROW(throw failed, std::runtime_error);
  EXPECT_THROW(throw failed, std::exception);
  const out_of_memory exhausted{UMRT_ERROR_OUT_OF_MEMORY, "text"};
  EXPECT_THROW(throw exhausted, error);
  EXPECT_THROW(throw exhausted, std::bad_alloc);
  EXPECT_THROW(throw exhausted, std::exception);
  for (const error* each : {static_cast<const error*>(&failed), static_cast<const error*>(&exhausted)})
    EXPECT_STREQ(each->what(), "text");
}

TEST(CppErrors, CheckPassesSuccessAndThrowsTheRest) {
  EXPECT_NO_THROW(check(UMRT_SUCCESS));
  EXPECT_THROW(check(UMRT_ERROR_OUT_OF_MEMORY), std::bad_alloc);
  EXPECT_EQ(code_thrown_by([] { check(UMRT_ERROR_LAUNCH_FAILED); }), UMRT_ERROR_LAUNCH_FAILED);
}

TEST_F(CppInterface, ABufferIsARangeOfElementsOnBothSides) {
  const std::size_t n = 100'000;
  buffer<std::uint32_t> numbers(n, hints{}.name("numbers").sequential());
  ASSERT_EQ(numbers.size(), n);
  EXPECT_EQ(numbers.size_bytes(), n * 4);
  EXPECT_TRUE(std::ranges::all_of(numbers, [](std::uint32_t number) { return number == 0; }));
  std::iota(numbers.begin(), numbers.end(), 0u);
  launch(n, [at = numbers.span()](std::uint64_t i) { at[i] *= 2; });
  synchronize();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(numbers[i], 2 * i);
  const auto& unchanging = numbers;
  EXPECT_EQ(std::accumulate(unchanging.begin(), unchanging.end(), std::uint64_t{0}), n * (n - 1));
  EXPECT_EQ(unchanging.span().data(), unchanging.data());
}

TEST_F(CppInterface, ABufferMovesAndFreesOnce) {
  buffer<int> first(1000);
  int* data = first.data();
  data[0] = 7;
  buffer<int> second{std::move(first)};
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): a moved-from buffer is empty
  EXPECT_EQ(second.data(), data);
  buffer<int> third(10);
  third = std::move(second);
  EXPECT_EQ(third[0], 7);
  third = buffer<int>{};
  EXPECT_EQ(umrt_free(data), UMRT_ERROR_DOUBLE_FREE);
  EXPECT_TRUE(buffer<int>(0).empty());
}

TEST_F(CppInterface, ABufferTooLargeIsABadAlloc) {
  EXPECT_THROW(buffer<double>{arena}, std::bad_alloc);
  EXPECT_THROW(buffer<double>{SIZE_MAX / 4}, std::bad_alloc);
  EXPECT_EQ(code_thrown_by([] { buffer<double>{SIZE_MAX / 4}; }), UMRT_ERROR_SIZE_OVERFLOW);
}

TEST_F(CppInterface, HintsReachTheRange) {
  const buffer<char> values(4 * mib, hints{}
                                         .name("hinted")
                                         .page_class(UMRT_PAGE_CLASS_64K)
                                         .preferred(on_device(0))
                                         .accessed_by(0)
                                         .read_mostly()
                                         .random()
                                         .discardable());
  umrt_pointer_info info;
  check(umrt_pointer_get_info(values.data(), &info));
  EXPECT_EQ(info.page_class, UMRT_PAGE_CLASS_64K);
  EXPECT_STREQ(info.name, "hinted");
  const umrt_hints streaming = hints{}.sequential().streaming().c_hints();
  EXPECT_EQ(streaming.pattern, UMRT_PATTERN_STREAMING);
  EXPECT_EQ(streaming.name, nullptr);
  EXPECT_EQ(code_thrown_by([] { buffer<char>(1, hints{}.preferred(on_device(6))); }), UMRT_ERROR_INVALID_DEVICE);
  EXPECT_EQ(code_thrown_by([] { hints{}.accessed_by(32); }), UMRT_ERROR_INVALID_DEVICE);
}

TEST_F(CppInterface, KernelsRunInTheOrderOfTheirStream) {
  const std::uint64_t n = 10'000;
  buffer<std::uint64_t> values(n);
  const stream work;
  launch(work, n, [at = values.data()](std::uint64_t i) { at[i] = i; });
  launch(
      work, n, [at = values.data(), by = 3](std::uint64_t i) { at[i] += by; }, 100);
  launch(work, 0, [at = values.data()](std::uint64_t i) { at[i] = 0; });
  work.synchronize();
  EXPECT_TRUE(work.is_idle());
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(values[i], i + 3);
}

TEST_F(CppInterface, EventsOrderStreamsAndMeasureThem) {
  const stream first;
  const stream second{0};
  const event begin;
  const event end;
  buffer<std::uint64_t> values(4096);
  begin.record(first);
  {
    Gate gate;
    check(gate.launch(first.handle()));
    launch(first, values.size(), [at = values.data()](std::uint64_t i) { at[i] = 1; });
    end.record(first);
    second.wait(end);
    launch(second, values.size(), [at = values.data()](std::uint64_t i) { at[i] += 1; });
    EXPECT_FALSE(end.is_complete());
    EXPECT_FALSE(second.is_idle());
    EXPECT_EQ(code_thrown_by([&] { time_between(begin, end); }), UMRT_ERROR_NOT_READY);
    gate.open();
    end.synchronize();
    second.synchronize();
  }
  EXPECT_TRUE(end.is_complete());
  EXPECT_GT(time_between(begin, end).count(), 0);
  EXPECT_TRUE(std::ranges::all_of(values, [](std::uint64_t value) { return value == 2; }));
}

TEST_F(CppInterface, AStreamThatWasMovedFromIsNotTheDefaultStream) {
  stream first;
  const stream second{std::move(first)};
  EXPECT_TRUE(second.is_idle());
  // NOLINTNEXTLINE(bugprone-use-after-move): what it says is tested
  EXPECT_EQ(code_thrown_by([&] { first.synchronize(); }), UMRT_ERROR_INVALID_HANDLE);
  EXPECT_EQ(code_thrown_by([] { stream{8}; }), UMRT_ERROR_INVALID_DEVICE);
}

TEST_F(CppInterface, PrefetchAndAdviceSayWhereBytesShallBe) {
  buffer<char> bytes(4 * mib);
  std::ranges::fill(bytes, 'x');
  const stream work;
  advise(bytes, UMRT_ADVISE_SEQUENTIAL);
  advise(bytes.data(), 2 * mib, UMRT_ADVISE_SET_PREFERRED_LOCATION, on_device(0));
  prefetch(bytes, on_device(0), work);
  work.synchronize();
  umrt_residency residency;
  check(umrt_range_get_residency(bytes.data(), bytes.size(), &residency));
  EXPECT_EQ(residency.device_bytes[0], 4 * mib);
  prefetch(bytes, on_host());
  prefetch(bytes.data(), mib, on_device(0));
  synchronize();
  EXPECT_TRUE(std::ranges::all_of(bytes, [](char byte) { return byte == 'x'; }));
  EXPECT_NO_THROW(prefetch(buffer<char>{}, on_device(0)));
  EXPECT_EQ(code_thrown_by([&] { prefetch(bytes, on_device(9)); }), UMRT_ERROR_INVALID_DEVICE);
  EXPECT_EQ(code_thrown_by([&] { advise(bytes, static_cast<umrt_advice>(0)); }), UMRT_ERROR_INVALID_VALUE);
}

TEST_F(CppInterface, StandardContainersLiveInManagedMemory) {
  memory_resource managed{hints{}.name("container")};
  std::pmr::vector<std::uint64_t> numbers(&managed);
  for (std::uint64_t i = 0; i < 100'000; ++i) numbers.push_back(i);
  launch(numbers.size(), [at = numbers.data()](std::uint64_t i) { at[i] *= at[i]; });
  synchronize();
  for (std::uint64_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i * i);
  umrt_pointer_info info;
  check(umrt_pointer_get_info(numbers.data(), &info));
  EXPECT_STREQ(info.name, "container");
}

TEST_F(CppInterface, AMemoryResourceHonoursEveryAlignment) {
  memory_resource managed;
  memory_resource other{hints{}.random()};
  for (std::size_t alignment = 1; alignment <= 8 * mib; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, 3 * mib}) {
      void* pointer = managed.allocate(bytes, alignment);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % alignment, 0u) << bytes;
      if (bytes > 0) static_cast<char*>(pointer)[bytes - 1] = 1;
      other.deallocate(pointer, bytes, alignment);  // equal resources free for each other
    }
  }
  EXPECT_TRUE(managed.is_equal(other));
  EXPECT_FALSE(managed.is_equal(*std::pmr::new_delete_resource()));
  EXPECT_THROW(static_cast<void>(managed.allocate(2 * arena)), std::bad_alloc);
  const volatile std::size_t nearly_all = SIZE_MAX - 10;  // volatile: compilers warn of what they see
  EXPECT_THROW(static_cast<void>(managed.allocate(nearly_all, 4096)), std::bad_alloc);
}

TEST_F(CppInterface, AKernelsFailureShowsAtTheNextSynchronisation) {
  launch(1, [](std::uint64_t) {
    volatile int* volatile nowhere = nullptr;  // volatile twice: GCC 12 drops a store through null
    *nowhere = 1;
  });
  EXPECT_EQ(code_thrown_by([] { synchronize(); }), UMRT_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(code_thrown_by([] { launch(1, [](std::uint64_t) {}); }), UMRT_ERROR_ILLEGAL_ADDRESS);
  check(umrt_device_reset(0));
  EXPECT_NO_THROW(synchronize());
}

TEST_F(CppInterface, TheReportNamesWhatTheProgramUsed) {
  buffer<std::uint64_t> values(mib, hints{}.name("reported"));
  launch(values.size(), [at = values.data()](std::uint64_t i) { at[i] = i; });
  synchronize();
  EXPECT_THAT(report(), ::testing::HasSubstr("reported"));
  const std::string json = report(UMRT_REPORT_JSON);
  EXPECT_THAT(json, ::testing::AllOf(::testing::StartsWith("{"), ::testing::HasSubstr("\"reported\"")));
  EXPECT_EQ(json.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace umrt::test
