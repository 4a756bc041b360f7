// SPDX-License-Identifier: Apache-2.0
// The device process's end of the staging ring.
#pragma once

#include "device/soft/control_block.h"

namespace umrt::soft {

// Serves transfers until the process ends. Touches frames, and views where they are mapped.
[[noreturn]] void run_stager(ControlBlock& control) noexcept;

}  // namespace umrt::soft
