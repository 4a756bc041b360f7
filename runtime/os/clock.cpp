// SPDX-License-Identifier: Apache-2.0
#include "os/clock.h"

#include <ctime>

namespace umrt::os {

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace umrt::os
