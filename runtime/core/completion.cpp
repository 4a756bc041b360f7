// SPDX-License-Identifier: Apache-2.0
// An action that has landed, in steps: 0 out of flight, 1 give back reserved frames, 2 change presence, 3 drop copies
// that a new mapping has made stale, before an eviction takes one for valid, 4 handle what failed, 5 move on whoever
// waited for it.
#include "core/completion.h"

#include "core/accounting.h"
#include "core/device_life.h"
#include "core/eviction.h"
#include "core/faults.h"
#include "core/prefetch.h"
#include "core/range_life.h"
#include "core/residency.h"

namespace umrt {
namespace {

void apply(EngineState& state, const BlockAction& action, GranuleMask done) {
  if (done.empty()) return;
  BlockState& b = state.blocks.at(action.block);
  PresenceMasks& target = state.presence(action.block, action.target);
  switch (action.operation) {
    case Operation::populate:
      arrive(state, action.block, action.target, done, action.is_mapped);
      break;
    case Operation::migrate: {
      PresenceMasks& source = state.presence(action.block, action.source);
      source.mapped = source.mapped - done;
      if (!action.keeps_source) leave(state, action.block, action.source, done);
      clear_duplicates(state, action.block, done);
      arrive(state, action.block, action.target, done, action.is_mapped);
      if (action.target.is_device() && !action.is_mapped) b.prefetched |= done;
      if (action.cause == Cause::eviction) b.evicted |= done;
      if (action.cause == Cause::demand) state.thrashing->migrated(action.block, action.target, state.now);
      break;
    }
    case Operation::duplicate: {
      const GranuleMask fresh = done - b.is_duplicated;
      arrive(state, action.block, action.target, done, true);
      PresenceMasks& source = state.presence(action.block, action.source);
      source.mapped |= done & source.resident;
      b.is_duplicated |= done;
      for (DeviceState& device : state.devices) {
        const GranuleMask newly = device.id == action.target ? done : fresh;
        device.duplicates += (state.presence(action.block, device.id).resident & newly).count();
      }
      break;
    }
    case Operation::discard:
      leave(state, action.block, action.target, done);
      if (action.cause == Cause::eviction) b.evicted |= done;
      break;
    case Operation::map:
      target.mapped |= done & target.resident;
      clear_duplicates(state, action.block, done);
      break;
    case Operation::unmap:
      target.mapped = target.mapped - done;
      clear_duplicates(state, action.block, done - held_elsewhere(state, action.block, action.target));
      break;
    case Operation::unprotect:
      clear_duplicates(state, action.block, done);
      break;
    case Operation::wake:
      break;
  }
}

// Bytes in the memory of a process that is gone, or on the way there.
void apply_lost(EngineState& state, const BlockAction& action, GranuleMask failed) {
  const bool peers = action.source.is_device() && action.target.is_device();
  for (const ProcessorId p : {action.source, action.target}) {
    if (p.is_device() && (!peers || !state.device(p).is_ready)) leave(state, action.block, p, failed);
  }
}

// A mapping that may be written to makes all other copies stale: they are given back.
void drop_stale(EngineState& state, BlockId block, GranuleMask granules) {
  const BlockState& b = state.blocks.at(block);
  state.for_each_processor([&](ProcessorId mapped_at) {
    const GranuleMask mapped = state.presence(block, mapped_at).mapped & granules;
    if (mapped.empty()) return;
    state.for_each_processor([&](ProcessorId p) {
      if (p == mapped_at) return;
      const GranuleMask stale = (state.presence(block, p).resident & mapped) - b.in_flight - b.is_duplicated;
      if (stale.empty()) return;
      order(state, block,
            {.operation = Operation::discard, .granules = stale, .target = p, .reason = Reason::demand_fetch});
    });
  });
}

// Whether a kernel can write to the granules once this is done.
bool lets_write(const BlockAction& action) {
  switch (action.operation) {
    case Operation::populate:
    case Operation::migrate:
      return action.is_mapped;
    case Operation::map:
    case Operation::unprotect:
      return true;
    default:
      return false;
  }
}

// A copy that must go, and goes only now, for these granules.
void order_again(EngineState& state, const BlockAction& action, GranuleMask granules) {
  granules = granules & state.presence(action.block, action.target).resident;
  if (granules.empty()) return;  // the device has been lost meanwhile
  order(state, action.block,
        {.operation = action.operation,
         .granules = granules,
         .target = action.target,
         .cause = action.cause,
         .reason = action.reason});
}

bool must_be_retried(const Range& range, const BlockAction& action) {
  return action.operation == Operation::discard && (range.is_freed || action.reason == Reason::demand_fetch);
}

void handle_refused(EngineState& state, const BlockAction& action, GranuleMask failed, Outcome outcome) {
  BlockState& b = state.blocks.at(action.block);
  Range& range = state.ranges.at(b.range);
  const ProcessorId emptied = emptied_by(action);
  if (emptied.is_device() && !state.presence(action.block, emptied).resident.empty()) {
    state.device(emptied).eviction->migrated_in(action.block, state.now);  // it has stayed
  }
  if (action.cause == Cause::eviction || action.reason == Reason::device_lost) {
    state.pinned.refused(action.block, state.now);
    if (outcome == Outcome::pinned) tally(state, range, [](Counters& c) { ++c.evictions_pinned; });
  }
  if (must_be_retried(range, action)) {
    if (state.retries.is_full()) return order_again(state, action, failed);
    state.retries.failed(action, failed, state.now);
    b.in_flight |= failed;  // nobody else touches it before that
    ++range.actions_in_flight;
    return;
  }
  back_off_waiters(state, action.block, failed);
  if (range.remote == RemoteState::gathering) range.gather_not_before = state.now + backoff(4);
  if (outcome == Outcome::no_memory && filled_by(action).is_device() && action.cause == Cause::demand) {
    evict_more(state, state.device(action.target), size_of(range, failed));
  }
}

}  // namespace

void complete(EngineState& state, const ActionDone& done) {
  const BlockAction& action = done.action;
  if (action.operation == Operation::wake) return;
  landed(state, action);
  Range& range = state.range_of(action.block);
  const GranuleMask failed = done.outcome == Outcome::done ? GranuleMask{} : done.failed & action.granules;
  const GranuleMask succeeded = action.granules - failed;
  if (const ProcessorId filled = filled_by(action); filled.is_device()) {
    state.device(filled).in_use -= size_of(range, failed);
  }
  count_done(state, done, succeeded);
  apply(state, action, succeeded);
  if (!range.is_freed) drop_stale(state, action.block, succeeded);
  const ProcessorId target = action.target;
  const bool is_target_gone = target.is_device() && !state.device(target).is_ready;
  prefetch_landed(state, action, failed.empty());
  if (!state.retries.empty() && (failed.empty() || done.outcome == Outcome::lost)) state.retries.ended(action);
  if (!state.pinned.empty() && failed.empty()) state.pinned.forget(action.block);

  if (done.outcome == Outcome::lost) {
    apply_lost(state, action, failed);
  } else if (!failed.empty()) {
    handle_refused(state, action, failed, done.outcome);
  }
  if (is_target_gone && filled_by(action) == target) {
    DeviceState& device = state.device(target);
    if (device.evacuation) {
      send_home(state, action.block, device, Cause::user, Reason::device_lost);
    } else {
      leave(state, action.block, target, succeeded);
    }
  }
  if (is_target_gone && !range.is_freed && lets_write(action) && !state.device(target).evacuation) {
    lose_written(state, action.block, succeeded);  // pessimistic: its kernels may have done so before it died
  }
  if (!range.is_freed && action.reason != Reason::evict_discardable) {
    const bool had_bytes = action.operation != Operation::populate || done.outcome == Outcome::done;
    if (had_bytes) count_lost(state, action.block, action.granules);
  }
  if (!range.is_freed) {
    drop_stale(state, action.block, failed);
    discard_lost(state, action.block);
  }
  if (range.is_freed) discard_freed(state, action.block);
  retry_waiters_after(state, action, succeeded, done.ended);
  release_if_done(state, range);
}

void retry_refused(EngineState& state) {
  while (BlockAction* due = state.retries.take_due(state.now)) {
    const BlockId block = due->block;
    BlockState& b = state.blocks.at(block);
    Range& range = state.ranges.at(b.range);
    b.in_flight = b.in_flight - due->granules;
    --range.actions_in_flight;
    const GranuleMask left = due->granules & state.presence(block, due->target).resident;
    const GranuleMask gone = due->granules - left;  // the device has been lost meanwhile
    due->granules = left;
    if (!left.empty()) order_again(state, *due, left);
    if (!range.is_freed) {
      count_lost(state, block, gone);
      drop_stale(state, block, gone);
      discard_lost(state, block);
    }
    if (left.empty()) {
      state.retries.ended(*due);
      if (range.is_freed) discard_freed(state, block);  // copies elsewhere have waited for this one
      retry_waiters(state);
      release_if_done(state, range);
    }
  }
}

}  // namespace umrt
