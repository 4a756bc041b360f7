// SPDX-License-Identifier: Apache-2.0
#include "core/range_life.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

RangeFreed freed(EngineDriver& driver, std::uint32_t id) {
  return {.at = driver.tick(), .range = {id}, .request = {90 + id}};
}

TEST(RangeLife, ARangeOfTheHostAloneIsReleasedAtOnce) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto actions = driver.tell(freed(driver, 0));
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(
      std::get<RangeReleased>(actions[0]),
      (RangeReleased{.range = {0}, .base = {0}, .bytes = 2_MiB, .page_class = PageClass::page_2m, .request = {90}}));
  EXPECT_FALSE(driver.engine().range_at({0}).has_value());
}

TEST(RangeLife, DeviceFramesComeBackWithoutACopyBeforeTheRelease) {
  EngineDriver driver{plain_config()};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto actions = driver.tell(freed(driver, 0));
  EXPECT_TRUE(driver.only<RangeReleased>(actions).empty());
  const auto discard = driver.blocks_of(actions);
  ASSERT_EQ(discard.size(), 1u);
  EXPECT_EQ(discard[0].operation, Operation::discard);
  EXPECT_EQ(discard[0].reason, Reason::free_range);
  driver.settle();
  EXPECT_FALSE(driver.engine().range_at({0}).has_value());
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
}

TEST(RangeLife, AFreeWhileBytesAreInFlightWaitsForThemToLand) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  const auto populate = driver.fault(gpu0, driver.at(0, 0_B));
  EXPECT_TRUE(driver.tell(freed(driver, 0)).empty());
  const auto discard = driver.done(populate[0]);
  ASSERT_EQ(discard.size(), 1u);
  driver.settle();
  EXPECT_FALSE(driver.engine().range_at({0}).has_value());
}

TEST(RangeLife, AThreadThatFaultsInAFreedRangeIsWokenByTheRelease) {
  EngineDriver driver{plain_config()};
  driver.create(0, 4_MiB);
  const auto populate = driver.fault(gpu0, driver.at(0, 0_B));
  driver.tell(freed(driver, 0));
  EXPECT_TRUE(driver.fault(host_processor, driver.at(0, 2_MiB)).empty());
  const auto discard = driver.done(populate[0]);
  driver.forget_first();
  const auto last = driver.tell(ActionDone{
      .began = driver.now(), .ended = driver.tick(), .action = discard[0], .failed = {}, .outcome = Outcome::done});
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(std::get<BlockAction>(last[0]).operation, Operation::wake);
  EXPECT_TRUE(std::holds_alternative<RangeReleased>(last[1]));
}

TEST(RangeLife, ADiscardThatFailsIsTriedAgainBeforeTheRelease) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto discard = driver.blocks_of(driver.tell(freed(driver, 0)));
  EXPECT_TRUE(driver.done(discard[0], Outcome::pinned).empty());
  EXPECT_EQ(driver.pass_time(*driver.engine().deadline()).size(), 1u);
  driver.settle();
  EXPECT_FALSE(driver.engine().range_at({0}).has_value());
}

TEST(RangeLife, IdsAddressesAndBlocksAreUsedAgain) {
  EngineDriver driver{plain_config()};
  for (int n = 0; n < 3; ++n) {
    driver.create(0, 2_MiB);
    driver.touch(gpu0, driver.at(0, 0_B));
    EXPECT_EQ(driver.counters(0).bytes_populated, 2_MiB);
    driver.tell(freed(driver, 0));
    driver.settle();
  }
  EXPECT_EQ(driver.total().bytes_populated, 6_MiB);
}

TEST(RangeLife, AdviceCountsForTheBlocksItNamesAndIsAnswered) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 8_MiB);
  const auto actions = driver.tell(RangeAdvised{
      .at = driver.now(), .range = {0}, .begin = 4_MiB, .end = 8_MiB, .hints = {.preferred = gpu0}, .request = {7}});
  EXPECT_EQ(driver.only<RequestDone>(actions), (std::vector<RequestDone>{{.request = {7}, .is_complete = true}}));
  EXPECT_EQ(driver.fault(gpu0, driver.at(0, 0_B))[0].reason, Reason::first_touch);
  EXPECT_EQ(driver.fault(gpu0, driver.at(0, 4_MiB))[0].reason, Reason::hint_preferred_location);
}

TEST(RangeLife, UnsettingReadMostlyEndsDuplicates) {
  EngineConfig config = plain_config();
  config.abilities.duplicates = true;
  EngineDriver driver{config};
  driver.create(0, 2_MiB, PageClass::page_2m, {.is_read_mostly = true});
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 0_B), Access::read);
  driver.tell(RangeAdvised{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .hints = {}, .request = {7}});
  driver.settle();
  EXPECT_EQ(driver.residency(0).resident, 0b01);
  driver.touch(gpu0, driver.at(0, 0_B), Access::read);
  EXPECT_EQ(driver.residency(0).mapped, 0b10);
}

TEST(RangeLife, RangesAreListedByAddress) {
  EngineDriver driver{plain_config()};
  driver.create(4, 2_MiB);
  driver.create(1, 4_MiB);
  const auto ranges = driver.engine().ranges();
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].range, RangeId{1});
  EXPECT_EQ(ranges[1].base, driver.at(4, 0_B));
}

}  // namespace
}  // namespace umrt
