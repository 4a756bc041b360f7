// SPDX-License-Identifier: Apache-2.0
#include "api/heap_summary.h"

#include <gtest/gtest.h>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;

ReportHeap summary(const HeapFixture& f) { return heap_summary(f.heap->statistics()); }

TEST(HeapSummary, OfAnEmptyHeapIsZeroes) {
  const ReportHeap heap = heap_summary({});
  EXPECT_EQ(heap.reserved, 0_B);
  EXPECT_EQ(heap.fragmented.n, 0u);
}

TEST(HeapSummary, CountsWhatIsAllocatedInBothZones) {
  HeapFixture f;
  f.allocate(100_KiB);
  f.allocate(5_MiB);
  const ReportHeap heap = summary(f);
  EXPECT_EQ(heap.used, 128_KiB + 6_MiB);
  EXPECT_EQ(heap.reserved, 128_MiB);
  EXPECT_EQ(heap.free_run_max, 62_MiB);  // of the small zone; the huge one has 58 MiB
  EXPECT_EQ(heap.fragmented.n, 15u);     // what is left of the first slab, of 122 MiB less 128 KiB
  EXPECT_EQ(heap.small_allocations, 0u);
}

TEST(HeapSummary, HolesBetweenRangesAreFragmentation) {
  HeapFixture f;
  std::vector<void*> ranges;
  for (int i = 0; i < 32; ++i) ranges.push_back(f.allocate(2_MiB));
  EXPECT_EQ(summary(f).fragmented.n, 0u);
  for (std::size_t i = 0; i < 32; i += 2) ASSERT_TRUE(f.heap->free(ranges[i]));
  EXPECT_EQ(summary(f).used, 32_MiB);
  EXPECT_EQ(summary(f).free_run_max, 2_MiB);
  EXPECT_EQ(summary(f).fragmented.n, 937u);  // 30 of 32 MiB
}

TEST(HeapSummary, TwoZonesWithoutHolesAreNotFragmented) {
  const ReportHeap heap =
      heap_summary({.small_zone = {.span = 64_MiB, .reserved = 64_MiB, .used = 0_B, .free_run_max = 64_MiB},
                    .huge_zone = {.span = 64_MiB, .reserved = 64_MiB, .used = 32_MiB, .free_run_max = 32_MiB},
                    .cached = 1_MiB,
                    .small = {}});
  EXPECT_EQ(heap.fragmented.n, 0u);
  EXPECT_EQ(heap.free_run_max, 64_MiB);
  EXPECT_EQ(heap.cached, 1_MiB);
}

TEST(HeapSummary, SmallAllocationsAreCountedWhileTheyLive) {
  HeapFixture f;
  std::vector<void*> objects;
  for (int i = 0; i < 300; ++i) objects.push_back(f.allocate(10_B));  // 256 a range
  f.allocate(1000_B);
  f.allocate(4_KiB);
  ReportHeap heap = summary(f);
  EXPECT_EQ(heap.small_allocations, 301u);
  EXPECT_EQ(heap.small_bytes, 4000_B);
  EXPECT_EQ(heap.small_ranges, 192_KiB);
  for (std::size_t i = 1; i < 300; ++i) ASSERT_TRUE(f.heap->free(objects[i]));
  heap = summary(f);
  EXPECT_EQ(heap.small_allocations, 2u);
  EXPECT_EQ(heap.small_bytes, 1010_B);
  EXPECT_EQ(heap.small_ranges, 128_KiB);
}

TEST(HeapSummary, ARangeOfSmallAllocationsIsMadeKnownAsShared) {
  HeapFixture f;
  f.allocate(10_B);
  f.allocate(4_KiB);
  EXPECT_TRUE(f.backend.ranges().at(0).facts.is_shared);
  EXPECT_FALSE(f.backend.ranges().at(1).facts.is_shared);
}

}  // namespace
}  // namespace umrt
