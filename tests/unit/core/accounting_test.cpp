// SPDX-License-Identifier: Apache-2.0
#include "core/accounting.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

constexpr auto reads = static_cast<std::size_t>(Access::read);
constexpr auto writes = static_cast<std::size_t>(Access::write);
constexpr auto by_demand = static_cast<std::size_t>(Cause::demand);

TEST(Accounting, FaultsAreCountedByProcessorAndAccessForTheRangeAndInTotal) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.create(1, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B), Access::write);
  driver.touch(gpu0, driver.at(0, 0_B), Access::read);
  driver.touch(gpu0, driver.at(1, 0_B), Access::read);
  EXPECT_EQ(driver.counters(0).faults[0][writes], 1u);
  EXPECT_EQ(driver.counters(0).faults[1][reads], 1u);
  EXPECT_EQ(driver.total().faults[1][reads], 2u);
}

TEST(Accounting, BytesAreCountedByDirectionAndResidenceFollows) {
  EngineDriver driver{plain_config()};
  driver.create(0, 4_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 0_B));
  driver.touch(gpu0, driver.at(0, 2_MiB));
  driver.touch(host_processor, driver.at(0, 0_B));
  const Counters& c = driver.counters(0);
  EXPECT_EQ(c.bytes_populated, 4_MiB);
  EXPECT_EQ(c.bytes_in[by_demand], 2_MiB);
  EXPECT_EQ(c.bytes_out[by_demand], 2_MiB);
  EXPECT_EQ(c.resident[0], 2_MiB);
  EXPECT_EQ(c.resident[1], 2_MiB);
}

TEST(Accounting, StallRunsFromADevicesFaultToItsAnswerAndTransferOverTheCopy) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB);
  driver.touch(host_processor, driver.at(0, 0_B));
  EXPECT_EQ(driver.total().stall, Ticks{});
  const Ticks faulted = driver.tick();
  const auto in = driver.blocks_of(
      driver.tell(Fault{.at = faulted, .processor = gpu0, .access = Access::read, .address = driver.at(0, 0_B)}));
  driver.tell(ActionDone{.began = {faulted.n + 300},
                         .ended = {faulted.n + 1000},
                         .action = in[0],
                         .failed = {},
                         .outcome = Outcome::done});
  EXPECT_EQ(driver.counters(0).stall, Ticks{1000});
  EXPECT_EQ(driver.counters(0).transfer, Ticks{700});
}

TEST(Accounting, HotnessHalvesEvery100Milliseconds) {
  EngineDriver driver{plain_config()};
  driver.create(0, 2_MiB, PageClass::page_64k);
  for (Bytes at; at < 1_MiB; at += 64_KiB) driver.touch(gpu0, driver.at(0, at));
  EXPECT_EQ(driver.counters(0).hotness, 16u);
  const Ticks later{driver.counters(0).last_use.n + 200'000'000};
  driver.tell(Fault{.at = later, .processor = gpu0, .address = driver.at(0, 1_MiB)});
  EXPECT_EQ(driver.counters(0).hotness, 5u);  // a quarter of 16, and one
  EXPECT_EQ(driver.counters(0).last_use, later);
}

TEST(Accounting, TotalsOfFaultsTellHostFromDevices) {
  Counters counters;
  counters.faults[0] = {3, 4};
  counters.faults[2] = {5, 0};
  const FaultTotals totals = fault_totals(counters, 4);
  EXPECT_EQ(totals.host, 7u);
  EXPECT_EQ(totals.device, 5u);
  EXPECT_EQ(totals.devices, 1u);
}

}  // namespace
}  // namespace umrt
