// SPDX-License-Identifier: Apache-2.0
// What a helper program prints.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace umrt::os {

// Runs a program found by PATH and waits for it; its input is empty and its errors are dropped. None: it cannot be
// started. What is preloaded into this process (LD_PRELOAD) is not into the helper.
std::optional<std::string> program_output(std::span<const std::string> arguments);

}  // namespace umrt::os
