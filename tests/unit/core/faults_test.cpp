// SPDX-License-Identifier: Apache-2.0
#include "core/faults.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

EngineConfig with_duplicates(std::vector<Bytes> budgets) {
  EngineConfig config = plain_config(std::move(budgets));
  config.abilities.duplicates = true;
  return config;
}

TEST(Faults, AFirstTouchPopulatesWhereItHappens) {
  EngineDriver driver{plain_config()};
  driver.create(0, 4_MiB);
  const auto on_host = driver.fault(host_processor, driver.at(0, 0_B));
  ASSERT_EQ(on_host.size(), 1u);
  EXPECT_EQ(on_host[0].operation, Operation::populate);
  EXPECT_EQ(on_host[0].target, host_processor);
  EXPECT_TRUE(on_host[0].is_mapped);
  const auto on_device = driver.fault(gpu0, driver.at(0, 2_MiB));
  ASSERT_EQ(on_device.size(), 1u);
  EXPECT_EQ(on_device[0].target, gpu0);
  EXPECT_EQ(on_device[0].base, driver.at(0, 2_MiB));
}

TEST(Faults, BytesMoveToWhoeverTouchesThem) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto in = driver.fault(gpu0, driver.at(0, 5_B), Access::write);
  ASSERT_EQ(in.size(), 1u);
  EXPECT_EQ(in[0].operation, Operation::migrate);
  EXPECT_EQ(in[0].source, host_processor);
  EXPECT_TRUE(in[0].is_mapped);
  EXPECT_FALSE(in[0].keeps_source);
  driver.settle();
  EXPECT_EQ(driver.residency(0).mapped, 0b10);
  driver.touch(host_processor, driver.at(0, 0_B));
  EXPECT_EQ(driver.residency(0).mapped, 0b01);
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
}

TEST(Faults, BytesMoveFromDeviceToDeviceDirectly) {
  EngineDriver driver{plain_config({8_MiB, 8_MiB})};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto across = driver.fault(gpu1, driver.at(0, 0_B));
  ASSERT_EQ(across.size(), 1u);
  EXPECT_EQ(across[0].source, gpu0);
  EXPECT_EQ(across[0].target, gpu1);
  driver.settle();
  EXPECT_EQ(driver.total().bytes_peer[0], 2_MiB);
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
}

TEST(Faults, AFaultOnWhatIsMappedAlreadyIsWoken) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto late = driver.fault(gpu0, driver.at(0, 9_B));
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].operation, Operation::wake);
  EXPECT_EQ(late[0].target, gpu0);
}

TEST(Faults, AProtectionThatNobodyNeedsIsEnded) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto answer = driver.blocks_of(driver.tell(Fault{.at = driver.tick(),
                                                         .processor = gpu0,
                                                         .access = Access::write,
                                                         .is_protection = true,
                                                         .address = driver.at(0, 9_B)}));
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].operation, Operation::unprotect);
  EXPECT_EQ(answer[0].target, gpu0);
  EXPECT_TRUE(driver.done(answer[0]).empty());
}

TEST(Faults, SeveralThreadsOnOneGranuleAreOneAction) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  const auto first = driver.fault(gpu0, driver.at(0, 0_B));
  EXPECT_TRUE(driver.fault(gpu0, driver.at(0, 1_MiB)).empty());
  // The mapping has woken those who waited by then; one that came later may have been missed and is woken again.
  const auto woken = driver.done(first[0]);
  ASSERT_EQ(woken.size(), 1u);
  EXPECT_EQ(woken[0].operation, Operation::wake);
}

TEST(Faults, TwoProcessorsOnOneGranuleBothGetItInTurn) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  const auto device = driver.fault(gpu0, driver.at(0, 0_B));
  EXPECT_TRUE(driver.fault(host_processor, driver.at(0, 0_B)).empty());
  const auto then = driver.done(device[0]);
  ASSERT_EQ(then.size(), 1u);
  EXPECT_EQ(then[0].operation, Operation::migrate);
  EXPECT_EQ(then[0].target, host_processor);
}

TEST(Faults, OutsideOfEveryRangeNothingIsDone) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  EXPECT_TRUE(driver.fault(gpu0, driver.at(3, 0_B)).empty());
}

TEST(Faults, AFaultThatNeedsAFrameWaitsForAnEviction) {
  EngineDriver driver{plain_config({2_MiB})};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto eviction = driver.fault(gpu0, driver.at(0, 2_MiB));
  ASSERT_EQ(eviction.size(), 1u);
  EXPECT_EQ(eviction[0].reason, Reason::evict_for_demand);
  const auto answer = driver.done(eviction[0]);
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].operation, Operation::populate);
  EXPECT_EQ(driver.engine().in_use_max(gpu0), 2_MiB);
}

TEST(Faults, ReadsOfAReadMostlyRangeDuplicateAndAWriteEndsThat) {
  EngineDriver driver{with_duplicates({8_MiB})};
  driver.create(0, 2_MiB, PageClass::page_2m, {.is_read_mostly = true});
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto copy = driver.fault(gpu0, driver.at(0, 0_B), Access::read);
  ASSERT_EQ(copy.size(), 1u);
  EXPECT_EQ(copy[0].operation, Operation::duplicate);
  driver.settle();
  EXPECT_EQ(driver.residency(0).mapped, 0b11);

  const auto drop = driver.fault(gpu0, driver.at(0, 0_B), Access::write);
  ASSERT_EQ(drop.size(), 1u);
  EXPECT_EQ(drop[0].operation, Operation::discard);
  EXPECT_EQ(drop[0].target, host_processor);
  EXPECT_EQ(drop[0].reason, Reason::collapse_write);
  const auto unprotect = driver.done(drop[0]);
  ASSERT_EQ(unprotect.size(), 1u);
  EXPECT_EQ(unprotect[0].operation, Operation::unprotect);
  driver.settle();
  EXPECT_EQ(driver.residency(0).mapped, 0b10);
}

TEST(Faults, AWriterWithoutACopyGetsTheOnlyOne) {
  EngineDriver driver{with_duplicates({8_MiB, 8_MiB})};
  driver.create(0, 2_MiB, PageClass::page_2m, {.is_read_mostly = true});
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 0_B), Access::read);
  driver.touch(gpu1, driver.at(0, 0_B), Access::write);
  EXPECT_EQ(driver.residency(0).resident, 0b100);
  EXPECT_EQ(driver.residency(0).mapped, 0b100);
}

TEST(Faults, AMigrationRightAfterAnotherIsHeldAndThenServed) {
  EngineConfig config = plain_config();
  config.policy.make_thrashing = plain::make_always_holds;
  EngineDriver driver{config};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 0_B));
  EXPECT_TRUE(driver.fault(host_processor, driver.at(0, 0_B)).empty());
  EXPECT_EQ(driver.counters(0).thrashing_holds, 1u);
  EXPECT_EQ(driver.counters(0).placement, Reason::thrashing_hold);
  const auto deadline = driver.engine().deadline();
  ASSERT_TRUE(deadline.has_value());
  const auto served = driver.pass_time(*deadline);
  ASSERT_EQ(served.size(), 1u);
  EXPECT_EQ(served[0].target, host_processor);
}

}  // namespace
}  // namespace umrt
