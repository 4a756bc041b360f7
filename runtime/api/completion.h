// SPDX-License-Identifier: Apache-2.0
// Something that an application thread waits for and the service thread ends, once.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/result.h"
#include "os/futex.h"

namespace umrt {

class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // The waiting thread may destroy this as soon as it sees the end; nothing here is touched afterwards but the address.
  void end(Status status = {}) noexcept {
    status_ = std::move(status);
    has_ended_.store(1, std::memory_order_release);
    os::futex_wake_all(has_ended_);
  }

  Status wait() noexcept {
    for (int spin = 0; spin < 2000; ++spin) {
      if (has_ended_.load(std::memory_order_acquire) != 0) return std::move(status_);
      os::cpu_relax();
    }
    while (has_ended_.load(std::memory_order_acquire) == 0) os::futex_wait(has_ended_, 0);
    return std::move(status_);
  }

 private:
  std::atomic<std::uint32_t> has_ended_{0};
  Status status_;
};

}  // namespace umrt
