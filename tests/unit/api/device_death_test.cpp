// SPDX-License-Identifier: Apache-2.0
// The heap once a device has died: what was there before may have lost bytes, and nobody is given it again.
#include <gtest/gtest.h>

#include <vector>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

using test::HeapFixture;

TEST(HeapAfterADeviceDied, FreedRangesAreReleasedAndNotUsedAgain) {
  HeapFixture f;
  ASSERT_TRUE(f.heap->free(f.allocate(64_KiB)));
  ASSERT_EQ(f.backend.released, 0) << "the thread's cache keeps it";
  ++f.backend.deaths;
  void* const fresh = f.allocate(64_KiB);
  EXPECT_EQ(f.backend.released, 1);
  EXPECT_FALSE(f.backend.may_be_lost(f.heap->find(fresh)->range));
  ASSERT_TRUE(f.heap->free(fresh));
  EXPECT_EQ(f.allocate(64_KiB), fresh) << "the new one is kept as usual";
}

TEST(HeapAfterADeviceDied, ALiveRangeOfBeforeIsReleasedWhenItIsFreed) {
  HeapFixture f;
  void* const old = f.allocate(64_KiB);
  ++f.backend.deaths;
  f.allocate(4_KiB);
  ASSERT_TRUE(f.heap->free(old));
  EXPECT_EQ(f.backend.released, 1);
}

TEST(HeapAfterADeviceDied, SmallAllocationsBeginInNewRangesAndTheOldOnesGoWithTheirLastObject) {
  HeapFixture f;
  std::vector<void*> old;
  for (int i = 0; i < 300; ++i) old.push_back(f.allocate(200_B));  // two ranges, of which one is full
  ASSERT_TRUE(f.heap->free(old.back()));
  old.pop_back();
  ASSERT_EQ(f.backend.range_count(), 2u);
  ++f.backend.deaths;
  void* const fresh = f.allocate(200_B);
  EXPECT_FALSE(f.backend.may_be_lost(f.heap->find(fresh)->range));
  EXPECT_EQ(f.backend.range_count(), 3u);
  for (void* const pointer : old) ASSERT_TRUE(f.heap->free(pointer));
  for (int i = 0; i < 256; ++i) {  // also where this thread still kept objects of before
    EXPECT_FALSE(f.backend.may_be_lost(f.heap->find(f.allocate(200_B))->range));
  }
  f.heap->flush_caches();
  EXPECT_EQ(f.backend.range_count(), 2u);
  f.heap->check_invariants();
}

}  // namespace
}  // namespace umrt
