// SPDX-License-Identifier: Apache-2.0
// The signal handlers of a device process: page faults of kernels, crashes of kernels, and the stop of all workers.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <span>

#include "device/soft/control_block.h"
#include "device/soft/page_operations.h"
#include "device/soft/spin_history.h"

namespace umrt::soft {

struct WorkerThread {      // private to the device process
  sigjmp_buf after_crash;  // where a crashed kernel goes on: behind its launch
  std::span<std::byte> signal_stack;
  SpinHistory spins;
};

// Everything that the handlers need. They find it in one static pointer, since a handler has no other argument.
struct DeviceProcess {
  ControlBlock* control;
  PageOperations* operations;
  std::span<WorkerThread> workers;
};

void install_fault_handlers(DeviceProcess& process) noexcept;
void use_signal_stack(std::span<std::byte> stack) noexcept;  // of the calling thread

}  // namespace umrt::soft
