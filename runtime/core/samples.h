// SPDX-License-Identifier: Apache-2.0
// Sees which resident memory is still used: unmaps a few random granules on devices, so that their next touch faults.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void take_samples(EngineState& state, std::uint64_t random, std::uint32_t samples);

}  // namespace umrt
