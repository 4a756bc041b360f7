// SPDX-License-Identifier: Apache-2.0
// Ranges that become, or cease to be, one shared mapping of system memory: first everything comes home to the host and
// loses its mapping there, then the whole range changes in one action.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void begin_remote(EngineState& state, Range& range);
void end_remote(EngineState& state, Range& range);      // back to migration
void remote_advised(EngineState& state, Range& range);  // its hints have changed
void advance_remote(EngineState& state);                // ranges on their way
void remote_done(EngineState& state, const RemoteDone& done);

}  // namespace umrt
