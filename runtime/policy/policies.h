// SPDX-License-Identifier: Apache-2.0
// The table of policies: a name stands for an eviction order, a fetch rule and a thrashing rule.
#pragma once

#include <span>
#include <string_view>

#include "core/policy.h"

namespace umrt {

std::span<const PolicyRow> policies();
const PolicyRow* find_policy(std::string_view name);  // nullptr: no such name

}  // namespace umrt
