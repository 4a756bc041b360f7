// SPDX-License-Identifier: Apache-2.0
// Double frees and foreign pointers, by one thread and by several that race.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;
using test::offset_by;

// Small object, range kept by a cache, range released at once, huge range.
class HeapMisuse : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, HeapMisuse, testing::Values(1, 2048, 4096, 65536, 1572864, 8388608));

TEST_P(HeapMisuse, ASecondFreeIsADoubleFree) {
  HeapFixture f;
  void* const pointer = f.allocate({GetParam()});
  EXPECT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
  EXPECT_EQ(f.code_of_free(pointer), UMRT_ERROR_DOUBLE_FREE);
  f.heap->flush_caches();
  EXPECT_EQ(f.code_of_free(pointer), UMRT_ERROR_DOUBLE_FREE);
  f.heap->check_invariants();
}

TEST_P(HeapMisuse, APointerIntoTheMiddleIsForeignAndTheAllocationStays) {
  HeapFixture f;
  void* const pointer = f.allocate({GetParam()});
  const auto last = static_cast<std::ptrdiff_t>(GetParam() - 1);
  if (last > 0) {
    EXPECT_EQ(f.code_of_free(offset_by(pointer, 1)), UMRT_ERROR_FOREIGN_POINTER);
    EXPECT_EQ(f.code_of_free(offset_by(pointer, last)), UMRT_ERROR_FOREIGN_POINTER);
  }
  EXPECT_TRUE(f.heap->find(pointer));
  EXPECT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
}

TEST_P(HeapMisuse, OfTwoFreesThatRaceOneWins) {
  constexpr int rounds = 3'000;
  HeapFixture f;
  std::atomic<void*> pointer = nullptr;
  std::atomic<int> round = 0;
  std::atomic<int> answered = 0;
  std::atomic<int> wins = 0;
  std::atomic<int> doubles = 0;
  const auto free_once = [&] {
    const umrt_result code = f.code_of_free(pointer);
    if (code == UMRT_SUCCESS) ++wins;
    if (code == UMRT_ERROR_DOUBLE_FREE) ++doubles;
  };
  std::thread other{[&] {
    for (int next = 1; next <= rounds; ++next) {
      while (round != next) std::this_thread::yield();  // spins: both are to meet within a few instructions
      free_once();
      ++answered;
    }
  }};
  for (int next = 1; next <= rounds; ++next) {
    pointer = f.allocate({GetParam()});
    round = next;
    free_once();
    while (answered != next) std::this_thread::yield();
  }
  other.join();
  EXPECT_EQ(wins, rounds);
  EXPECT_EQ(doubles, rounds);
  EXPECT_TRUE(f.heap->leaks().empty());
  f.heap->check_invariants();
}

TEST_P(HeapMisuse, AFreeDuringTheWaitOfAnotherIsADoubleFree) {
  HeapFixture f;
  void* const pointer = f.allocate({GetParam()});
  f.backend.pending = true;
  f.backend.on_wait = [&] {
    f.backend.pending = false;
    EXPECT_EQ(f.code_of_free(pointer), UMRT_ERROR_DOUBLE_FREE);
  };
  EXPECT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
  EXPECT_EQ(f.backend.waits, 1);
}

TEST(HeapForeign, PointersThatWereNeverHandedOutAreForeign) {
  HeapFixture f;
  int on_stack = 0;
  void* const small = f.allocate(100_B);
  EXPECT_EQ(f.code_of_free(&on_stack), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(f.arena.base + f.arena.bytes.n), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(f.arena.base - 1), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(f.arena.base + f.arena.bytes.n - 1), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(offset_by(small, 16384)), UMRT_ERROR_FOREIGN_POINTER);  // an object nobody has yet
  EXPECT_EQ(f.code_of_free(nullptr), UMRT_SUCCESS);
}

TEST(HeapForeign, TheTextNamesPointerOffsetAndWhatWouldBeRight) {
  HeapFixture f;
  void* const pointer = f.allocate(100_KiB);
  const Status status = f.heap->free(offset_by(pointer, 4096));
  EXPECT_THAT(status.error().detail, testing::HasSubstr("4096 bytes into an allocation of 102400 bytes"));
}

TEST(HeapForeign, AnAddressInsideOfAReleasedRangeIsForeignAndItsBeginADoubleFree) {
  HeapFixture f;
  void* const pointer = f.allocate(8_MiB);
  ASSERT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
  EXPECT_EQ(f.code_of_free(offset_by(pointer, 2 << 20)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(offset_by(pointer, 4096)), UMRT_ERROR_FOREIGN_POINTER);
  EXPECT_EQ(f.code_of_free(pointer), UMRT_ERROR_DOUBLE_FREE);
}

}  // namespace
}  // namespace umrt
