// SPDX-License-Identifier: Apache-2.0
// What leaves a device, and when: for a fault that needs the frame now, or ahead of need between two water marks.
#pragma once

#include "core/engine_state.h"

namespace umrt {

// Orders evictions until what is free or about to be covers what the device's waiters want.
void evict_for_demand(EngineState& state, DeviceState& device);

// Orders evictions of at least these bytes more, however much is free: the device could not give frames it should have.
void evict_more(EngineState& state, DeviceState& device, Bytes bytes);

// Evicts one block whose last use lies before `unused_since`; false: there is none.
bool evict_older_than(EngineState& state, DeviceState& device, Ticks unused_since);

// Keeps free frames between the water marks, unless all ranges together fit on the device.
void evict_ahead(EngineState& state, DeviceState& device);

// Moves home, or discards where the bytes are valid elsewhere, what of these granules is on the device and not in
// flight. `keeps_contents` false: the range is being freed.
void send_home(EngineState& state, BlockId block, DeviceState& device, Cause cause, Reason reason,
               bool keeps_contents = true);

}  // namespace umrt
