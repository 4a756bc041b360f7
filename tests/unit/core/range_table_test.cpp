// SPDX-License-Identifier: Apache-2.0
#include "core/range_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace umrt {
namespace {

RangeCreated created(std::uint32_t id, Bytes base, Bytes bytes, PageClass page_class) {
  return {.at = {}, .range = {id}, .base = {base.n}, .bytes = bytes, .page_class = page_class, .hints = {}};
}

RangeId id_at(const RangeTable& table, Bytes at) {
  const Range* range = table.find({at.n});
  return range == nullptr ? RangeId{} : range->id;
}

TEST(RangeTable, FindsARangeByEveryAddressInItAndNothingBeside) {
  RangeTable table;
  table.add(created(3, 4_MiB, 6_MiB, PageClass::page_2m), {0});
  EXPECT_EQ(id_at(table, 4_MiB), RangeId{3});
  EXPECT_EQ(id_at(table, 9_MiB), RangeId{3});
  EXPECT_EQ(id_at(table, 4_MiB - 1_B), RangeId{});
  EXPECT_EQ(id_at(table, 10_MiB), RangeId{});
  EXPECT_EQ(id_at(table, 100_TiB), RangeId{});
}

TEST(RangeTable, SeveralSmallRangesShareA2MiBSlot) {
  RangeTable table;
  table.add(created(0, 0_B, 4_KiB, PageClass::page_4k), {0});
  table.add(created(1, 4_KiB, 64_KiB, PageClass::page_4k), {1});
  table.add(created(2, 1_MiB, 3_MiB, PageClass::page_64k), {2});
  EXPECT_EQ(id_at(table, 4_KiB - 1_B), RangeId{0});
  EXPECT_EQ(id_at(table, 4_KiB), RangeId{1});
  EXPECT_EQ(id_at(table, 68_KiB), RangeId{});
  EXPECT_EQ(id_at(table, 1_MiB), RangeId{2});
  EXPECT_EQ(id_at(table, 3_MiB), RangeId{2});
  table.remove({1});
  EXPECT_EQ(id_at(table, 4_KiB), RangeId{});
  EXPECT_EQ(id_at(table, 0_B), RangeId{0});
}

TEST(RangeTable, ASlotFreedByTheLastOfItsSmallRangesTakesAWholeBlock) {
  RangeTable table;
  table.add(created(0, 8_KiB, 4_KiB, PageClass::page_4k), {0});
  table.remove({0});
  table.add(created(0, 0_B, 2_MiB, PageClass::page_2m), {0});
  EXPECT_EQ(id_at(table, 1_MiB), RangeId{0});
}

TEST(RangeTable, TheLastBlockOfARangeMayBeShorter) {
  RangeTable table;
  const Range& range = table.add(created(0, 0_B, 2_MiB + 128_KiB, PageClass::page_64k), {5});
  EXPECT_EQ(range.blocks, 2u);
  EXPECT_EQ(range.exists({5}).count(), 32u);
  EXPECT_EQ(range.exists({6}), GranuleMask::first(2));
  EXPECT_EQ(range.granule_at({(2_MiB + 65_KiB).n}), GranuleIndex{1});
  EXPECT_EQ(range.block_at(2_MiB), BlockId{6});
}

TEST(RangeTable, AgreesWithASortedMapOverRandomInsertsAndRemoves) {
  RangeTable table;
  std::mt19937_64 random{7};
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> model;  // begin → end, id
  for (std::uint32_t id = 0; id < 300; ++id) {
    const std::uint64_t begin = random() % (64_MiB).n / 4096 * 4096;
    const std::uint64_t bytes = (1 + random() % 700) * 4096;
    const auto next = model.lower_bound(begin);
    const bool overlaps = (next != model.end() && next->first < begin + bytes) ||
                          (next != model.begin() && std::prev(next)->second.first > begin);
    if (!overlaps) {
      model[begin] = {begin + bytes, id};
      table.add(created(id, {begin}, {bytes}, PageClass::page_4k), {0});
    } else if (random() % 2 == 0) {
      const auto victim = next != model.end() ? next : model.begin();
      table.remove({victim->second.second});
      model.erase(victim);
    }
    for (int probe = 0; probe < 50; ++probe) {
      const std::uint64_t at = random() % (68_MiB).n;
      const auto after = model.upper_bound(at);
      const bool is_inside = after != model.begin() && std::prev(after)->second.first > at;
      ASSERT_EQ(id_at(table, {at}), is_inside ? RangeId{std::prev(after)->second.second} : RangeId{});
    }
  }
}

}  // namespace
}  // namespace umrt
