// SPDX-License-Identifier: Apache-2.0
// How the two sides of a ControlBlock wake each other. All of it is async-signal-safe.
#pragma once

#include "device/soft/control_block.h"
#include "os/clock.h"
#include "os/event_counter.h"

namespace umrt::soft {

// Whether `is_due()` within the time.
template <class IsDue>
bool spin_until(std::uint64_t spin_ns, IsDue is_due) noexcept {
  if (is_due()) return true;
  const std::uint64_t end = os::monotonic_ns() + spin_ns;
  do {
    for (int i = 0; i < 32; ++i) {
      if (is_due()) return true;
      os::cpu_relax();
    }
  } while (os::monotonic_ns() < end);
  return false;
}

// `sleeps` announces the sleeper to whoever changes the condition and then calls `wake_if_asleep` on the same words.
template <class IsDue>
void sleep_until(std::atomic<std::uint32_t>& changes, std::atomic<std::uint32_t>& sleeps, IsDue is_due) noexcept {
  while (!is_due()) {
    const std::uint32_t seen = changes.load();
    sleeps.fetch_add(1);
    if (!is_due()) os::futex_wait(changes, seen);
    sleeps.fetch_sub(1);
  }
}

// Spinning pays only where a core is left for whom one waits for: `others` beside the workers that have one now.
inline bool may_spin(const ControlBlock& control, std::uint32_t others) noexcept {
  return control.busy_workers.load(std::memory_order_relaxed) + others <= control.cores;
}

inline void wake_if_asleep(std::atomic<std::uint32_t>& changes, std::atomic<std::uint32_t>& sleeps) noexcept {
  changes.fetch_add(1);
  if (sleeps.load() != 0) os::futex_wake_all(changes);
}

inline void ring_host(ControlBlock& control) noexcept {
  if (control.host_sleeps.load() != 0) os::signal_event(control.bell);
}

}  // namespace umrt::soft
