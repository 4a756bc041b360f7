// SPDX-License-Identifier: Apache-2.0
// A software device and its session, for tests of what the contract suite does not ask of every device.
#pragma once

#include <gtest/gtest.h>

#include "device/soft/soft_device.h"
#include "support/device_session.h"

namespace umrt::test {

class SoftDeviceTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t workers = 2;
  static constexpr ProcessorId gpu = device_processor(0);

  void SetUp() override {
    auto made = make_soft_device(
        {.device_budgets = {soft_budget_min(workers)}, .workers = workers, .copy_threads = 1, .arena_bytes = 16_GiB});
    ASSERT_TRUE(made) << made.error().detail;
    device = std::move(*made);
    session.emplace(*device);
    block = device->arena().huge_begin;
  }

  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(device->arena().pointer(block)); }

  BlockAction at_host(Operation operation) {
    BlockAction action;
    action.operation = operation;
    action.target = host_processor;
    action.base = block;
    action.granules = GranuleMask::first(1);
    return action;
  }
  BlockAction migration(ProcessorId source, ProcessorId target) {
    BlockAction action = at_host(Operation::migrate);
    action.source = source;
    action.target = target;
    return action;
  }

  std::unique_ptr<Device> device;
  std::optional<DeviceSession> session;
  Address block;
};

}  // namespace umrt::test
