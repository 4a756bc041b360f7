// SPDX-License-Identifier: Apache-2.0
#include "core/remote.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

const Hints remote_hints{.preferred = host_processor, .accessed_by = 1u << gpu0.n};

EngineConfig with_remote() {
  EngineConfig config = plain_config();
  config.abilities.remote_map = true;
  return config;
}

// Answers block actions until a RemoteAction comes.
std::vector<RemoteAction> until_remote(EngineDriver& driver, std::vector<Action> actions) {
  for (;;) {
    const auto found = driver.only<RemoteAction>(actions);
    if (!found.empty() || driver.open().empty()) return found;
    const ActionDone done{.began = driver.now(),
                          .ended = driver.tick(),
                          .action = driver.open().front(),
                          .failed = {},
                          .outcome = Outcome::done};
    driver.forget_first();
    actions = driver.tell(done);
  }
}

std::vector<Action> device_fault(EngineDriver& driver) {
  return driver.tell(Fault{.at = driver.tick(), .processor = gpu0, .address = driver.at(0, 0_B)});
}

TEST(Remote, ARangeThatThePreferredHostSharesIsGatheredAndMappedOnce) {
  EngineDriver driver{with_remote()};
  driver.create(0, 4_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  driver.tell(RangeAdvised{
      .at = driver.now(), .range = {0}, .begin = 0_B, .end = 4_MiB, .hints = remote_hints, .request = {1}});
  const auto remote = until_remote(driver, device_fault(driver));
  ASSERT_EQ(remote.size(), 1u);
  EXPECT_EQ(remote[0], (RemoteAction{.range = {0}, .base = {0}, .bytes = 4_MiB, .is_remote = true}));
  const auto woken = driver.blocks_of(driver.tell(RemoteDone{.at = driver.tick(), .range = {0}}));
  ASSERT_EQ(woken.size(), 1u);
  EXPECT_EQ(woken[0].operation, Operation::wake);
  EXPECT_TRUE(driver.residency(0).is_remote);
  EXPECT_EQ(driver.counters(0).resident_remote, 4_MiB);
  EXPECT_EQ(driver.engine().in_use(gpu0), 0_B);
  EXPECT_EQ(driver.counters(0).placement, Reason::hint_remote);
}

TEST(Remote, ARefusedMappingFallsBackToMigrationForGood) {
  EngineDriver driver{with_remote()};
  driver.create(0, 2_MiB, PageClass::page_2m, remote_hints);
  ASSERT_EQ(until_remote(driver, device_fault(driver)).size(), 1u);
  const auto moved = driver.blocks_of(
      driver.tell(RemoteDone{.at = driver.tick(), .range = {0}, .is_remote = false, .is_done = false}));
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].operation, Operation::populate);
  EXPECT_EQ(moved[0].target, gpu0);
}

TEST(Remote, WhoQueuesBehindAWaiterOfTheRangeIsServedWhenThatOneLeavesTheQueue) {
  EngineConfig config = plain_config({2_MiB});
  config.abilities.remote_map = true;
  EngineDriver driver{config};
  driver.create(0, 4_MiB);
  driver.create(1, 2_MiB);
  driver.touch(gpu0, driver.at(1, 0_B));
  driver.tell(PrefetchRequested{
      .at = driver.now(), .range = {1}, .begin = 0_B, .end = 2_MiB, .target = host_processor, .request = {1}});
  ASSERT_EQ(driver.open().size(), 1u);
  const BlockAction leaving = driver.open().front();
  ASSERT_TRUE(driver.fault(gpu0, driver.at(1, 0_B)).empty()) << "waits for what is in flight";
  ASSERT_TRUE(driver.fault(gpu0, driver.at(0, 0_B)).empty()) << "queues for the frame";
  driver.tell(RangeAdvised{
      .at = driver.now(), .range = {0}, .begin = 0_B, .end = 4_MiB, .hints = remote_hints, .request = {2}});
  const auto began = driver.tell(Fault{.at = driver.tick(), .processor = gpu0, .address = driver.at(0, 2_MiB)});
  ASSERT_EQ(driver.only<RemoteAction>(began).size(), 1u);
  const auto served = driver.done(leaving);
  ASSERT_EQ(served.size(), 1u);
  EXPECT_EQ(served[0].operation, Operation::migrate);
  EXPECT_EQ(served[0].target, gpu0);
}

TEST(Remote, UnsettingTheHintEndsTheMappingAndTheBytesMigrateAgain) {
  EngineDriver driver{with_remote()};
  driver.create(0, 2_MiB, PageClass::page_2m, remote_hints);
  until_remote(driver, device_fault(driver));
  driver.tell(RemoteDone{.at = driver.tick(), .range = {0}});
  const auto ended = driver.only<RemoteAction>(driver.tell(
      RangeAdvised{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .hints = {}, .request = {1}}));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_FALSE(ended[0].is_remote);
  EXPECT_TRUE(ended[0].keeps_bytes);
  driver.tell(RemoteDone{.at = driver.tick(), .range = {0}, .is_remote = false});
  EXPECT_EQ(driver.counters(0).resident_remote, 0_B);
  EXPECT_EQ(driver.residency(0).mapped, 1u);  // at the host
  const auto in = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(in.size(), 1u);
  EXPECT_EQ(in[0].operation, Operation::migrate);
}

TEST(Remote, ARemoteRangeIsUnmappedBeforeItIsReleased) {
  EngineDriver driver{with_remote()};
  driver.create(0, 2_MiB, PageClass::page_2m, remote_hints);
  until_remote(driver, device_fault(driver));
  driver.tell(RemoteDone{.at = driver.tick(), .range = {0}});
  const auto freed = driver.tell(RangeFreed{.at = driver.tick(), .range = {0}, .request = {2}});
  ASSERT_EQ(freed.size(), 1u);
  EXPECT_FALSE(std::get<RemoteAction>(freed[0]).is_remote);
  EXPECT_FALSE(std::get<RemoteAction>(freed[0]).keeps_bytes);
  const auto last = driver.tell(RemoteDone{.at = driver.tick(), .range = {0}, .is_remote = false});
  EXPECT_EQ(driver.only<RangeReleased>(last).size(), 1u);
}

TEST(Remote, UnsettingTheHintCallsOffARangeThatIsStillComingHome) {
  EngineDriver driver{with_remote()};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 2_MiB));
  driver.tell(RangeAdvised{
      .at = driver.now(), .range = {0}, .begin = 0_B, .end = 4_MiB, .hints = remote_hints, .request = {1}});
  device_fault(driver);  // block 1 comes home
  driver.tell(RangeAdvised{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 4_MiB, .hints = {}, .request = {2}});
  driver.settle();
  EXPECT_FALSE(driver.residency(0).is_remote);
  EXPECT_EQ(driver.residency(0).mapped, 2u);  // the fault was answered at the device
}

TEST(Remote, UnsettingTheHintWhileItIsBeingMappedEndsItAtOnce) {
  EngineDriver driver{with_remote()};
  driver.create(0, 2_MiB, PageClass::page_2m, remote_hints);
  ASSERT_EQ(until_remote(driver, device_fault(driver)).size(), 1u);
  driver.tell(RangeAdvised{.at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .hints = {}, .request = {1}});
  const auto ended = driver.only<RemoteAction>(driver.tell(RemoteDone{.at = driver.tick(), .range = {0}}));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_FALSE(ended[0].is_remote);
}

TEST(Remote, APrefetchOfARangeThatBecomesRemoteIsGivenUp) {
  EngineConfig config = with_remote();
  config.prefetches_in_flight_max = 1;
  EngineDriver driver{config};
  driver.create(0, 6_MiB);
  for (const Bytes offset : {0_B, 2_MiB, 4_MiB}) driver.touch(host_processor, driver.at(0, offset));
  driver.tell(RangeAdvised{
      .at = driver.now(), .range = {0}, .begin = 0_B, .end = 6_MiB, .hints = remote_hints, .request = {1}});
  driver.tell(PrefetchRequested{
      .at = driver.tick(), .range = {0}, .begin = 2_MiB, .end = 6_MiB, .target = gpu0, .request = {2}});
  const auto given_up = driver.only<RequestDone>(device_fault(driver));
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].request, RequestId{2});
  EXPECT_FALSE(given_up[0].is_complete);
  EXPECT_EQ(until_remote(driver, {}).size(), 1u);
}

TEST(Remote, AWaitThatIsOverIsNoDeadlineWhileTheRangeChanges) {
  EngineDriver driver{with_remote()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto moves = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(moves.size(), 1u);
  driver.done(moves[0], Outcome::pinned);  // the waiter backs off
  ASSERT_TRUE(driver.engine().deadline().has_value());
  driver.tell(RangeAdvised{
      .at = driver.now(), .range = {0}, .begin = 0_B, .end = 2_MiB, .hints = remote_hints, .request = {1}});
  driver.tick();
  const auto gather = driver.pass_time(*driver.engine().deadline());
  ASSERT_EQ(gather.size(), 1u);
  driver.done(gather[0], Outcome::pinned);  // again, on the way to a remote mapping
  const auto again = driver.pass_time(*driver.engine().deadline() + Ticks{1'000'000'000});
  ASSERT_EQ(again.size(), 1u);
  EXPECT_FALSE(driver.engine().deadline().has_value());
}

TEST(Remote, WithoutTheAbilityTheHintMigrates) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB, PageClass::page_2m, remote_hints);
  const auto moved = driver.fault(gpu0, driver.at(0, 0_B));
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].reason, Reason::hint_remote);
}

}  // namespace
}  // namespace umrt
