// SPDX-License-Identifier: Apache-2.0
// What the recorder looks at, as plain data: tests make one by hand, the service thread takes it from its engine.
#pragma once

#include <vector>

#include "core/engine.h"

namespace umrt {

struct DeviceView {
  ProcessorId device;
  Bytes budget, in_use, in_use_max;
};

struct EngineSnapshot {
  std::vector<RangeView> ranges;    // their counters are the engine's: valid until its next step
  std::vector<DeviceView> devices;  // all of them, in order
  Counters total;
};

EngineSnapshot snapshot_of(const Engine& engine, std::uint32_t devices);

}  // namespace umrt
