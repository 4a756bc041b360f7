// SPDX-License-Identifier: Apache-2.0
// What the engine counts, for every range and in total. Monotonic unless said otherwise.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "core/hints.h"
#include "core/processor.h"

namespace umrt {

struct Counters {
  std::array<std::array<std::uint64_t, 2>, processors_max> faults{};  // [processor][access]
  std::array<Bytes, causes> bytes_in{};                               // copied into a device, by cause
  std::array<Bytes, causes> bytes_out{};                              // copied out of a device, by cause
  std::array<Bytes, causes> bytes_peer{};                             // copied from device to device, by cause
  Bytes bytes_populated;                                              // first touches: zeros, nothing copied
  Bytes prefetched;                                                   // staged ahead of a fault, whatever the cause
  Bytes prefetched_used;                                              // touched afterwards
  Bytes prefetched_wasted;                                            // left the device untouched
  Bytes discarded_clean;               // evicted without a copy, the host's bytes being valid
  std::uint64_t evictions = 0;         // blocks
  std::uint64_t refaults = 0;          // faults on granules that had been evicted from that device
  std::uint64_t evictions_pinned = 0;  // victims skipped because the kernel held a page
  std::uint64_t thrashing_holds = 0;
  std::uint64_t samples = 0, samples_touched = 0;  // unmapped to see; seen to be used
  Ticks stall;     // sum over device faults, from the fault to the action that answered it
  Ticks transfer;  // sum over copies
  Ticks last_use;  // a point in time
  std::array<Bytes, processors_max> resident{};  // now; [processor]
  Bytes resident_remote;                         // now: shared mapping of system memory
  std::uint32_t hotness = 0;                     // now: touches, halved every 100 ms
  std::uint32_t data_lost_granules = 0;
  Reason placement = Reason::none;  // of the last placement decided
};

}  // namespace umrt
