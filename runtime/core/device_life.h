// SPDX-License-Identifier: Apache-2.0
// Devices go and come back: lost with all that was in their memory, or evacuated before a reset.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void lose_device(EngineState& state, const DeviceLost& lost);
void evacuate_device(EngineState& state, const DeviceEvacuated& evacuated);
void advance_evacuations(EngineState& state);
void ready_device(EngineState& state, const DeviceReady& ready);

// Granules of these that nobody holds any more: their bytes are lost.
void count_lost(EngineState& state, BlockId block, GranuleMask granules);
// A device has died that may have written to these: they are lost too where others hold copies, which are older.
void lose_written(EngineState& state, BlockId block, GranuleMask granules);
// Copies of lost bytes go, one after another.
void discard_lost(EngineState& state, BlockId block);

}  // namespace umrt
