// SPDX-License-Identifier: Apache-2.0
// The least that a fault served in user space costs here: a handler thread of the same process answers it with one
// UFFDIO_MOVE (UFFDIO_COPY where the kernel has no MOVE).
#pragma once

#include <vector>

#include "base/units.h"

namespace umrt::bench {

// Nanoseconds from the touch to the next instruction, of each of `count` first touches of a granule.
std::vector<double> measure_bare_faults_ns(Bytes granule, std::uint32_t count);

}  // namespace umrt::bench
