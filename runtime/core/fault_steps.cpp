// SPDX-License-Identifier: Apache-2.0
#include "core/fault_steps.h"

#include "core/accounting.h"
#include "core/eviction.h"
#include "core/placement.h"
#include "core/prefetch.h"
#include "core/remote.h"
#include "core/residency.h"

namespace umrt {

void want_nothing(EngineState& state, Waiter& w) {
  if (w.wanted == Bytes{}) return;
  DeviceState& device = state.device(w.processor);
  device.wanted -= w.wanted;
  device.is_queue_shorter = true;
  w.wanted = {};
}

namespace {

PlacementFacts facts_of(const EngineState& state, const Range& range, const Waiter& w, bool is_absent) {
  std::optional<Ticks> held;
  if (!is_absent) held = state.thrashing->held_until(w.block, w.processor, state.now);
  const FaultTotals faults = fault_totals(range.counters, state.processors());
  DeviceAbilities abilities = state.config.abilities;
  const bool has_lost = state.lost.has_any(range.first_block, range.block_end());  // to be mapped it must be whole
  abilities.remote_map = abilities.remote_map && !range.is_remote_refused && !has_lost;
  const bool is_device = w.processor.is_device();
  return {.processor = w.processor,
          .access = w.access,
          .hints = state.blocks.hints(w.block),
          .abilities = abilities,
          .is_absent = is_absent,
          .is_held = held && *held > state.now,
          .is_sparse = range.granules_seen >= 64 && range.granules_used * 5ull <= range.granules_seen,
          .hotness = state.blocks.at(w.block).hotness,
          .range_bytes = range.bytes,
          .device_budget = is_device ? state.device(w.processor).budget : Bytes{},
          .faults_host = faults.host,
          .faults_device = faults.device,
          .devices_faulting = faults.devices,
          .returned = range.counters.bytes_out[static_cast<std::size_t>(Cause::demand)],
          .launches = state.launches_ended - range.launches_before};
}

// Room for these bytes at the processor, after what others already wait for. Without it the waiter queues for frames.
bool has_room(EngineState& state, Waiter& w, Bytes bytes) {
  if (!w.processor.is_device()) return true;
  DeviceState& device = state.device(w.processor);
  const bool is_queued = w.wanted > Bytes{};
  device.wanted -= w.wanted;
  w.wanted = {};
  const bool is_next = is_queued || device.wanted == Bytes{};
  if (is_next && device.free() >= bytes) return true;
  w.wanted = bytes;
  device.wanted += bytes;
  evict_for_demand(state, device);
  return false;
}

void end_protection(EngineState& state, const Waiter& w) {
  order(state, w.block,
        {.operation = Operation::unprotect,
         .granules = GranuleMask::one(w.granule),
         .target = w.processor,
         .reason = Reason::collapse_write});
}

// Ends a read-only duplicate for a write: first the other copies go, then the protection. One step an attempt.
void collapse(EngineState& state, Waiter& w) {
  const GranuleMask granule = GranuleMask::one(w.granule);
  const Order drop{.operation = Operation::discard, .granules = granule, .reason = Reason::collapse_write};
  bool is_shared = false;
  state.for_each_processor([&](ProcessorId p) {
    if (is_shared || p == w.processor || !state.presence(w.block, p).resident.has(w.granule)) return;
    is_shared = true;
    Order drop_here = drop;
    drop_here.target = p;
    order(state, w.block, drop_here);
  });
  if (!is_shared) end_protection(state, w);
}

// A granule that is mapped read-only in several places cannot move before it is in one place alone: the first copy
// that is not the one to move goes. False: there is nothing to drop.
bool drop_other_duplicates(EngineState& state, const Waiter& w, ProcessorId source) {
  if (!state.blocks.at(w.block).is_duplicated.has(w.granule)) return false;
  bool is_dropped = false;
  state.for_each_processor([&](ProcessorId p) {
    if (is_dropped || p == source || p == w.processor) return;
    if (!state.presence(w.block, p).resident.has(w.granule)) return;
    is_dropped = true;
    order(state, w.block,
          {.operation = Operation::discard,
           .granules = GranuleMask::one(w.granule),
           .target = p,
           .reason = Reason::collapse_write});
  });
  return is_dropped;
}

void map_staged(EngineState& state, const Waiter& w) {
  const GranuleMask one = GranuleMask::one(w.granule);
  if (!(held_elsewhere(state, w.block, w.processor) & state.blocks.at(w.block).is_duplicated & one).empty()) {
    // Fetched ahead before others duplicated it: mapping it would make it writable here. It comes anew.
    order(state, w.block,
          {.operation = Operation::discard,
           .granules = one,
           .target = w.processor,
           .reason = Reason::read_mostly_duplicate});
    return;
  }
  order(state, w.block,
        {.operation = Operation::map,
         .granules = fetch_along_staged(state, w.block, w.granule, w.processor),
         .target = w.processor,
         .reason = state.range_of(w.block).counters.placement});
}

void populate(EngineState& state, Waiter& w, Reason reason) {
  if (!has_room(state, w, state.range_of(w.block).granule())) return;
  order(state, w.block,
        {.operation = Operation::populate,
         .granules = fetch_along_absent(state, w.block, w.granule, w.processor),
         .target = w.processor,
         .reason = reason});
}

void migrate(EngineState& state, Waiter& w, ProcessorId source, Reason reason) {
  if (drop_other_duplicates(state, w, source)) return;
  if (!has_room(state, w, state.range_of(w.block).granule())) return;
  const FetchAlong along = fetch_along(state, w.block, w.granule, source, w.processor);
  order(state, w.block,
        {.operation = Operation::migrate,
         .granules = along.mapped,
         .source = source,
         .target = w.processor,
         .reason = reason});
  if (!along.staged.empty()) {
    order(state, w.block,
          {.operation = Operation::migrate,
           .granules = along.staged,
           .source = source,
           .target = w.processor,
           .cause = Cause::prefetch,
           .reason = along.reason,
           .is_mapped = false,
           .keeps_source = true});
  }
}

void duplicate(EngineState& state, Waiter& w, ProcessorId source, Reason reason) {
  if (!has_room(state, w, state.range_of(w.block).granule())) return;
  const FetchAlong along = fetch_along(state, w.block, w.granule, source, w.processor);
  order(state, w.block,
        {.operation = Operation::duplicate,
         .granules = along.mapped | along.staged,
         .source = source,
         .target = w.processor,
         .reason = reason});
}

// The next step for a granule with no bytes at the processor that waits.
void bring_here(EngineState& state, Waiter& w, Range& range) {
  const std::uint32_t held_by = holders(state, w.block, w.granule);
  const PlacementDecision decision = decide_placement(facts_of(state, range, w, held_by == 0));
  if (range.counters.placement != decision.reason) {
    tally(state, range, [&](Counters& c) { c.placement = decision.reason; });
  }
  if (decision.placement == Placement::remote) {
    want_nothing(state, w);
    begin_remote(state, range);
    return;
  }
  if (decision.placement == Placement::hold) {
    want_nothing(state, w);
    w.not_before = *state.thrashing->held_until(w.block, w.processor, state.now);
    tally(state, range, [](Counters& c) { ++c.thrashing_holds; });
    return;
  }
  if (held_by == 0) return populate(state, w, decision.reason);
  const ProcessorId source{static_cast<std::uint8_t>(std::countr_zero(held_by))};
  if (decision.placement == Placement::duplicate) return duplicate(state, w, source, decision.reason);
  migrate(state, w, source, decision.reason);
}

}  // namespace

bool attempt(EngineState& state, Waiter& w) {
  Range& range = state.ranges.at(w.range);
  if (range.is_freed) {  // woken when the range is released
    want_nothing(state, w);
    w.not_before = {};
    return false;
  }
  if (range.remote == RemoteState::remote) {
    wake(state, w.block, w.granule, w.processor);
    return true;
  }
  if (w.not_before > state.now) return false;
  w.not_before = {};  // also where something else holds it up: a time that has passed must not stay a deadline
  const BlockState& b = state.blocks.at(w.block);
  const bool is_held_up = range.remote != RemoteState::local || b.in_flight.has(w.granule) ||
                          (w.processor.is_device() && !state.device(w.processor).is_ready);
  if (is_held_up) {
    want_nothing(state, w);
    return false;
  }
  if (state.lost.of(w.block).has(w.granule)) {  // the edge rejects the access when it comes again
    wake(state, w.block, w.granule, w.processor);
    return true;
  }
  const PresenceMasks& here = state.presence(w.block, w.processor);
  if (here.mapped.has(w.granule)) {
    if (w.access == Access::write && b.is_duplicated.has(w.granule)) {
      collapse(state, w);
      return false;
    }
    if (w.is_protection) {  // left by a move that was taken back (a pinned page): nobody else holds the bytes
      end_protection(state, w);
      return false;
    }
    wake(state, w.block, w.granule, w.processor);
    return true;
  }
  if (here.resident.has(w.granule)) {
    want_nothing(state, w);
    map_staged(state, w);
  } else {
    bring_here(state, w, range);
  }
  return false;
}

}  // namespace umrt
