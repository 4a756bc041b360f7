// SPDX-License-Identifier: Apache-2.0
// How the two sides of a ControlBlock wake each other. All of it is async-signal-safe.
#pragma once

#include "device/soft/control_block.h"
#include "os/clock.h"
#include "os/event_counter.h"

namespace umrt::soft {

// Sleeps until `is_due()`; spins first for `spin_ns`. `sleeps` announces the sleeper to whoever changes the condition
// and then calls `wake_if_asleep` on the same words.
template <class IsDue>
void wait_until(std::atomic<std::uint32_t>& changes, std::atomic<std::uint32_t>& sleeps, std::uint64_t spin_ns,
                IsDue is_due) noexcept {
  if (is_due()) return;
  if (spin_ns != 0) {
    const std::uint64_t end = os::monotonic_ns() + spin_ns;
    do {
      for (int i = 0; i < 32; ++i) {
        if (is_due()) return;
        os::cpu_relax();
      }
    } while (os::monotonic_ns() < end);
  }
  for (;;) {
    const std::uint32_t seen = changes.load();
    sleeps.fetch_add(1);
    if (is_due()) {
      sleeps.fetch_sub(1);
      return;
    }
    os::futex_wait(changes, seen);
    sleeps.fetch_sub(1);
    if (is_due()) return;
  }
}

inline void wake_if_asleep(std::atomic<std::uint32_t>& changes, std::atomic<std::uint32_t>& sleeps) noexcept {
  changes.fetch_add(1);
  if (sleeps.load() != 0) os::futex_wake_all(changes);
}

inline void ring_host(ControlBlock& control) noexcept {
  if (control.host_sleeps.load() != 0) os::signal_event(control.bell);
}

}  // namespace umrt::soft
