// SPDX-License-Identifier: Apache-2.0
// From a fault to the actions that answer it. Every fault that is not answered at once is a waiter; each attempt looks
// at where the granule is now and orders the next step, until it is mapped at the processor that waits.
#pragma once

#include "core/engine_state.h"

namespace umrt {

void take_fault(EngineState& state, const Fault& fault);

// Tries the waiters of a block again, and those that wait for frames. `answer` is the action that has landed.
void retry_waiters_after(EngineState& state, const BlockAction& answer, GranuleMask done, Ticks ended);

// Tries all waiters again: time has passed, or a device's state has changed.
void retry_waiters(EngineState& state);

// Those behind a waiter that has left the queue for frames without taking any: nothing else tries them again.
void retry_queued(EngineState& state);

// Waiters on these granules, which an action has failed for, back off.
void back_off_waiters(EngineState& state, BlockId block, GranuleMask failed);

// Wakes and forgets all waiters of a range, or of a processor.
void wake_waiters(EngineState& state, RangeId range);
void wake_waiters(EngineState& state, ProcessorId processor);
void drop_waiters(EngineState& state, ProcessorId processor);  // its threads are gone

}  // namespace umrt
