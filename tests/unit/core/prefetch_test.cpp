// SPDX-License-Identifier: Apache-2.0
#include "core/prefetch.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

EngineConfig whole_blocks(Bytes budget) {
  EngineConfig config = plain_config({budget});
  config.policy.make_fetch = plain::make_whole_block;
  return config;
}

void touch_all(EngineDriver& driver, ProcessorId processor, std::uint32_t range, Bytes bytes, Bytes step) {
  for (Bytes at; at < bytes; at += step) driver.touch(processor, driver.at(range, at));
}

TEST(Prefetch, TheFaultedGranuleIsMappedAndWhatIsFetchedAlongIsStagedAndStaysClean) {
  EngineDriver driver{whole_blocks(64_MiB)};
  driver.create(0, 2_MiB, PageClass::page_64k);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto in = driver.fault(gpu0, driver.at(0, 64_KiB));
  ASSERT_EQ(in.size(), 2u);
  EXPECT_EQ(in[0].granules, GranuleMask::one({1}));
  EXPECT_TRUE(in[0].is_mapped);
  EXPECT_EQ(in[0].cause, Cause::demand);
  EXPECT_EQ(in[1].granules, GranuleMask::first(32) - GranuleMask::one({1}));
  EXPECT_FALSE(in[1].is_mapped);
  EXPECT_TRUE(in[1].keeps_source);
  EXPECT_EQ(in[1].cause, Cause::prefetch);
}

TEST(Prefetch, TheFirstTouchOfAStagedGranuleMapsItAndDropsTheHostsCopy) {
  EngineDriver driver{whole_blocks(64_MiB)};
  driver.create(0, 2_MiB, PageClass::page_64k);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 0_B));
  EXPECT_EQ(driver.residency(0, 128_KiB).resident, 0b11);
  const auto map = driver.fault(gpu0, driver.at(0, 128_KiB));
  ASSERT_EQ(map.size(), 1u);
  EXPECT_EQ(map[0].operation, Operation::map);
  const auto drop = driver.done(map[0]);
  ASSERT_EQ(drop.size(), 1u);
  EXPECT_EQ(drop[0].operation, Operation::discard);
  EXPECT_EQ(drop[0].target, host_processor);
  driver.settle();
  EXPECT_EQ(driver.residency(0, 128_KiB).resident, 0b10);
  EXPECT_EQ(driver.counters(0).prefetched_used, 64_KiB);
}

TEST(Prefetch, MappingGrowsWithASequenceInTheBlock) {
  EngineDriver driver{whole_blocks(64_MiB)};
  driver.create(0, 2_MiB, PageClass::page_64k);
  driver.touch(host_processor, driver.at(0, 0_B));
  int faults = 0;
  for (Bytes at; at < 2_MiB; at += 64_KiB) {
    if (driver.residency(0, at).mapped == 0b10) continue;
    ++faults;
    driver.touch(gpu0, driver.at(0, at));
  }
  EXPECT_LE(faults, 7);
}

TEST(Prefetch, ADenseRangeIsFetchedMappedInOneAction) {
  EngineDriver driver{whole_blocks(64_MiB)};
  driver.create(0, 4_MiB, PageClass::page_64k);
  touch_all(driver, host_processor, 0, 4_MiB, 64_KiB);
  touch_all(driver, gpu0, 0, 2_MiB, 64_KiB);
  const auto in = driver.fault(gpu0, driver.at(0, 2_MiB));
  ASSERT_EQ(in.size(), 1u);
  EXPECT_EQ(in[0].granules, GranuleMask::first(32));
  EXPECT_TRUE(in[0].is_mapped);
}

TEST(Prefetch, WithPrefetchesOffOnlyTheFaultedGranuleMoves) {
  EngineConfig config = whole_blocks(64_MiB);
  config.prefetches = false;
  EngineDriver driver{config};
  driver.create(0, 2_MiB, PageClass::page_64k, {.pattern = AccessPattern::sequential});
  touch_all(driver, host_processor, 0, 2_MiB, 64_KiB);
  const auto in = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(in.size(), 1u);
  EXPECT_EQ(in[0].granules, GranuleMask::one({0}));
}

TEST(Prefetch, AscendingFaultsAreFetchedAheadWithoutAHint) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 20_MiB);
  touch_all(driver, host_processor, 0, 20_MiB, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  const auto third = driver.fault(gpu0, driver.at(0, 4_MiB));
  ASSERT_EQ(third.size(), 3u);  // the block itself and two ahead
  EXPECT_EQ(third[0].cause, Cause::demand);
  for (const int n : {1, 2}) {
    EXPECT_EQ(third[static_cast<std::size_t>(n)].reason, Reason::prefetch_sequential);
    EXPECT_FALSE(third[static_cast<std::size_t>(n)].is_mapped);
  }
  EXPECT_EQ(third[1].base, driver.at(0, 6_MiB));
  EXPECT_EQ(third[2].base, driver.at(0, 8_MiB));
}

TEST(Prefetch, ASequentialHintFetchesAheadFromTheFirstFaultOn) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 20_MiB, PageClass::page_2m, {.pattern = AccessPattern::sequential});
  touch_all(driver, host_processor, 0, 20_MiB, 2_MiB);
  EXPECT_EQ(driver.fault(gpu0, driver.at(0, 0_B)).size(), 3u);
}

TEST(Prefetch, ARandomHintFetchesNothingAhead) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 20_MiB, PageClass::page_2m, {.pattern = AccessPattern::random});
  touch_all(driver, host_processor, 0, 20_MiB, 2_MiB);
  for (Bytes at; at < 8_MiB; at += 2_MiB) {
    EXPECT_EQ(driver.fault(gpu0, driver.at(0, at)).size(), 1u);
    driver.settle();
  }
}

TEST(Prefetch, AheadTakesNoFrameThatTheNextFaultWouldNeed) {
  EngineDriver driver{plain_config({6_MiB})};
  driver.create(0, 20_MiB, PageClass::page_2m, {.pattern = AccessPattern::sequential});
  touch_all(driver, host_processor, 0, 20_MiB, 2_MiB);
  EXPECT_EQ(driver.fault(gpu0, driver.at(0, 0_B)).size(), 2u);  // one ahead, one frame left for a fault
  driver.settle();
  for (Bytes at = 2_MiB; at < 20_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(0, at));
  EXPECT_EQ(driver.counters(0).prefetched_wasted, 0_B);
}

TEST(Prefetch, WhatLeavesUntouchedIsCountedAsWasted) {
  EngineDriver driver{whole_blocks(2_MiB)};
  driver.create(0, 2_MiB, PageClass::page_64k);
  driver.create(1, 2_MiB, PageClass::page_2m);
  touch_all(driver, host_processor, 0, 2_MiB, 64_KiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(1, 0_B));
  const Counters& counters = driver.counters(0);
  EXPECT_EQ(counters.prefetched, 2_MiB - 64_KiB);
  EXPECT_EQ(counters.prefetched_wasted, 2_MiB - 64_KiB);
  EXPECT_EQ(counters.discarded_clean, 2_MiB - 64_KiB);
  EXPECT_EQ(counters.bytes_out[static_cast<std::size_t>(Cause::eviction)], 64_KiB);
}

}  // namespace
}  // namespace umrt
