// SPDX-License-Identifier: Apache-2.0
// What is counted when a fault comes, when it is answered, and when bytes have moved.
#pragma once

#include "core/engine_state.h"

namespace umrt {

struct FaultTotals {
  std::uint64_t host = 0, device = 0;
  std::uint32_t devices = 0;  // that have faulted at all
};
FaultTotals fault_totals(const Counters& counters, std::uint32_t processors);

void count_fault(EngineState& state, Range& range, BlockId block, GranuleIndex granule, const Fault& fault);
void count_answer(EngineState& state, const Waiter& waiter, Ticks answered);
void count_done(EngineState& state, const ActionDone& done, GranuleMask granules);

}  // namespace umrt
