// SPDX-License-Identifier: Apache-2.0
#include "telemetry/engine_snapshot.h"

namespace umrt {

EngineSnapshot snapshot_of(const Engine& engine, std::uint32_t devices) {
  EngineSnapshot snapshot{.ranges = engine.ranges(), .devices = {}, .total = engine.total()};
  for (std::uint32_t d = 0; d < devices; ++d) {
    const ProcessorId device = device_processor(d);
    snapshot.devices.push_back({device, engine.budget(device), engine.in_use(device), engine.in_use_max(device)});
  }
  return snapshot;
}

}  // namespace umrt
