// SPDX-License-Identifier: Apache-2.0
#include "policy/uvm.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

struct All final : EvictionPolicy::Filter {
  bool may_evict(BlockId) const override { return true; }
};

TEST(Uvm, OnlyAMigrationIntoABlockMovesItInTheOrder) {
  const auto uvm = make_uvm_eviction();
  uvm->reserve(3);
  for (std::uint32_t n = 0; n < 3; ++n) uvm->migrated_in({n}, {n});
  uvm->touched({0}, {9});
  EXPECT_EQ(uvm->victim(All{}), BlockId{0});
  uvm->migrated_in({0}, {10});
  EXPECT_EQ(uvm->victim(All{}), BlockId{1});
}

TEST(Uvm, DoesNotPrefetchAwayFromThePreferredLocation) {
  const auto fetch = make_uvm_fetch();
  FetchContext c;
  c.page_class = PageClass::page_64k;
  c.faulted = {2};
  c.exists = c.fetchable = GranuleMask::first(32);
  c.resident = GranuleMask::first(2);
  c.processor = device_processor(0);
  EXPECT_EQ(fetch->fetch(c) | c.resident, GranuleMask::first(4));
  c.hints.preferred = host_processor;
  EXPECT_EQ(fetch->fetch(c), GranuleMask::one({2}));
  c.hints.preferred = device_processor(0);
  EXPECT_EQ(fetch->fetch(c) | c.resident, GranuleMask::first(4));
}

}  // namespace
}  // namespace umrt
