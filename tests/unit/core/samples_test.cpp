// SPDX-License-Identifier: Apache-2.0
#include "core/samples.h"

#include <gtest/gtest.h>

#include "support/engine_driver.h"

namespace umrt {
namespace {

EngineConfig with_samples() {
  EngineConfig config = plain_config({64_MiB});
  config.abilities.samples = true;
  return config;
}

std::vector<BlockAction> sample(EngineDriver& driver, std::uint64_t random, std::uint32_t samples) {
  return driver.blocks_of(driver.tell(TimePassed{.at = driver.tick(), .random = random, .samples = samples}));
}

TEST(Samples, UnmapWhatIsMappedOnADeviceAndSeeItsNextTouch) {
  EngineDriver driver{with_samples()};
  driver.create(0, 2_MiB);
  driver.touch(gpu0, driver.at(0, 0_B));
  const auto unmap = sample(driver, 1, 3);
  ASSERT_EQ(unmap.size(), 1u);  // there is one granule, and it is sampled once
  EXPECT_EQ(unmap[0].operation, Operation::unmap);
  EXPECT_EQ(unmap[0].reason, Reason::sample);
  driver.settle();
  EXPECT_EQ(driver.counters(0).samples, 1u);
  EXPECT_EQ(driver.counters(0).samples_touched, 0u);
  driver.touch(gpu0, driver.at(0, 0_B));
  EXPECT_EQ(driver.counters(0).samples_touched, 1u);
  EXPECT_EQ(driver.residency(0).mapped, 0b10);
}

TEST(Samples, DoNotTouchTheHostNorADeviceThatCannotUnmapCheaply) {
  EngineDriver host_only{with_samples()};
  host_only.create(0, 2_MiB);
  host_only.touch(host_processor, host_only.at(0, 0_B));
  EXPECT_TRUE(sample(host_only, 1, 8).empty());
  EngineDriver without{plain_config()};
  without.create(0, 2_MiB);
  without.touch(gpu0, without.at(0, 0_B));
  EXPECT_TRUE(sample(without, 1, 8).empty());
}

TEST(Samples, AreAsManyAsAskedForAndChosenByTheRandomNumberAlone) {
  std::vector<BlockAction> chosen[3];
  const std::uint64_t seeds[3] = {5, 5, 6};
  for (int n = 0; n < 3; ++n) {
    EngineDriver driver{with_samples()};
    driver.create(0, 64_MiB);
    for (Bytes at; at < 64_MiB; at += 2_MiB) driver.touch(gpu0, driver.at(0, at));
    chosen[n] = sample(driver, seeds[n], 4);
    EXPECT_EQ(chosen[n].size(), 4u);
  }
  EXPECT_EQ(chosen[0], chosen[1]);
  EXPECT_NE(chosen[0], chosen[2]);
}

}  // namespace
}  // namespace umrt
