// SPDX-License-Identifier: Apache-2.0
// Where bytes are: the one place that orders actions and changes presence masks, frames in use and the counters that
// follow from them.
#pragma once

#include "core/engine_state.h"

namespace umrt {

struct Order {
  Operation operation = Operation::wake;
  GranuleMask granules{};
  ProcessorId source = no_processor;
  ProcessorId target = no_processor;
  Cause cause = Cause::demand;
  Reason reason = Reason::none;
  bool is_mapped = true;
  bool keeps_source = false;
};

// Orders an action on granules of which none is in flight. Frames at a device must be free.
void order(EngineState& state, BlockId block, const Order& what);

// Threads of `processor` that wait on the granule try again.
void wake(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor);

// Takes an ActionDone's granules out of flight; the rest of what it means is in completion.h.
void landed(EngineState& state, const BlockAction& action);

void arrive(EngineState& state, BlockId block, ProcessorId processor, GranuleMask granules, bool is_mapped);
void leave(EngineState& state, BlockId block, ProcessorId processor, GranuleMask granules);

GranuleMask held_anywhere(const EngineState& state, BlockId block);
GranuleMask held_elsewhere(const EngineState& state, BlockId block, ProcessorId processor);
std::uint16_t holders(const EngineState& state, BlockId block, GranuleIndex granule);  // bit n: processor n
void clear_duplicates(EngineState& state, BlockId block, GranuleMask granules);

ProcessorId filled_by(const BlockAction& action);   // where frames are taken; no_processor: nowhere
ProcessorId emptied_by(const BlockAction& action);  // where frames are given back

inline Bytes size_of(const Range& range, GranuleMask granules) { return range.granule() * granules.count(); }

}  // namespace umrt
