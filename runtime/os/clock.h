// SPDX-License-Identifier: Apache-2.0
// CLOCK_MONOTONIC: the same in every process of the machine. Async-signal-safe.
#pragma once

#include <cstdint>

namespace umrt::os {

std::uint64_t monotonic_ns() noexcept;

}  // namespace umrt::os
