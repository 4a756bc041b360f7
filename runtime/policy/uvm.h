// SPDX-License-Identifier: Apache-2.0
// Policy "uvm": the NVIDIA driver's own rules (uvm_pmm_gpu.c, uvm_perf_prefetch.c of the open kernel modules), the
// baseline that reports compare with. The driver works with 64 KiB leaves in 2 MiB blocks: page class 64K.
#pragma once

#include <memory>

#include "core/policy.h"

namespace umrt {

std::unique_ptr<EvictionPolicy> make_uvm_eviction();
std::unique_ptr<FetchPolicy> make_uvm_fetch();

}  // namespace umrt
