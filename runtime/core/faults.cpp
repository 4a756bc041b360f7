// SPDX-License-Identifier: Apache-2.0
#include "core/faults.h"

#include <algorithm>
#include <utility>

#include "core/accounting.h"
#include "core/fault_steps.h"
#include "core/prefetch.h"
#include "core/residency.h"

namespace umrt {
namespace {

void forget(EngineState& state, Waiters::Index index) {
  want_nothing(state, state.waiters.at(index));
  --state.blocks.at(state.waiters.at(index).block).waiters;
  state.waiters.remove(index);
}

template <class Test>
void wake_if(EngineState& state, Test&& test, bool threads_are_there = true) {
  for (Waiters::Index i = state.waiters.oldest(); i != Waiters::none;) {
    const Waiters::Index next = state.waiters.newer(i);
    const Waiter& w = state.waiters.at(i);
    if (test(w)) {
      if (threads_are_there) wake(state, w.block, w.granule, w.processor);
      forget(state, i);
    }
    i = next;
  }
}

// Has the landed action mapped the waiter's granule, as the waiter needs it? Then it has woken its threads, too.
bool is_answered_by(const EngineState& state, const Waiter& w, const BlockAction& answer, GranuleMask done) {
  if (answer.target != w.processor || answer.block != w.block || !done.has(w.granule)) return false;
  if (!state.blocks.presence(w.block, w.processor).mapped.has(w.granule)) return false;
  return w.access == Access::read || !state.blocks.at(w.block).is_duplicated.has(w.granule);
}

}  // namespace

void take_fault(EngineState& state, const Fault& fault) {
  Range* range = state.ranges.find(fault.address);
  if (range == nullptr) return;  // an illegal access: the edge's business
  const BlockId block = range->block_at(fault.address - range->base);
  const GranuleIndex granule = range->granule_at(fault.address);
  count_fault(state, *range, block, granule, fault);
  BlockState& b = state.blocks.at(block);
  const auto known = b.waiters == 0 ? Waiters::none : state.waiters.find(block, granule, fault.processor);
  if (known != Waiters::none) {
    Waiter& w = state.waiters.at(known);
    w.access = std::max(w.access, fault.access);
    w.is_protection |= fault.is_protection;
    w.is_late = true;
    return;
  }
  Waiter waiter;
  waiter.range = range->id;
  waiter.block = block;
  waiter.granule = granule;
  waiter.processor = fault.processor;
  waiter.access = fault.access;
  waiter.is_protection = fault.is_protection;
  waiter.since = fault.at;
  waiter.is_late = b.in_flight.has(granule);
  const Waiters::Index added = state.waiters.add(waiter);
  if (added == Waiters::none) {  // more granules are waited for than there are places: the thread tries again
    wake(state, block, granule, fault.processor);
    return;
  }
  ++b.waiters;
  if (attempt(state, state.waiters.at(added))) forget(state, added);
  note_sequence(state, *range, block, fault.processor);
}

void retry_waiters_after(EngineState& state, const BlockAction& answer, GranuleMask done, Ticks ended) {
  const auto wants_frames = [](const DeviceState& device) { return device.wanted > Bytes{}; };
  const bool is_anyone_queued = std::any_of(state.devices.begin(), state.devices.end(), wants_frames);
  if (state.blocks.at(answer.block).waiters == 0 && !is_anyone_queued) return;
  for (Waiters::Index i = state.waiters.oldest(); i != Waiters::none;) {
    const Waiters::Index next = state.waiters.newer(i);
    Waiter& w = state.waiters.at(i);
    if (is_answered_by(state, w, answer, done)) {
      count_answer(state, w, ended);
      if (w.is_late) wake(state, w.block, w.granule, w.processor);
      forget(state, i);
    } else if (w.block == answer.block || w.wanted > Bytes{}) {
      if (attempt(state, w)) forget(state, i);
    }
    i = next;
  }
}

void retry_waiters(EngineState& state) {
  for (Waiters::Index i = state.waiters.oldest(); i != Waiters::none;) {
    const Waiters::Index next = state.waiters.newer(i);
    if (attempt(state, state.waiters.at(i))) forget(state, i);
    i = next;
  }
}

void retry_queued(EngineState& state) {
  bool is_any_shorter = false;
  for (DeviceState& device : state.devices) is_any_shorter |= std::exchange(device.is_queue_shorter, false);
  if (!is_any_shorter) return;
  for (Waiters::Index i = state.waiters.oldest(); i != Waiters::none;) {
    const Waiters::Index next = state.waiters.newer(i);
    Waiter& w = state.waiters.at(i);
    if (w.wanted > Bytes{} && attempt(state, w)) forget(state, i);
    i = next;
  }
}

void back_off_waiters(EngineState& state, BlockId block, GranuleMask failed) {
  for (Waiters::Index i = state.waiters.oldest(); i != Waiters::none; i = state.waiters.newer(i)) {
    Waiter& w = state.waiters.at(i);
    if (w.block != block || !failed.has(w.granule)) continue;
    w.not_before = state.now + backoff(w.attempts);
    if (w.attempts < 32) ++w.attempts;
  }
}

void wake_waiters(EngineState& state, RangeId range) {
  wake_if(state, [&](const Waiter& w) { return w.range == range; });
}
void wake_waiters(EngineState& state, ProcessorId processor) {
  wake_if(state, [&](const Waiter& w) { return w.processor == processor; });
}
void drop_waiters(EngineState& state, ProcessorId processor) {
  wake_if(
      state, [&](const Waiter& w) { return w.processor == processor; }, false);
}

}  // namespace umrt
