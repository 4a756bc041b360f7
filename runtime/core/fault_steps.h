// SPDX-License-Identifier: Apache-2.0
// The steps from a granule that is elsewhere to one that is mapped where a thread waits: populate, map, migrate,
// duplicate, end a duplicate. Each attempt looks at where the granule is now and orders one step.
#pragma once

#include "core/engine_state.h"

namespace umrt {

// True: the fault is answered, the waiter can go.
bool attempt(EngineState& state, Waiter& w);

void want_nothing(EngineState& state, Waiter& w);  // it no longer waits for frames

}  // namespace umrt
