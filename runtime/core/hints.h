// SPDX-License-Identifier: Apache-2.0
// What the application knows of a range, and which rule made a decision.
#pragma once

#include <cstdint>

#include "core/processor.h"

namespace umrt {

enum class AccessPattern : std::uint8_t { unknown, sequential, random, streaming };  // streaming: touched once

constexpr bool is_swept(AccessPattern pattern) {  // in address order
  return pattern == AccessPattern::sequential || pattern == AccessPattern::streaming;
}

struct Hints {
  ProcessorId preferred = no_processor;  // preferred location; a host node is in `preferred_node`
  std::int16_t preferred_node = -1;      // of the host; -1: any
  std::uint16_t accessed_by = 0;         // bit n: processor n should have a mapping without migrating
  AccessPattern pattern = AccessPattern::unknown;
  bool is_read_mostly = false;
  bool is_discardable = false;  // contents need not survive eviction
  friend constexpr bool operator==(const Hints&, const Hints&) = default;
};

// The named rules of docs/policies.md, in order; `core/reason.cpp` has their texts. Report, trace and tests print
// these names. First the placements, then what else moves or holds bytes.
enum class Reason : std::uint8_t {
  none,
  hint_preferred_location,  // the application named the place
  hint_remote,              // preferred on the host and accessed by a device: mapped, not moved
  read_mostly_duplicate,    // readable on both sides at once
  system_memory_low_frequency,
  system_memory_exceeds_device,
  system_memory_cpu_use,
  device_high_performance,  // hot on the device
  device_intermediate,      // written and read by kernels only
  device_shared,            // shared with other devices
  thrashing_hold,           // wanted by two processors in turn: held for a while
  first_touch,              // no evidence yet: where it was touched
  demand_fetch,             // fetched by a fault
  prefetch_sequential,      // ahead of a sequential hint
  prefetch_tree,            // the driver's 51 % rule
  prefetch_user,            // umrt_prefetch_async
  evict_for_demand,         // a fault needed the frame now
  evict_ahead,              // free frames were below the low water mark
  evict_streaming,          // left behind by a sequential access
  evict_discardable,        // its bytes need not survive eviction
  sample,                   // unmapped to see whether it is still used
  collapse_write,           // a write ended a read-only duplicate
  free_range,               // the range was freed
  device_lost,              // the device is gone or being reset
};

const char* reason_name(Reason reason);  // as printed: the enumerator with '-' for '_'
const char* reason_text(Reason reason);  // one plain clause

}  // namespace umrt
