// SPDX-License-Identifier: Apache-2.0
// Policy "lru": the least recently touched block leaves first; a fault fetches 64 KiB, the whole block once the range
// has proved dense, and by the tree rule otherwise.
#pragma once

#include <memory>

#include "core/policy.h"

namespace umrt {

std::unique_ptr<EvictionPolicy> make_lru_eviction();
std::unique_ptr<FetchPolicy> make_dense_fetch();

}  // namespace umrt
