// SPDX-License-Identifier: Apache-2.0
#include "core/eviction.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

constexpr auto by_eviction = static_cast<std::size_t>(Cause::eviction);

TEST(Eviction, AnEvictedBlockIsStagedAtTheHostAndItsNextFaultIsARefault) {
  EngineDriver driver{plain_config({2_MiB})};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0b01);
  EXPECT_EQ(driver.residency(0, 0_B).mapped, 0);
  EXPECT_EQ(driver.counters(0).bytes_out[by_eviction], 2_MiB);
  EXPECT_EQ(driver.counters(0).evictions, 1u);
  EXPECT_EQ(driver.counters(0).refaults, 0u);
  driver.touch(gpu0, driver.at(0, 0_B));
  EXPECT_EQ(driver.counters(0).refaults, 1u);
}

TEST(Eviction, AHostFaultOnAnEvictedBlockOnlyMapsIt) {
  EngineDriver driver{plain_config({2_MiB})};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  const auto map = driver.fault(host_processor, driver.at(0, 0_B));
  ASSERT_EQ(map.size(), 1u);
  EXPECT_EQ(map[0].operation, Operation::map);
  EXPECT_EQ(driver.counters(0).refaults, 0u);
}

EngineConfig with_marks() {
  EngineConfig config = plain_config({16_MiB});
  config.free_low = 4_MiB;
  config.free_high = 8_MiB;
  return config;
}

TEST(Eviction, RunsAheadBetweenTheWaterMarksWithSeveralInFlight) {
  EngineDriver driver{with_marks()};
  driver.create(0, 64_MiB);
  for (Bytes at; at < 12_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(0, at));
  EXPECT_EQ(driver.counters(0).evictions, 0u);  // 4 MiB are free
  const auto actions = driver.fault(gpu0, driver.at(0, 12_MiB));
  ASSERT_EQ(actions.size(), 4u);  // 2 MiB would be free: three more go, with the fault served first
  EXPECT_EQ(actions[0].operation, Operation::populate);
  for (std::size_t n = 1; n < 4; ++n) EXPECT_EQ(actions[n].reason, Reason::evict_ahead);
  driver.settle();
  EXPECT_EQ(driver.engine().in_use(gpu0), 8_MiB);
}

TEST(Eviction, NothingLeavesAheadWhenAllRangesFit) {
  EngineDriver driver{with_marks()};
  driver.create(0, 16_MiB);
  for (Bytes at; at < 16_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(0, at));
  EXPECT_EQ(driver.counters(0).evictions, 0u);
  EXPECT_EQ(driver.engine().in_use(gpu0), 16_MiB);
}

TEST(Eviction, DiscardableContentsAreNotCopiedOut) {
  EngineDriver driver{plain_config({2_MiB})};
  driver.create(0, 4_MiB, PageClass::page_2m, {.is_discardable = true});
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto eviction = driver.fault(gpu0, driver.at(0, 2_MiB));
  ASSERT_EQ(eviction.size(), 1u);
  EXPECT_EQ(eviction[0].operation, Operation::discard);
  EXPECT_EQ(eviction[0].reason, Reason::evict_discardable);
  driver.settle();
  EXPECT_EQ(driver.counters(0).bytes_out[by_eviction], 0_B);
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0);
  EXPECT_EQ(driver.counters(0).data_lost_granules, 0u);  // as the application allowed
  EXPECT_FALSE(driver.engine().is_lost(driver.at(0, 0_B)));
}

TEST(Eviction, BytesAreLostIfTheCopyThatMadeAnEvictionCleanDiesMeanwhile) {
  EngineConfig config = plain_config({2_MiB, 2_MiB});
  config.abilities.duplicates = true;
  EngineDriver driver{config};
  driver.create(0, 4_MiB, PageClass::page_2m, {.is_read_mostly = true});
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu1, driver.at(0, 0_B), Access::read);
  ASSERT_EQ(driver.residency(0).resident, 0b110);
  const auto eviction = driver.fault(gpu0, driver.at(0, 2_MiB));
  ASSERT_EQ(eviction.size(), 1u);
  ASSERT_EQ(eviction[0].operation, Operation::discard);
  driver.tell(DeviceLost{.at = driver.tick(), .device = gpu1});
  EXPECT_EQ(driver.counters(0).data_lost_granules, 0u) << "it may still be refused";
  driver.settle();
  EXPECT_EQ(driver.counters(0).data_lost_granules, 1u);
  EXPECT_TRUE(driver.engine().is_lost(driver.at(0, 0_B)));
}

TEST(Eviction, BlocksThatASequenceHasLeftBehindLeaveFirstTheNewestOfThemFirst) {
  EngineDriver driver{plain_config({10_MiB})};
  driver.create(0, 4_MiB);
  driver.create(1, 64_MiB, PageClass::page_2m, {.pattern = AccessPattern::streaming});
  driver.touch(gpu0, driver.at(0, 0_B));  // older than all of the stream
  for (Bytes at; at < 8_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(1, at));
  const auto eviction = driver.fault(gpu0, driver.at(1, 8_MiB));
  ASSERT_FALSE(eviction.empty());
  EXPECT_EQ(eviction[0].reason, Reason::evict_streaming);
  EXPECT_EQ(eviction[0].base, driver.at(1, 2_MiB));  // two behind the fault before
  driver.settle();
  EXPECT_EQ(driver.residency(0, 0_B).mapped, 0b10);
}

TEST(Eviction, APolicyThatDoesNotWorkAheadEvictsOnDemandAndInItsOwnOrderAlone) {
  EngineConfig config = with_marks();
  config.policy.works_ahead = false;
  EngineDriver driver{config};
  driver.create(0, 64_MiB, PageClass::page_2m, {.pattern = AccessPattern::streaming});
  for (Bytes at; at < 64_MiB; at += 2_MiB) driver.touch(host_processor, driver.at(0, at));
  for (Bytes at; at < 16_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(0, at));
  EXPECT_EQ(driver.counters(0).evictions, 0u);
  EXPECT_EQ(driver.counters(0).prefetched, 0_B);
  const auto eviction = driver.fault(gpu0, driver.at(0, 16_MiB));
  ASSERT_EQ(eviction.size(), 1u);
  EXPECT_EQ(eviction[0].reason, Reason::evict_for_demand);
  EXPECT_EQ(eviction[0].base, driver.at(0, 0_B));
}

TEST(Eviction, ACleanDuplicateIsPreferredAndCostsNoCopy) {
  EngineConfig config = plain_config({4_MiB});
  config.abilities.duplicates = true;
  EngineDriver driver{config};
  driver.create(0, 4_MiB);
  driver.create(1, 2_MiB, PageClass::page_2m, {.is_read_mostly = true});
  driver.touch(gpu0, driver.at(0, 0_B));  // dirty and older
  driver.touch(host_processor, driver.at(1, 0_B));
  driver.touch(gpu0, driver.at(1, 0_B), Access::read);
  const auto eviction = driver.fault(gpu0, driver.at(0, 2_MiB));
  ASSERT_EQ(eviction.size(), 1u);
  EXPECT_EQ(eviction[0].operation, Operation::discard);
  EXPECT_EQ(eviction[0].base, driver.at(1, 0_B));
  driver.settle();
  EXPECT_EQ(driver.counters(1).discarded_clean, 2_MiB);
  EXPECT_EQ(driver.residency(1).mapped, 0b01);
}

TEST(Eviction, BlocksFetchedAheadAndNotTouchedYetStayLongest) {
  EngineDriver driver{plain_config({6_MiB})};
  driver.create(0, 8_MiB);
  driver.create(1, 8_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.tell(
      PrefetchRequested{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .target = gpu0, .request = {1}});
  driver.settle();
  driver.touch(gpu0, driver.at(1, 0_B));
  driver.touch(gpu0, driver.at(1, 2_MiB));
  const auto eviction = driver.fault(gpu0, driver.at(1, 4_MiB));
  ASSERT_EQ(eviction.size(), 1u);
  EXPECT_EQ(eviction[0].base, driver.at(1, 0_B));
}

TEST(Eviction, EvenABlockThatThreadsWaitForGivesFramesWhenNothingElseCan) {
  EngineDriver driver{plain_config({64_KiB})};
  driver.create(0, 2_MiB, PageClass::page_64k);
  for (Bytes at; at < 2_MiB; at += 64_KiB) driver.touch(gpu0, driver.at(0, at));
  EXPECT_EQ(driver.counters(0).evictions, 31u);
}

}  // namespace
}  // namespace umrt
