// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

PrefetchRequested request(const EngineDriver& driver, ProcessorId target, Bytes begin, Bytes end) {
  return {.at = driver.now(), .range = {0}, .begin = begin, .end = end, .target = target, .request = {77}};
}

// Answers what is open and gives the RequestDone that comes of it.
std::vector<RequestDone> run(EngineDriver& driver, const PrefetchRequested& requested) {
  auto ended = EngineDriver::only<RequestDone>(driver.tell(requested));
  while (!driver.open().empty()) {
    const ActionDone done{.began = driver.now(),
                          .ended = driver.tick(),
                          .action = driver.open().front(),
                          .failed = {},
                          .outcome = Outcome::done};
    driver.forget_first();
    for (const RequestDone& one : EngineDriver::only<RequestDone>(driver.tell(done))) ended.push_back(one);
  }
  return ended;
}

TEST(PrefetchRequest, ToADeviceStagesWhatTheHostHas) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 8_MiB);
  for (const Bytes at : {0_B, 2_MiB, 4_MiB}) driver.touch(host_processor, driver.at(0, at));
  const auto ended = run(driver, request(driver, gpu0, 0_B, 8_MiB));
  EXPECT_EQ(ended, (std::vector<RequestDone>{{.request = {77}, .is_complete = true}}));
  EXPECT_EQ(driver.engine().in_use(gpu0), 6_MiB);
  EXPECT_EQ(driver.residency(0).resident, 0b11);
  EXPECT_EQ(driver.residency(0).mapped, 0);
  EXPECT_EQ(driver.counters(0).bytes_in[static_cast<std::size_t>(Cause::user)], 6_MiB);
}

TEST(PrefetchRequest, ToTheHostBringsBytesHomeAndFreesTheDevice) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 4_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  EXPECT_EQ(run(driver, request(driver, host_processor, 2_MiB, 4_MiB)).size(), 1u);
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0b10);
  EXPECT_EQ(driver.residency(0, 2_MiB).mapped, 0b01);
  EXPECT_EQ(driver.engine().in_use(gpu0), 2_MiB);
}

TEST(PrefetchRequest, OnlyTheGranulesAskedForMove) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 2_MiB, PageClass::page_64k);
  for (Bytes at; at < 2_MiB; at += 64_KiB) driver.touch(host_processor, driver.at(0, at));
  run(driver, request(driver, gpu0, 100_KiB, 200_KiB));  // granules 1 to 3
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0b01);
  EXPECT_EQ(driver.residency(0, 64_KiB).resident, 0b11);
  EXPECT_EQ(driver.residency(0, 192_KiB).resident, 0b11);
  EXPECT_EQ(driver.residency(0, 256_KiB).resident, 0b01);
}

TEST(PrefetchRequest, FewBlocksAreInFlightAtATime) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 32_MiB);
  for (Bytes at; at < 32_MiB; at += 2_MiB) driver.touch(host_processor, driver.at(0, at));
  const auto actions = driver.blocks_of(driver.tell(request(driver, gpu0, 0_B, 32_MiB)));
  EXPECT_EQ(actions.size(), 4u);
  for (const BlockAction& action : actions) EXPECT_EQ(action.reason, Reason::prefetch_user);
}

TEST(PrefetchRequest, OlderBlocksMakeRoomAndWhatFindsNoneIsGivenUp) {
  EngineDriver driver{plain_config({4_MiB})};
  driver.create(1, 4_MiB);
  driver.touch(gpu0, driver.at(1, 0_B));
  driver.touch(gpu0, driver.at(1, 2_MiB));
  driver.create(0, 8_MiB);
  for (Bytes at; at < 8_MiB; at += 2_MiB) driver.touch(host_processor, driver.at(0, at));
  const auto ended = run(driver, request(driver, gpu0, 0_B, 8_MiB));
  EXPECT_EQ(ended, (std::vector<RequestDone>{{.request = {77}, .is_complete = false}}));
  EXPECT_EQ(driver.residency(0, 0_B).resident, 0b11);
  EXPECT_EQ(driver.residency(0, 6_MiB).resident, 0b01);
  EXPECT_EQ(driver.residency(1, 0_B).resident, 0b01);
}

TEST(PrefetchRequest, OfAFreedRangeOrWithPrefetchesOffIsAnsweredAtOnce) {
  EngineConfig config = plain_config();
  config.prefetches = false;
  EngineDriver driver{config};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  const auto actions = driver.tell(request(driver, gpu0, 0_B, 2_MiB));
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(std::get<RequestDone>(actions[0]), (RequestDone{.request = {77}, .is_complete = false}));
}

TEST(PrefetchRequest, EndsWhenItsRangeIsFreed) {
  EngineDriver driver{plain_config({64_MiB})};
  driver.create(0, 32_MiB);
  for (Bytes at; at < 32_MiB; at += 2_MiB) driver.touch(host_processor, driver.at(0, at));
  driver.tell(request(driver, gpu0, 0_B, 32_MiB));
  const auto actions = driver.tell(RangeFreed{.at = driver.tick(), .range = {0}, .request = {78}});
  EXPECT_EQ(driver.only<RequestDone>(actions), (std::vector<RequestDone>{{.request = {77}, .is_complete = false}}));
}

}  // namespace
}  // namespace umrt
