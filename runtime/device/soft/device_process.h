// SPDX-License-Identifier: Apache-2.0
// The device process: its second view of the arena, its pools of frames, its agent, workers and the thread that
// populates the pools ahead of use. Runs after a fork of a threaded process: nothing here may allocate.
#pragma once

#include "base/units.h"

namespace umrt::soft {

inline constexpr Bytes growth_step = 64_MiB;

// The device process's main; the argument is its ControlBlock.
void run_device_process(void* control_block);

}  // namespace umrt::soft
