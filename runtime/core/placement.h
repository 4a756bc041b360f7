// SPDX-License-Identifier: Apache-2.0
// Where a granule that was faulted on shall be: a table of named rules, the first that applies decides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/counters.h"
#include "core/engine.h"

namespace umrt {

enum class Placement : std::uint8_t {
  move_here,  // to the processor that faulted
  duplicate,  // readable here and where it is
  remote,     // stays in system memory, mapped; where the device cannot do that: as move_here
  hold,       // stays where it is for a while
};

struct PlacementFacts {
  ProcessorId processor;  // that faulted
  Access access = Access::read;
  Hints hints;
  DeviceAbilities abilities;
  bool is_absent = false;  // nowhere yet
  bool is_held = false;    // by the thrashing policy
  bool is_sparse = false;  // a fifth at most of what came to devices was used
  std::uint16_t hotness = 0;
  Bytes range_bytes;
  Bytes device_budget;
  std::uint64_t faults_host = 0;  // of the range
  std::uint64_t faults_device = 0;
  std::uint32_t devices_faulting = 0;
  Bytes returned;              // brought back from devices by the host's faults
  std::uint64_t launches = 0;  // kernels that have ended since the range was made
};

struct PlacementRule {
  Reason reason;
  Placement placement;
  bool (*applies)(const PlacementFacts&);
};

std::span<const PlacementRule> placement_rules();

struct PlacementDecision {
  Placement placement = Placement::move_here;
  Reason reason = Reason::first_touch;
};
PlacementDecision decide_placement(const PlacementFacts& facts);

}  // namespace umrt
