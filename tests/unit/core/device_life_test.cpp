// SPDX-License-Identifier: Apache-2.0
#include "core/device_life.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

TEST(DeviceLife, ALostDevicesOnlyCopiesAreCountedOthersSurvive) {
  EngineDriver driver{plain_config()};
  driver.create(0, 4_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.tell(
      PrefetchRequested{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .target = gpu0, .request = {1}});
  driver.settle();
  driver.touch(gpu0, driver.at(0, 2_MiB));
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u);
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0b01);
  EXPECT_EQ(driver.residency(0, 2_MiB).resident, 0);
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
}

TEST(DeviceLife, WhatWasOnItsWayToALostDeviceGoesOnFromTheHost) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto in = driver.fault(gpu0, driver.at(0, 0_B));
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  driver.done(in[0], Outcome::lost);
  EXPECT_EQ(driver.residency(0).resident, 0b01);
  EXPECT_EQ(driver.counters(0).data_lost_granules, 0u);
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
}

TEST(DeviceLife, WhatHadJustArrivedOnALostDeviceIsLost) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto in = driver.fault(gpu0, driver.at(0, 0_B));
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  driver.done(in[0]);
  EXPECT_EQ(driver.residency(0).resident, 0);
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u);
}

TEST(DeviceLife, AnEvacuationBringsEverythingHomeAndIsAnsweredOnce) {
  EngineDriver driver{plain_config()};
  driver.create(0, 6_MiB);
  for (Bytes at; at < 6_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(0, at));
  const auto orders =
      driver.blocks_of(driver.tell(DeviceEvacuated{.at = driver.tick(), .device = gpu0, .request = {5}}));
  EXPECT_EQ(orders.size(), 3u);
  driver.done(orders[0]);
  driver.done(orders[1]);
  driver.forget_first();
  const auto last = driver.tell(ActionDone{
      .began = driver.now(), .ended = driver.tick(), .action = orders[2], .failed = {}, .outcome = Outcome::done});
  EXPECT_EQ(driver.only<RequestDone>(last), (std::vector<RequestDone>{{.request = {5}, .is_complete = true}}));
  for (Bytes at; at < 6_MiB; at += 2_MiB) EXPECT_EQ(driver.residency(0, at).resident, 0b01);
  EXPECT_EQ(driver.counters(0).data_lost_granules, 0u);
}

TEST(DeviceLife, UntilADeviceIsReadyItsFaultsWaitAndThenTryAgain) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.tell(DeviceEvacuated{.at = driver.tick(), .device = gpu0, .request = {5}});
  EXPECT_TRUE(driver.fault(gpu0, driver.at(0, 0_B)).empty());
  const auto woken = driver.blocks_of(driver.tell(DeviceReady{.at = driver.tick(), .device = gpu0}));
  ASSERT_EQ(woken.size(), 1u);
  EXPECT_EQ(woken[0].operation, Operation::wake);
  EXPECT_EQ(driver.fault(gpu0, driver.at(0, 0_B)).size(), 1u);
}

TEST(DeviceLife, APinnedBlockHoldsTheEvacuationUpOnlyForAWhile) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto orders =
      driver.blocks_of(driver.tell(DeviceEvacuated{.at = driver.tick(), .device = gpu0, .request = {5}}));
  EXPECT_TRUE(driver.done(orders[0], Outcome::pinned).empty());
  ASSERT_TRUE(driver.engine().deadline().has_value());
  EXPECT_EQ(driver.pass_time(*driver.engine().deadline()).size(), 1u);
}

TEST(DeviceLife, WhatIsToBeTriedAgainOnALostDeviceIsForgotten) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto discard = driver.blocks_of(driver.tell(RangeFreed{.at = driver.tick(), .range = {0}, .request = {9}}));
  driver.done(discard[0], Outcome::pinned);
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  const auto deadline = driver.engine().deadline();
  ASSERT_TRUE(deadline.has_value());
  const auto actions = driver.tell(TimePassed{.at = *deadline});
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<RangeReleased>(actions[0]));
}

TEST(DeviceLife, AFreedRangeGoesThoughADeviceIsLostThatHeldItsCopiesUp) {
  EngineDriver driver{plain_config({8_MiB, 8_MiB})};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  for (const ProcessorId target : {gpu0, gpu1}) {
    driver.tell(PrefetchRequested{
        .at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .target = target, .request = {1}});
    driver.settle();
  }
  ASSERT_EQ(driver.residency(0).resident, 0b111);
  const auto discard = driver.blocks_of(driver.tell(RangeFreed{.at = driver.tick(), .range = {0}, .request = {9}}));
  ASSERT_EQ(discard.size(), 1u) << "one action on a granule at a time";
  driver.done(discard[0], Outcome::pinned);
  driver.tell(DeviceLost{.at = driver.tick(), .device = discard[0].target});
  const auto other = driver.pass_time(*driver.engine().deadline());
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].operation, Operation::discard);
  driver.done(other[0]);
  EXPECT_FALSE(driver.engine().range_at(driver.at(0, 0_B)).has_value());
}

void prefetch_to(EngineDriver& driver, ProcessorId target) {
  driver.tell(PrefetchRequested{
      .at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .target = target, .request = {1}});
  driver.settle();
}

TEST(DeviceLife, AWriteThatDiedWithADeviceIsNotHiddenByOlderCopies) {
  EngineDriver driver{plain_config({8_MiB, 8_MiB})};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  prefetch_to(driver, gpu0);
  prefetch_to(driver, gpu1);
  const auto map = driver.fault(gpu0, driver.at(0, 0_B), Access::write);
  const auto first = driver.done(map[0]);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(first[0].operation, Operation::discard);
  driver.done(first[0], Outcome::pinned);
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u);
  const auto again = driver.pass_time(*driver.engine().deadline());
  ASSERT_EQ(again.size(), 1u);
  const auto second = driver.done(again[0]);
  ASSERT_EQ(second.size(), 1u) << "copies go one after another";
  EXPECT_NE(second[0].target, again[0].target);
  driver.done(second[0]);
  EXPECT_EQ(driver.residency(0).resident, 0);
  EXPECT_TRUE(driver.engine().is_lost(driver.at(0, 0_B)));
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u);
}

TEST(DeviceLife, LostBytesAreNotBroughtBackByHintsOrPrefetchesUntilTheirRangeIsFreed) {
  EngineConfig config = plain_config();
  config.abilities.remote_map = true;
  EngineDriver driver{config};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0});
  driver.tell(DeviceReady{.at = driver.tick(), .device = gpu0});
  prefetch_to(driver, gpu0);
  prefetch_to(driver, host_processor);
  Hints remote;
  remote.preferred = host_processor;
  remote.accessed_by = 0b10;
  driver.tell(
      RangeAdvised{.at = driver.tick(), .range = {0}, .begin = 0_B, .end = 4_MiB, .hints = remote, .request = {2}});
  driver.settle();
  EXPECT_EQ(driver.residency(0).resident, 0);
  EXPECT_TRUE(driver.engine().is_lost(driver.at(0, 0_B)));
  const auto fault = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(fault.size(), 1u);
  EXPECT_EQ(fault[0].operation, Operation::wake);
  EXPECT_FALSE(driver.engine().is_lost(driver.at(0, 2_MiB))) << "the others are whole";
  driver.tell(RangeFreed{.at = driver.tick(), .range = {0}, .request = {9}});
  driver.settle();
  driver.create(0, 4_MiB);
  EXPECT_FALSE(driver.engine().is_lost(driver.at(0, 0_B)));
}

TEST(DeviceLife, LosingADeviceThatIsBeingEvacuatedEndsTheEvacuationAsIncomplete) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.tell(DeviceEvacuated{.at = driver.tick(), .device = gpu0, .request = {5}});
  const auto ended = driver.only<RequestDone>(driver.tell(DeviceLost{.at = driver.tick(), .device = gpu0}));
  EXPECT_EQ(ended, (std::vector<RequestDone>{{.request = {5}, .is_complete = false}}));
}

}  // namespace
}  // namespace umrt
