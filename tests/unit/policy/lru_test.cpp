// SPDX-License-Identifier: Apache-2.0
#include "policy/lru.h"

#include <gtest/gtest.h>

#include <list>
#include <random>

namespace umrt {
namespace {

struct All final : EvictionPolicy::Filter {
  bool may_evict(BlockId) const override { return true; }
};
struct AllBut final : EvictionPolicy::Filter {
  BlockId block;
  explicit AllBut(BlockId b) : block{b} {}
  bool may_evict(BlockId b) const override { return b != block; }
};

TEST(Lru, TheLeastRecentlyTouchedBlockLeavesFirst) {
  const auto lru = make_lru_eviction();
  lru->reserve(4);
  for (std::uint32_t n = 0; n < 3; ++n) lru->migrated_in({n}, {n});
  EXPECT_EQ(lru->victim(All{}), BlockId{0});
  lru->touched({0}, {9});
  EXPECT_EQ(lru->victim(All{}), BlockId{1});
  lru->removed({1});
  EXPECT_EQ(lru->victim(All{}), BlockId{2});
  EXPECT_EQ(lru->victim(AllBut{{2}}), BlockId{0});
}

TEST(Lru, AnEmptyDeviceHasNoVictim) {
  const auto lru = make_lru_eviction();
  lru->reserve(2);
  EXPECT_EQ(lru->victim(All{}), std::nullopt);
  lru->migrated_in({1}, {1});
  EXPECT_EQ(lru->victim(AllBut{{1}}), std::nullopt);
  lru->removed({1});
  lru->removed({1});
  EXPECT_EQ(lru->victim(All{}), std::nullopt);
}

TEST(Lru, AgreesWithAListOverRandomUse) {
  const auto lru = make_lru_eviction();
  lru->reserve(20);
  std::list<std::uint32_t> model;
  std::mt19937_64 random{3};
  for (int n = 0; n < 2000; ++n) {
    const auto block = static_cast<std::uint32_t>(random() % 20);
    model.remove(block);
    if (random() % 3 == 0) {
      lru->removed({block});
    } else {
      lru->touched({block}, {});
      model.push_back(block);
    }
    ASSERT_EQ(lru->victim(All{}), model.empty() ? std::nullopt : std::optional(BlockId{model.front()}));
  }
}

FetchContext context() {
  FetchContext c;
  c.page_class = PageClass::page_64k;
  c.faulted = {4};
  c.exists = GranuleMask::first(32);
  c.fetchable = GranuleMask::first(32);
  c.processor = device_processor(0);
  return c;
}

TEST(Lru, FetchesOneGranuleWithoutEvidenceAndTheWholeBlockOfADenseRange) {
  const auto fetch = make_dense_fetch();
  FetchContext c = context();
  EXPECT_EQ(fetch->fetch(c), GranuleMask::one({4}));
  c.is_dense = true;
  EXPECT_EQ(fetch->fetch(c), GranuleMask::first(32));
  c.fetchable = GranuleMask::run(8, 4);
  EXPECT_EQ(fetch->fetch(c), GranuleMask::run(8, 4) | GranuleMask::one({4}));
}

TEST(Lru, HintsDecideBeforeEvidence) {
  const auto fetch = make_dense_fetch();
  FetchContext c = context();
  c.is_dense = true;
  c.hints.pattern = AccessPattern::random;
  EXPECT_EQ(fetch->fetch(c), GranuleMask::one({4}));
  c.is_dense = false;
  c.hints.pattern = AccessPattern::sequential;
  EXPECT_EQ(fetch->fetch(c), GranuleMask::first(32));
}

}  // namespace
}  // namespace umrt
