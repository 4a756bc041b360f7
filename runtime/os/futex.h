// SPDX-License-Identifier: Apache-2.0
// Futexes on shared memory, for waiting between processes. Async-signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace umrt::os {

// Sleeps while `word` is `expected`; may return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
// The same for at most `timeout_ns`.
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept;
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace umrt::os
