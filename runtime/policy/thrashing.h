// SPDX-License-Identifier: Apache-2.0
// The driver's detector of thrashing (uvm_perf_thrashing.c): a block that migrates between processors in close
// succession is held where it is for a while.
#pragma once

#include <memory>

#include "core/policy.h"

namespace umrt {

std::unique_ptr<ThrashingPolicy> make_thrashing_detector();

}  // namespace umrt
