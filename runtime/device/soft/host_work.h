// SPDX-License-Identifier: Apache-2.0
// The host's step of a migration: the application's page table and the copies between processes. Runs on a copy thread
// or on the service thread; touches nothing but the granules of its job.
#pragma once

#include <array>

#include "device/soft/device_unit.h"
#include "device/soft/host_view.h"

namespace umrt::soft {

// What a job hands to its host step, and what comes back.
struct HostStep {
  BlockAction action;
  GranuleMask granules;  // of the action: what has not failed so far
  // Places in the device processes of source and target; only where there is one.
  std::array<std::byte*, 32> source_places{}, target_places{};
  DeviceCopies *source = nullptr, *target = nullptr;

  GranuleMask failed;  // out
  int error = 0;       // out: the last errno
};

// `bounce`: 2 MiB for copies from device to device.
void run_host_step(HostView& host, HostStep& step, std::byte* bounce) noexcept;

}  // namespace umrt::soft
