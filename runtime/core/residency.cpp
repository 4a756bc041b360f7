// SPDX-License-Identifier: Apache-2.0
#include "core/residency.h"

#include <algorithm>

namespace umrt {
namespace {

// Calls visit(DeviceState&) for the devices that an action is from or to.
template <class Visit>
void for_each_device_of(EngineState& state, const BlockAction& action, Visit&& visit) {
  if (action.source.is_device()) visit(state.device(action.source));
  if (action.target.is_device()) visit(state.device(action.target));
}

}  // namespace

ProcessorId filled_by(const BlockAction& action) {
  switch (action.operation) {
    case Operation::populate:
    case Operation::migrate:
    case Operation::duplicate:
      return action.target;
    default:
      return no_processor;
  }
}

ProcessorId emptied_by(const BlockAction& action) {
  if (action.operation == Operation::discard) return action.target;
  if (action.operation == Operation::migrate && !action.keeps_source) return action.source;
  return no_processor;
}

void order(EngineState& state, BlockId block, const Order& what) {
  BlockState& b = state.blocks.at(block);
  Range& range = state.ranges.at(b.range);
  UMRT_ASSERT(!what.granules.empty());
  UMRT_ASSERT((b.in_flight & what.granules).empty());
  const BlockAction action{.operation = what.operation,
                           .cause = what.cause,
                           .reason = what.reason,
                           .source = what.source,
                           .target = what.target,
                           .is_mapped = what.is_mapped,
                           .keeps_source = what.keeps_source,
                           .page_class = range.page_class,
                           .block = block,
                           .granules = what.granules,
                           .base = range.base_of(block)};
  b.in_flight |= what.granules;
  ++range.actions_in_flight;
  for_each_device_of(state, action, [](DeviceState& device) { ++device.actions_in_flight; });
  const Bytes bytes = size_of(range, what.granules);
  if (const ProcessorId filled = filled_by(action); filled.is_device()) {
    DeviceState& device = state.device(filled);
    UMRT_ASSERT(device.in_use + bytes <= device.budget);
    device.in_use += bytes;
    device.in_use_max = std::max(device.in_use_max, device.in_use);
    if (action.cause == Cause::prefetch) ++device.prefetches_in_flight;
  }
  if (const ProcessorId emptied = emptied_by(action); emptied.is_device()) {
    DeviceState& device = state.device(emptied);
    device.leaving += bytes;
    if (action.cause == Cause::eviction) ++device.evictions_in_flight;
  }
  state.actions->emplace_back(action);
}

void landed(EngineState& state, const BlockAction& action) {
  BlockState& b = state.blocks.at(action.block);
  Range& range = state.ranges.at(b.range);
  UMRT_ASSERT(b.in_flight.contains(action.granules));
  UMRT_ASSERT(range.actions_in_flight > 0);
  b.in_flight = b.in_flight - action.granules;
  --range.actions_in_flight;
  for_each_device_of(state, action, [](DeviceState& device) { --device.actions_in_flight; });
  const ProcessorId filled = filled_by(action);
  if (filled.is_device() && action.cause == Cause::prefetch) --state.device(filled).prefetches_in_flight;
  const ProcessorId emptied = emptied_by(action);
  if (!emptied.is_device()) return;
  DeviceState& device = state.device(emptied);
  device.leaving -= size_of(range, action.granules);
  if (action.cause == Cause::eviction) --device.evictions_in_flight;
}

void wake(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor) {
  const Range& range = state.range_of(block);
  state.actions->emplace_back(BlockAction{.operation = Operation::wake,
                                          .target = processor,
                                          .page_class = range.page_class,
                                          .block = block,
                                          .granules = GranuleMask::one(granule),
                                          .base = range.base_of(block)});
}

void arrive(EngineState& state, BlockId block, ProcessorId processor, GranuleMask granules, bool is_mapped) {
  if (granules.empty()) return;
  BlockState& b = state.blocks.at(block);
  Range& range = state.ranges.at(b.range);
  PresenceMasks& here = state.presence(block, processor);
  UMRT_ASSERT((here.resident & granules).empty());
  here.resident |= granules;
  if (is_mapped) here.mapped |= granules;
  const Bytes bytes = size_of(range, granules);
  tally(state, range, [&](Counters& c) { c.resident[processor.n] += bytes; });
  if (!processor.is_device()) return;
  b.evicted = b.evicted - granules;
  state.device(processor).eviction->migrated_in(block, state.now);
}

void leave(EngineState& state, BlockId block, ProcessorId processor, GranuleMask granules) {
  BlockState& b = state.blocks.at(block);
  PresenceMasks& here = state.presence(block, processor);
  granules = granules & here.resident;
  if (granules.empty()) return;
  Range& range = state.ranges.at(b.range);
  here.resident = here.resident - granules;
  here.mapped = here.mapped - granules;
  const Bytes bytes = size_of(range, granules);
  const GranuleMask duplicated = b.is_duplicated & granules;
  if (!duplicated.empty()) b.is_duplicated = b.is_duplicated - (duplicated - held_anywhere(state, block));
  tally(state, range, [&](Counters& c) { c.resident[processor.n] -= bytes; });
  if (!processor.is_device()) return;
  DeviceState& device = state.device(processor);
  device.in_use -= bytes;
  device.duplicates -= duplicated.count();
  const GranuleMask wasted = b.prefetched & granules;
  b.prefetched = b.prefetched - granules;
  if (!wasted.empty()) {
    tally(state, range, [&](Counters& c) { c.prefetched_wasted += size_of(range, wasted); });
  }
  range.granules_seen += granules.count();
  range.granules_used += (granules - wasted).count();
  if (range.granules_seen >= 1024) {  // old evidence counts half
    range.granules_seen /= 2;
    range.granules_used /= 2;
  }
  if (here.resident.empty()) device.eviction->removed(block);
}

GranuleMask held_anywhere(const EngineState& state, BlockId block) {
  GranuleMask held;
  state.for_each_processor([&](ProcessorId p) { held |= state.blocks.presence(block, p).resident; });
  return held;
}

GranuleMask held_elsewhere(const EngineState& state, BlockId block, ProcessorId processor) {
  GranuleMask held;
  state.for_each_processor([&](ProcessorId p) {
    if (p != processor) held |= state.blocks.presence(block, p).resident;
  });
  return held;
}

std::uint16_t holders(const EngineState& state, BlockId block, GranuleIndex granule) {
  std::uint32_t bits = 0;
  state.for_each_processor([&](ProcessorId p) {
    if (state.blocks.presence(block, p).resident.has(granule)) bits |= 1u << p.n;
  });
  return static_cast<std::uint16_t>(bits);
}

void clear_duplicates(EngineState& state, BlockId block, GranuleMask granules) {
  BlockState& b = state.blocks.at(block);
  const GranuleMask cleared = b.is_duplicated & granules;
  if (cleared.empty()) return;
  b.is_duplicated = b.is_duplicated - cleared;
  for (DeviceState& device : state.devices) {
    device.duplicates -= (state.presence(block, device.id).resident & cleared).count();
  }
}

}  // namespace umrt
