// SPDX-License-Identifier: Apache-2.0
#include "core/block_table.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

TEST(BlockTable, ARangeHasConsecutiveBlocks) {
  BlockTable table{1};
  EXPECT_EQ(table.add({0}, 3, {}), BlockId{0});
  EXPECT_EQ(table.add({1}, 2, {}), BlockId{3});
  EXPECT_EQ(table.at({4}).range, RangeId{1});
  EXPECT_EQ(table.size(), 5u);
}

TEST(BlockTable, IdsOfRemovedRangesAreUsedAgainAndMerged) {
  BlockTable table{1};
  table.add({0}, 4, {});
  table.add({1}, 4, {});
  table.add({2}, 4, {});
  table.remove({0}, 4);
  table.remove({4}, 4);
  EXPECT_EQ(table.add({3}, 8, {}), BlockId{0});
  table.remove({8}, 4);
  table.remove({0}, 8);
  EXPECT_EQ(table.add({4}, 12, {}), BlockId{0});
  EXPECT_EQ(table.size(), 12u);
}

TEST(BlockTable, ABlockUsedAgainRemembersNothing) {
  BlockTable table{2};
  table.add({0}, 1, {});
  table.at({0}).evicted = GranuleMask::first(8);
  table.presence({0}, device_processor(1)).resident = GranuleMask::first(8);
  table.remove({0}, 1);
  table.add({1}, 1, {});
  EXPECT_TRUE(table.at({0}).evicted.empty());
  EXPECT_TRUE(table.presence({0}, device_processor(1)).resident.empty());
}

TEST(BlockTable, EveryProcessorHasMasksOfItsOwn) {
  BlockTable table{4};
  table.add({0}, 2, {});
  for (std::uint8_t p = 0; p < 5; ++p) table.presence({1}, ProcessorId{p}).resident = GranuleMask::one({p});
  for (std::uint8_t p = 0; p < 5; ++p) {
    EXPECT_EQ(table.presence({1}, ProcessorId{p}).resident, GranuleMask::one({p}));
    EXPECT_TRUE(table.presence({0}, ProcessorId{p}).resident.empty());
  }
}

TEST(BlockTable, HintsAreOfTheBlock) {
  BlockTable table{1};
  const Hints random{.pattern = AccessPattern::random};
  table.add({0}, 3, {});
  table.set_hints({1}, random);
  EXPECT_EQ(table.hints({0}), Hints{});
  EXPECT_EQ(table.hints({1}), random);
}

}  // namespace
}  // namespace umrt
