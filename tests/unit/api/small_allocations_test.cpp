// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;
using test::offset_by;

TEST(SmallAllocations, ManyShareARangeOfTheirSize) {
  HeapFixture f;
  std::set<void*> pointers;
  for (int i = 0; i < 256; ++i) pointers.insert(f.allocate(200_B));
  EXPECT_EQ(pointers.size(), 256u);
  EXPECT_EQ(f.backend.range_count(), 1u);
  EXPECT_EQ(f.backend.ranges().at(0).name, "small allocations of 256 bytes");
  f.allocate(200_B);
  EXPECT_EQ(f.backend.range_count(), 2u);
}

TEST(SmallAllocations, AMillionOfThemTakeTheirBytesAndGiveAllOfThemBack) {
  HeapFixture f;
  std::vector<void*> pointers;
  for (int i = 0; i < 1'000'000; ++i) pointers.push_back(f.allocate(16_B));
  EXPECT_EQ(f.backend.range_count(), 1'000'000u / 256 + 1);
  for (void* const pointer : pointers) ASSERT_TRUE(f.heap->free(pointer));
  EXPECT_LE(f.backend.range_count(), 3u);  // two with the last objects, in a magazine, and one kept for the next
  EXPECT_TRUE(f.heap->leaks().empty());
}

TEST(SmallAllocations, APointerFindsItsObject) {
  HeapFixture f;
  f.allocate(700_B);
  void* const second = f.allocate(700_B);
  const auto found = f.heap->find(offset_by(second, 699));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_small);
  EXPECT_EQ(found->bytes, 700_B);
  EXPECT_EQ(f.arena.pointer(found->base), second);
  EXPECT_EQ(found->range_bytes, 64_KiB);
  EXPECT_FALSE(f.heap->find(offset_by(second, 700)));
}

TEST(SmallAllocations, ARangeIsReportedWithTheObjectsThatLive) {
  HeapFixture f;
  void* const first = f.allocate(100_B);
  f.allocate(50_B);
  const RangeId range = f.heap->find(first)->range;
  EXPECT_EQ(f.heap->range_facts(range)->allocations, 2u);
  EXPECT_EQ(f.heap->range_facts(range)->asked, 150_B);
  ASSERT_TRUE(f.heap->free(first));
  EXPECT_EQ(f.heap->range_facts(range)->allocations, 1u);
}

TEST(SmallAllocations, ARangeWithoutLiveObjectsIsNotReported) {
  HeapFixture f;
  void* const only = f.allocate(100_B);
  const RangeId range = f.heap->find(only)->range;
  ASSERT_TRUE(f.heap->free(only));
  EXPECT_FALSE(f.heap->range_facts(range));
}

TEST(SmallAllocations, ASmallAllocationWithAHintHasARangeOfItsOwn) {
  HeapFixture f;
  void* const pointer =
      *f.heap->allocate({.bytes = 10_B, .page_class = {}, .hints = {.is_read_mostly = true}, .name = {}});
  EXPECT_FALSE(f.heap->find(pointer)->is_small);
  EXPECT_EQ(f.heap->find(pointer)->range_bytes, 4_KiB);
}

TEST(SmallAllocations, ObjectsOfOneThreadAreFreedByAnother) {
  HeapFixture f;
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> pointers;
    for (int i = 0; i < 500; ++i) pointers.push_back(f.allocate({static_cast<std::uint64_t>(1 + i * 4)}));
    std::thread{[&] {
      for (void* const pointer : pointers) EXPECT_EQ(f.code_of_free(pointer), UMRT_SUCCESS);
    }}.join();
  }
  EXPECT_TRUE(f.heap->leaks().empty());
  EXPECT_LT(f.backend.range_count(), 100u);
}

}  // namespace
}  // namespace umrt
