// SPDX-License-Identifier: Apache-2.0
#include "core/granule_mask.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace umrt {
namespace {

using Runs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Runs runs_of(GranuleMask mask) {
  Runs runs;
  for_each_run(mask, [&](std::uint32_t begin, std::uint32_t count) { runs.emplace_back(begin, count); });
  return runs;
}

TEST(GranuleMask, RunsOfAnEmptyMaskAreNone) { EXPECT_EQ(runs_of({}), Runs{}); }

TEST(GranuleMask, AFullMaskIsOneRun) { EXPECT_EQ(runs_of(GranuleMask::first(32)), (Runs{{0, 32}})); }

TEST(GranuleMask, RunsAreSplitAtHolesAndKeepTheLastGranule) {
  EXPECT_EQ(runs_of({0b1011}), (Runs{{0, 2}, {3, 1}}));
  EXPECT_EQ(runs_of({0x80000001u}), (Runs{{0, 1}, {31, 1}}));
}

TEST(GranuleMask, DifferenceKeepsWhatTheOtherLacks) {
  EXPECT_EQ((GranuleMask::first(4) - GranuleMask::one({1})).bits, 0b1101u);
  EXPECT_TRUE(GranuleMask::first(4).contains(GranuleMask::run(1, 2)));
  EXPECT_FALSE(GranuleMask::first(2).contains(GranuleMask::run(1, 2)));
}

}  // namespace
}  // namespace umrt
