// SPDX-License-Identifier: Apache-2.0
// The engine's record of one block. The masks of host and device 0 are inline; further devices' are in a side table
// (block_table.h). What can be derived is not stored: a granule is dirty when a device holds bytes that the host's
// frame does not.
#pragma once

#include <cstdint>

#include "core/action.h"

namespace umrt {

struct PresenceMasks {   // of one processor
  GranuleMask resident;  // valid bytes in a frame there
  GranuleMask mapped;    // and in its page table; a subset of resident
};

struct BlockState {
  PresenceMasks host, device0;
  GranuleMask is_duplicated;  // mapped write-protected wherever it is mapped
  GranuleMask prefetched;     // staged on a device, not touched since
  GranuleMask remote;         // one shared mapping of system memory
  GranuleMask in_flight;      // an action on it has not been answered yet
  GranuleMask evicted;        // was on a device and was evicted: the next fault is a re-fault
  RangeId range;
  Ticks last_use;
  std::uint16_t hotness = 0;    // touches, halved every 100 ms
  std::uint16_t hints_row = 0;  // of BlockTable's hints
  std::uint16_t waiters = 0;    // faults on it that have not been answered
};
static_assert(sizeof(BlockState) <= 64, "at most 64 bytes of state a block of 2 MiB");

}  // namespace umrt
