// SPDX-License-Identifier: Apache-2.0
// The driver's tree rule (uvm_perf_prefetch.c): the faulted 64 KiB, then the largest subtree of the block of which more
// than 51 % is resident or wanted.
#pragma once

#include "core/policy.h"

namespace umrt {

GranuleMask tree_fetch(const FetchContext& context);

}  // namespace umrt
