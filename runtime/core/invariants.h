// SPDX-License-Identifier: Apache-2.0
// What must hold between any two steps, and a number that stands for all state that decides.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void check_invariants(const EngineState& state);
std::uint64_t digest(const EngineState& state);

}  // namespace umrt
