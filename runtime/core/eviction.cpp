// SPDX-License-Identifier: Apache-2.0
#include "core/eviction.h"

#include "core/residency.h"

namespace umrt {
namespace {

// Looks past at most this many blocks that may be evicted but should not be, in search of a better one.
constexpr std::uint32_t search_max = 16;

bool is_clean(const EngineState& state, BlockId block, ProcessorId processor) {
  const GranuleMask resident = state.blocks.presence(block, processor).resident;
  return held_elsewhere(state, block, processor).contains(resident);
}

// Accepts the first block that should leave. Remembers the first that may, should there be no such block: those with
// granules fetched ahead and not touched yet are needed sooner than others, those that a thread waits for sooner still.
class Choice final : public EvictionPolicy::Filter {
 public:
  Choice(const EngineState& state, const DeviceState& device, std::optional<Ticks> unused_since)
      : state_{state}, device_{device}, unused_since_{unused_since} {}

  bool may_evict(BlockId block) const override {
    if (seen_ >= search_max) return true;  // ends the search; `best` is what has been found
    const BlockState& b = state_.blocks.at(block);
    if (!b.in_flight.empty()) return false;
    if (!state_.pinned.empty() && state_.pinned.has(block, state_.now)) return false;
    const bool is_untouched = b.prefetched.contains(state_.blocks.presence(block, device_.id).resident);
    if (unused_since_ && (b.last_use >= *unused_since_ || is_untouched)) return ++seen_, false;
    if (b.waiters > 0 && state_.waiters.has(block, device_.id)) {
      if (!waited_for_) waited_for_ = block;
      return ++seen_, false;
    }
    if (is_untouched) {
      if (!ahead_) ahead_ = block;
      return ++seen_, false;
    }
    if (!used_) used_ = block;
    // Only duplicates are clean once they have been touched: look for one if there are any.
    if (device_.duplicates == 0 || is_clean(state_, block, device_.id)) {
      used_ = block;
      return true;
    }
    return ++seen_, false;
  }

  std::optional<BlockId> best(bool is_demand) const {
    if (used_) return used_;
    if (unused_since_ || !is_demand) return std::nullopt;
    return ahead_ ? ahead_ : waited_for_;
  }

 private:
  const EngineState& state_;
  const DeviceState& device_;
  std::optional<Ticks> unused_since_;
  mutable std::uint32_t seen_ = 0;
  mutable std::optional<BlockId> used_, ahead_, waited_for_;
};

std::optional<BlockId> spent_victim(EngineState& state, DeviceState& device) {
  while (const auto block = device.spent.pop()) {
    const BlockState& b = state.blocks.at(*block);
    if (b.range == RangeId{} || !is_swept(state.blocks.hints(*block).pattern)) continue;
    if (state.presence(*block, device.id).resident.empty()) continue;
    const bool is_busy = !b.in_flight.empty() || b.waiters > 0;
    if (!is_busy && !state.pinned.has(*block, state.now)) return block;
  }
  return std::nullopt;
}

bool evict_one(EngineState& state, DeviceState& device, Reason reason, std::optional<Ticks> unused_since) {
  if (const auto spent = spent_victim(state, device)) {
    send_home(state, *spent, device, Cause::eviction, Reason::evict_streaming);
    return true;
  }
  const Choice choice{state, device, unused_since};
  device.eviction->victim(choice);
  const auto victim = choice.best(reason == Reason::evict_for_demand);
  if (!victim) return false;
  send_home(state, *victim, device, Cause::eviction, reason);
  return true;
}

}  // namespace

void send_home(EngineState& state, BlockId block, DeviceState& device, Cause cause, Reason reason,
               bool keeps_contents) {
  const BlockState& b = state.blocks.at(block);
  Range& range = state.ranges.at(b.range);
  const GranuleMask resident = state.presence(block, device.id).resident;
  const GranuleMask leaving = resident - b.in_flight;
  if (leaving.empty()) return;
  if (leaving == resident) device.eviction->removed(block);  // no victim again while it is leaving
  const bool is_discardable = cause == Cause::eviction && state.blocks.hints(block).is_discardable;
  const GranuleMask clean = keeps_contents ? held_elsewhere(state, block, device.id) & leaving : leaving;
  const GranuleMask dirty = leaving - clean;
  if (cause == Cause::eviction) tally(state, range, [](Counters& c) { ++c.evictions; });
  if (!clean.empty()) {
    order(state, block,
          {.operation = Operation::discard, .granules = clean, .target = device.id, .cause = cause, .reason = reason});
  }
  if (dirty.empty()) return;
  if (is_discardable) {
    order(state, block,
          {.operation = Operation::discard,
           .granules = dirty,
           .target = device.id,
           .cause = cause,
           .reason = Reason::evict_discardable});
  } else {
    order(state, block,
          {.operation = Operation::migrate,
           .granules = dirty,
           .source = device.id,
           .target = host_processor,
           .cause = cause,
           .reason = reason,
           .is_mapped = false});
  }
}

void evict_for_demand(EngineState& state, DeviceState& device) {
  while (device.free() + device.leaving < device.wanted) {
    if (!evict_one(state, device, Reason::evict_for_demand, std::nullopt)) return;
  }
}

void evict_more(EngineState& state, DeviceState& device, Bytes bytes) {
  const Bytes enough = device.leaving + bytes;
  while (device.leaving < enough) {
    if (!evict_one(state, device, Reason::evict_for_demand, std::nullopt)) return;
  }
}

bool evict_older_than(EngineState& state, DeviceState& device, Ticks unused_since) {
  return evict_one(state, device, Reason::evict_ahead, unused_since);
}

void evict_ahead(EngineState& state, DeviceState& device) {
  if (!device.is_ready || !state.config.policy.works_ahead || state.config.free_high == Bytes{}) return;
  const Bytes coming_free = device.free() + device.leaving;
  if (coming_free < state.config.free_low) device.is_refilling = true;
  if (!device.is_refilling) return;
  if (state.ranges.bytes() <= device.budget) {  // it all fits: nothing needs to leave
    device.is_refilling = false;
    return;
  }
  while (device.evictions_in_flight < state.config.evictions_in_flight_max) {
    if (device.free() + device.leaving >= state.config.free_high) {
      device.is_refilling = false;
      return;
    }
    if (!evict_one(state, device, Reason::evict_ahead, std::nullopt)) return;
  }
}

}  // namespace umrt
