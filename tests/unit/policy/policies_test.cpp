// SPDX-License-Identifier: Apache-2.0
#include "policy/policies.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/model_device.h"

namespace umrt {
namespace {

TEST(Policies, AreFoundByTheirNamesAndNoOthers) {
  ASSERT_NE(find_policy("lru"), nullptr);
  ASSERT_NE(find_policy("uvm"), nullptr);
  EXPECT_EQ(find_policy("uvm")->name, "uvm");
  EXPECT_EQ(find_policy(""), nullptr);
  EXPECT_EQ(find_policy("LRU"), nullptr);
}

TEST(Policies, EveryRowHasANameOfItsOwnASummaryAndAllParts) {
  std::set<std::string> names;
  for (const PolicyRow& row : policies()) {
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_NE(row.make.make_eviction(), nullptr) << row.name;
    EXPECT_NE(row.make.make_fetch(), nullptr) << row.name;
    EXPECT_NE(row.make.make_thrashing(), nullptr) << row.name;
  }
}

TEST(Policies, EveryPolicyCarriesASweepOverTwiceTheBudgetThrough) {
  for (const PolicyRow& row : policies()) {
    EngineConfig config;
    config.device_budgets = {8_MiB};
    config.policy = row.make;
    model::ModelDevice model{config, 1};
    model.create(
        {.at = {1}, .range = {0}, .base = {0}, .bytes = 16_MiB, .page_class = PageClass::page_64k, .hints = {}});
    for (int pass = 0; pass < 2; ++pass) {
      for (Bytes at; at < 16_MiB; at += 64_KiB) {
        model.access(device_processor(0), static_cast<std::uint32_t>(at.n / 65536 % 2), {at.n}, Access::write);
      }
    }
    model.run();
    EXPECT_EQ(model.accesses_done(), 512u) << row.name;
  }
}

}  // namespace
}  // namespace umrt
