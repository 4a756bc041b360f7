// SPDX-License-Identifier: Apache-2.0
#include "core/accounting.h"

#include <algorithm>

#include "core/residency.h"

namespace umrt {
namespace {

constexpr Ticks hotness_half_life{100'000'000};

template <class Count>
Count decayed(Count hotness, Ticks passed) {
  const std::uint64_t halvings = passed.n / hotness_half_life.n;
  return halvings >= 8 * sizeof(Count) ? Count{0} : static_cast<Count>(hotness >> halvings);
}

void heat(Counters& counters, Ticks now) {
  counters.hotness = decayed(counters.hotness, now - counters.last_use) + 1;
  counters.last_use = now;
}

void count_copied(EngineState& state, Range& range, const BlockAction& action, GranuleMask granules, Ticks took) {
  const Bytes bytes = size_of(range, granules);
  const auto cause = static_cast<std::size_t>(action.cause);
  tally(state, range, [&](Counters& c) {
    c.transfer += took;
    if (action.source.is_host()) c.bytes_in[cause] += bytes;
    if (action.target.is_host()) c.bytes_out[cause] += bytes;
    if (action.source.is_device() && action.target.is_device()) c.bytes_peer[cause] += bytes;
    if (action.target.is_device() && !action.is_mapped) c.prefetched += bytes;
  });
}

}  // namespace

FaultTotals fault_totals(const Counters& counters, std::uint32_t processors) {
  FaultTotals totals;
  totals.host = counters.faults[0][0] + counters.faults[0][1];
  for (std::uint32_t p = 1; p < processors; ++p) {
    const std::uint64_t faults = counters.faults[p][0] + counters.faults[p][1];
    totals.device += faults;
    if (faults != 0) ++totals.devices;
  }
  return totals;
}

void count_fault(EngineState& state, Range& range, BlockId block, GranuleIndex granule, const Fault& fault) {
  BlockState& b = state.blocks.at(block);
  const bool is_device = fault.processor.is_device();
  const PresenceMasks& here = state.presence(block, fault.processor);
  const bool is_refault = is_device && b.evicted.has(granule) && !here.resident.has(granule);
  if (is_refault) b.evicted = b.evicted - GranuleMask::one(granule);
  // What is on a device without a mapping was either fetched ahead or unmapped as a sample.
  const bool is_sampled = is_device && here.resident.has(granule) && !here.mapped.has(granule) &&
                          !b.prefetched.has(granule) && !b.in_flight.has(granule);
  tally(state, range, [&](Counters& c) {
    ++c.faults[fault.processor.n][static_cast<std::size_t>(fault.access)];
    if (is_refault) ++c.refaults;
    if (is_sampled) ++c.samples_touched;
    heat(c, state.now);
  });
  b.hotness = static_cast<std::uint16_t>(std::min(decayed(b.hotness, state.now - b.last_use) + 1, UINT16_MAX + 0));
  b.last_use = state.now;
  if (is_device && !here.resident.empty()) state.device(fault.processor).eviction->touched(block, state.now);
}

void count_answer(EngineState& state, const Waiter& waiter, Ticks answered) {
  if (!waiter.processor.is_device()) return;
  tally(state, state.ranges.at(waiter.range), [&](Counters& c) { c.stall += answered - waiter.since; });
}

void count_done(EngineState& state, const ActionDone& done, GranuleMask granules) {
  if (granules.empty()) return;
  const BlockAction& action = done.action;
  Range& range = state.range_of(action.block);
  BlockState& b = state.blocks.at(action.block);
  const Bytes bytes = size_of(range, granules);
  switch (action.operation) {
    case Operation::migrate:
    case Operation::duplicate:
      count_copied(state, range, action, granules, done.ended - done.began);
      break;
    case Operation::populate:
      tally(state, range, [&](Counters& c) { c.bytes_populated += bytes; });
      break;
    case Operation::discard:
      if (action.cause == Cause::eviction && action.target.is_device()) {
        const GranuleMask clean = granules & held_elsewhere(state, action.block, action.target);
        tally(state, range, [&](Counters& c) { c.discarded_clean += size_of(range, clean); });
      }
      break;
    case Operation::map:
      if (action.target.is_device()) {
        const GranuleMask used = granules & b.prefetched;
        tally(state, range, [&](Counters& c) { c.prefetched_used += size_of(range, used); });
        b.prefetched = b.prefetched - used;
      }
      break;
    case Operation::unmap:
      if (action.reason == Reason::sample) tally(state, range, [&](Counters& c) { c.samples += granules.count(); });
      break;
    case Operation::unprotect:
    case Operation::wake:
      break;
  }
}

}  // namespace umrt
