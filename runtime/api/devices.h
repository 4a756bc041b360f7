// SPDX-License-Identifier: Apache-2.0
// The table of devices: which kinds there are and how one is made.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "api/start_options.h"
#include "device/device.h"

namespace umrt {

struct DeviceRow {
  std::string_view name, summary;
  Bytes (*default_budget)();
  Bytes (*budget_min)(const StartOptions& options);
  // On the thread that will own it.
  Result<std::unique_ptr<Device>> (*make)(const StartOptions& options);
};

std::span<const DeviceRow> device_rows();
const DeviceRow* find_device(std::string_view name);  // nullptr: no such kind

}  // namespace umrt
