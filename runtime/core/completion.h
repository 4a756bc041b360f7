// SPDX-License-Identifier: Apache-2.0
// An action has been carried out, or could not be.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void complete(EngineState& state, const ActionDone& done);

// Orders again what was refused and has waited long enough.
void retry_refused(EngineState& state);

}  // namespace umrt
