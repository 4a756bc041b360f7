// SPDX-License-Identifier: Apache-2.0
// Ranges come, are advised, and go.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void create_range(EngineState& state, const RangeCreated& created);
void advise_range(EngineState& state, const RangeAdvised& advised);
void free_range(EngineState& state, const RangeFreed& freed);

// Drops what devices have of a freed range's block, but for what is in flight.
void discard_freed(EngineState& state, BlockId block);
// Called when something of a freed range has landed: with the last of it the range is released.
void release_if_done(EngineState& state, Range& range);

}  // namespace umrt
