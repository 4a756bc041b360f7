// SPDX-License-Identifier: Apache-2.0
// What is brought along with a faulted granule, and ahead of faults: within the block as the fetch policy says, across
// blocks ahead of a sequence, and what the application asked for. Ahead means staged, with the source's frame kept: it
// stays clean, and its first touch tells that it was of use. Demand comes first: no fetch takes a frame that a waiter
// wants.
#pragma once

#include "core/engine_state.h"

namespace umrt {

struct FetchAlong {
  GranuleMask mapped;  // with the faulted granule
  GranuleMask staged;
  Reason reason = Reason::none;  // of `staged`
};

// For a demand migration of `granule`; a frame for it is free.
FetchAlong fetch_along(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId source, ProcessorId target);

// For a first touch: the granules to populate, the faulted one among them.
GranuleMask fetch_along_absent(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor);

// For a fault on a staged granule: the granules to map, the faulted one among them.
GranuleMask fetch_along_staged(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor);

// A device has faulted in this block: follows sequences, and notes what to fetch ahead of them.
void note_sequence(EngineState& state, const Range& range, BlockId block, ProcessorId processor);

// Orders what has been noted, as far as frames are free and the limits allow.
void fetch_ahead(EngineState& state, DeviceState& device);

// umrt_prefetch_async.
void begin_prefetch(EngineState& state, const PrefetchRequested& request);
void advance_prefetches(EngineState& state);
void prefetch_landed(EngineState& state, const BlockAction& action, bool is_complete);
void end_prefetches(EngineState& state, RangeId range);          // the range is freed: given up
void end_prefetches(EngineState& state, ProcessorId processor);  // the device is gone: given up

}  // namespace umrt
