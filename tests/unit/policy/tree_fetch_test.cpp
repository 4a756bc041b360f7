// SPDX-License-Identifier: Apache-2.0
#include "policy/tree_fetch.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

FetchContext context(std::uint32_t faulted, GranuleMask resident) {
  FetchContext c;
  c.page_class = PageClass::page_64k;
  c.faulted = {faulted};
  c.exists = GranuleMask::first(32);
  c.resident = resident;
  c.fetchable = GranuleMask::first(32) - resident;
  c.processor = device_processor(0);
  return c;
}

TEST(TreeFetch, ALoneFaultFetchesItsLeaf) { EXPECT_EQ(tree_fetch(context(9, {})), GranuleMask::one({9})); }

TEST(TreeFetch, HalfASubtreeIsNotEnoughMoreThan51PercentIs) {
  EXPECT_EQ(tree_fetch(context(1, GranuleMask::one({0}))), GranuleMask::one({1}));   // 2 of 4
  EXPECT_EQ(tree_fetch(context(2, GranuleMask::first(2))), GranuleMask::run(2, 2));  // 3 of 4
}

TEST(TreeFetch, ASweepOverABlockTakesSixFaults) {  // 0, 1, 2-3, 4-7, 8-15, 16-31
  GranuleMask resident;
  int faults = 0;
  for (std::uint32_t n = 0; n < 32; ++n) {
    if (resident.has({n})) continue;
    ++faults;
    resident |= tree_fetch(context(n, resident));
  }
  EXPECT_EQ(faults, 6);
}

TEST(TreeFetch, TheLargestSubtreeOverTheThresholdWins) {
  const GranuleMask resident = GranuleMask::first(17) - GranuleMask::one({5});
  EXPECT_EQ(tree_fetch(context(5, resident)) | resident, GranuleMask::first(32));
}

TEST(TreeFetch, WhatIsOnItsWayCountsAndIsNotFetchedTwice) {
  FetchContext c = context(2, {});
  c.in_flight = GranuleMask::first(2);
  c.fetchable = GranuleMask::first(32) - c.in_flight;
  EXPECT_EQ(tree_fetch(c), GranuleMask::run(2, 2));
}

TEST(TreeFetch, ThePartOfABlockThatTheRangeHasIsTheWhole) {
  FetchContext c = context(2, GranuleMask::first(2));
  c.exists = GranuleMask::first(5);
  c.fetchable = GranuleMask::run(2, 3);
  EXPECT_EQ(tree_fetch(c), GranuleMask::run(2, 3));  // 3 of 4, then 3 of 5
}

TEST(TreeFetch, A4KFaultFetchesItsWhole64KiB) {
  FetchContext c = context(20, {});
  c.page_class = PageClass::page_4k;
  EXPECT_EQ(tree_fetch(c), GranuleMask::run(16, 16));
}

TEST(TreeFetch, A2MBlockIsOneGranule) {
  FetchContext c = context(0, {});
  c.page_class = PageClass::page_2m;
  c.exists = c.fetchable = GranuleMask::one({0});
  EXPECT_EQ(tree_fetch(c), GranuleMask::one({0}));
}

}  // namespace
}  // namespace umrt
