// SPDX-License-Identifier: Apache-2.0
// Moves carry the rule that made them, in an engine with a real policy.
#include <gtest/gtest.h>

#include "policy/policies.h"
#include "support/engine_driver.h"

namespace umrt {
namespace {

EngineConfig config_with(std::string_view policy) {
  EngineConfig config = plain_config({64_MiB});
  config.policy = find_policy(policy)->make;
  return config;
}

// A range of the 64K class, one block, all of it on the host.
void create_on_host(EngineDriver& driver) {
  driver.create(0, 2_MiB, PageClass::page_64k);
  for (Bytes at; at < 2_MiB; at += 64_KiB) driver.touch(host_processor, driver.at(0, at));
}

std::vector<BlockAction> prefetch(EngineDriver& driver) {
  return EngineDriver::blocks_of(driver.tell(
      PrefetchRequested{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .target = gpu0, .request = {1}}));
}

TEST(Reasons, WhatTheTreeFetchesAlongSaysSo) {
  for (const char* policy : {"lru", "uvm"}) {
    EngineDriver driver{config_with(policy)};
    create_on_host(driver);
    driver.touch(gpu0, driver.at(0, 0_KiB));
    driver.touch(gpu0, driver.at(0, 64_KiB));
    const auto ordered = driver.fault(gpu0, driver.at(0, 128_KiB));  // three of four: more than 51 %
    ASSERT_EQ(ordered.size(), 2u) << policy;
    EXPECT_EQ(ordered[0].cause, Cause::demand);
    EXPECT_EQ(ordered[1].cause, Cause::prefetch);
    EXPECT_EQ(ordered[1].reason, Reason::prefetch_tree);
    EXPECT_EQ(ordered[1].granules, GranuleMask::one({3}));
  }
}

TEST(Reasons, WhatTheApplicationPrefetchesSaysSo) {
  EngineDriver driver{config_with("lru")};
  create_on_host(driver);
  const auto ordered = prefetch(driver);
  ASSERT_EQ(ordered.size(), 1u);
  EXPECT_EQ(ordered[0].reason, Reason::prefetch_user);
}

TEST(Reasons, ACopyThatADemandMakesStaleIsDiscardedAndSaysSo) {
  EngineDriver driver{config_with("lru")};
  create_on_host(driver);
  prefetch(driver);
  driver.settle();
  const auto mapped = driver.fault(host_processor, driver.at(0, 0_B), Access::write);
  ASSERT_EQ(mapped.size(), 1u);
  EXPECT_EQ(mapped[0].operation, Operation::map);
  const auto dropped = driver.done(mapped[0]);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].operation, Operation::discard);
  EXPECT_EQ(dropped[0].target, gpu0);
  EXPECT_EQ(dropped[0].reason, Reason::demand_fetch);
}

}  // namespace
}  // namespace umrt
