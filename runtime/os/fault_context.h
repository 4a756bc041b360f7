// SPDX-License-Identifier: Apache-2.0
// What a signal handler can learn of the access that raised SIGSEGV or SIGBUS. Async-signal-safe.
#pragma once

namespace umrt::os {

struct FaultContext {
  bool is_write = false;
  bool is_protection = false;  // a page is mapped there, but forbids it
};

FaultContext fault_context(const void* signal_context) noexcept;  // third argument of a SA_SIGINFO handler

}  // namespace umrt::os
