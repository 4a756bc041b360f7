// SPDX-License-Identifier: Apache-2.0
#include "core/completion.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

TEST(Completion, APinnedSourceIsTriedAgainLaterAndLaterEachTime) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  auto order = driver.fault(gpu0, driver.at(0, 0_B));
  Ticks waited;
  for (int attempt = 0; attempt < 6; ++attempt) {
    ASSERT_EQ(order.size(), 1u);
    EXPECT_TRUE(driver.done(order[0], Outcome::pinned).empty());  // no tight loop
    const auto deadline = driver.engine().deadline();
    ASSERT_TRUE(deadline.has_value());
    EXPECT_GT(*deadline - driver.now(), waited);
    waited = *deadline - driver.now();
    EXPECT_TRUE(driver.pass_time({deadline->n - 1}).empty());
    order = driver.pass_time(*deadline);
  }
  driver.settle();
  EXPECT_EQ(driver.residency(0).mapped, 0b10);
  EXPECT_FALSE(driver.engine().deadline().has_value());
}

TEST(Completion, APinnedVictimIsSkippedCountedAndAnotherLeaves) {
  EngineDriver driver{plain_config({4_MiB})};
  driver.create(0, 6_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  const auto first = driver.fault(gpu0, driver.at(0, 4_MiB));
  ASSERT_EQ(first.size(), 1u);
  const auto second = driver.done(first[0], Outcome::pinned);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NE(second[0].block, first[0].block);
  EXPECT_EQ(driver.counters(0).evictions_pinned, 1u);
  driver.settle();
  EXPECT_EQ(driver.residency(0, 4_MiB).mapped, 0b10);
}

TEST(Completion, WhenEveryVictimIsPinnedTheDeadlineSaysWhenToTryAgain) {
  EngineDriver driver{plain_config({2_MiB})};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto eviction = driver.fault(gpu0, driver.at(0, 2_MiB));
  EXPECT_TRUE(driver.done(eviction[0], Outcome::pinned).empty());
  ASSERT_TRUE(driver.engine().deadline().has_value());
  EXPECT_EQ(driver.pass_time(*driver.engine().deadline()).size(), 1u);
  driver.settle();
  EXPECT_EQ(driver.residency(0, 2_MiB).mapped, 0b10);
}

TEST(Completion, NoMemoryAtTheDeviceEvictsMoreAndTriesAgain) {
  EngineDriver driver{plain_config({8_MiB})};
  driver.create(0, 8_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto populate = driver.fault(gpu0, driver.at(0, 2_MiB));
  const auto eviction = driver.done(populate[0], Outcome::no_memory);
  ASSERT_EQ(eviction.size(), 1u);
  EXPECT_EQ(eviction[0].cause, Cause::eviction);
  driver.settle();
  driver.pass_time(*driver.engine().deadline());
  driver.settle();
  EXPECT_EQ(driver.residency(0, 2_MiB).mapped, 0b10);
}

TEST(Completion, OfAPartialFailureTheRestArrives) {
  EngineConfig config = plain_config();
  config.policy.make_fetch = plain::make_whole_block;
  EngineDriver driver{config};
  driver.create(0, 2_MiB, PageClass::page_64k);
  const auto populate = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(populate[0].granules, GranuleMask::first(32));
  driver.done(populate[0], Outcome::pinned, GranuleMask::first(8));
  EXPECT_EQ(driver.engine().in_use(gpu0), 64_KiB * 24);
  driver.pass_time(*driver.engine().deadline());
  driver.settle();
  EXPECT_EQ(driver.residency(0).mapped, 0b10);
}

TEST(Completion, WhatHasJustArrivedIsNotEvictedAsTheCopyOfAStaleOne) {
  EngineConfig config = plain_config({8_MiB, 8_MiB});
  config.policy.make_fetch = plain::make_whole_block;
  EngineDriver driver{config};
  driver.create(0, 2_MiB, PageClass::page_64k);
  const auto prefetch = [&](Bytes end, ProcessorId target) {
    driver.tell(PrefetchRequested{
        .at = driver.now(), .range = {0}, .begin = 0_B, .end = end, .target = target, .request = {1}});
    driver.settle();
  };
  driver.touch(gpu0, driver.at(0, 0_B));
  prefetch(2_MiB, host_processor);  // now the range is known to be dense
  prefetch(64_KiB, gpu1);
  const auto in = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(in.size(), 1u);
  ASSERT_EQ(in[0].granules, GranuleMask::first(32));
  const auto next = driver.done(in[0], Outcome::no_memory, GranuleMask::first(32) - GranuleMask::first(1));
  for (const BlockAction& action : next) EXPECT_NE(action.target, gpu0) << "the one valid copy";
  driver.settle();
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0b010);
}

TEST(Completion, AStaleCopyThatCannotBeDroppedIsDroppedLaterAndHeldUntilThen) {
  EngineConfig config = plain_config();
  config.policy.make_fetch = plain::make_whole_block;
  EngineDriver driver{config};
  driver.create(0, 2_MiB, PageClass::page_64k);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto map = driver.fault(gpu0, driver.at(0, 64_KiB));
  const auto drop = driver.done(map[0]);
  ASSERT_EQ(drop.size(), 1u);
  EXPECT_TRUE(driver.done(drop[0], Outcome::pinned).empty());
  EXPECT_TRUE(driver.residency(0, 64_KiB).is_in_flight);
  EXPECT_TRUE(driver.fault(host_processor, driver.at(0, 64_KiB)).empty());  // not on the stale bytes
  const auto again = driver.pass_time(*driver.engine().deadline());
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0], drop[0]);
  driver.settle();
  EXPECT_EQ(driver.residency(0, 64_KiB).mapped, 0b01);
}

TEST(Completion, BytesLostOnTheWayHomeAreCountedAndNobodyGetsZerosForThem) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto home = driver.fault(host_processor, driver.at(0, 0_B));
  const auto fresh = driver.done(home[0], Outcome::lost);
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u);
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh[0].operation, Operation::wake) << "to be rejected when it comes again";
  EXPECT_EQ(fresh[0].target, host_processor);
  driver.settle();
  EXPECT_TRUE(driver.engine().is_lost(driver.at(0, 0_B)));
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
}

TEST(Completion, WhatADeadDeviceHadMappedMakesCopiesElsewhereOutdated) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.tell(
      PrefetchRequested{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .target = gpu0, .request = {1}});
  driver.settle();
  const auto map = driver.fault(gpu0, driver.at(0, 0_B), Access::write);
  ASSERT_EQ(map.size(), 1u);
  ASSERT_EQ(map[0].operation, Operation::map);
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  const auto discard = driver.done(map[0]);
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u) << "a kernel may have written before the device died";
  ASSERT_EQ(discard.size(), 1u);
  EXPECT_EQ(discard[0].operation, Operation::discard);
  EXPECT_EQ(discard[0].target, host_processor);
  EXPECT_TRUE(driver.fault(host_processor, driver.at(0, 0_B)).empty());
  const auto wake = driver.done(discard[0]);
  ASSERT_EQ(wake.size(), 1u);
  EXPECT_EQ(wake[0].operation, Operation::wake);
  EXPECT_TRUE(driver.engine().is_lost(driver.at(0, 0_B)));
}

}  // namespace
}  // namespace umrt
