// SPDX-License-Identifier: Apache-2.0
// How much memory and how many cores this process may use.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace umrt::os {

Bytes memory_available();         // min(MemAvailable, room in the memory cgroup, v1 or v2)
bool are_huge_pages_disabled();   // for this process, by a parent (PR_SET_THP_DISABLE)
bool has_huge_pages();            // transparent huge pages on request (not "never", not disabled)
std::uint32_t cores_available();  // by the affinity mask; at least 1

}  // namespace umrt::os
