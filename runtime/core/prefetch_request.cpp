// SPDX-License-Identifier: Apache-2.0
// Prefetches that the application asks for: prefetch.h's second half.
#include <algorithm>

#include "core/eviction.h"
#include "core/prefetch.h"
#include "core/residency.h"

namespace umrt {
namespace {

GranuleMask asked_for(const PrefetchJob& job, const Range& range, BlockId block) {
  const Bytes begin = begin_of(range.index_of(block), range.page_class);
  const Bytes granule = range.granule();
  const auto clip = [&](Bytes offset) {
    if (offset <= begin) return std::uint64_t{0};
    return std::min<std::uint64_t>(round_up(offset - begin, granule) / granule, 32);
  };
  const std::uint64_t first = job.begin_offset <= begin ? 0 : (job.begin_offset - begin) / granule;
  const std::uint64_t end = clip(job.end_offset);
  if (first >= end) return {};
  return range.exists(block) &
         GranuleMask::run(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first));
}

// Granules to bring from `source`: only there, or duplicated where the target may have a duplicate, too.
GranuleMask fetchable_from(const EngineState& state, BlockId block, ProcessorId source, ProcessorId target,
                           GranuleMask wanted) {
  const BlockState& b = state.blocks.at(block);
  const GranuleMask there = state.blocks.presence(block, source).resident;
  return (wanted & there) - state.blocks.presence(block, target).resident - b.in_flight - b.is_duplicated;
}

void order_part(EngineState& state, PrefetchJob& job, BlockId block, ProcessorId source, GranuleMask granules) {
  const bool to_device = job.target.is_device();
  const bool is_clean_elsewhere = !(held_elsewhere(state, block, source) & granules).empty();
  order(state, block,
        {.operation = Operation::migrate,
         .granules = granules,
         .source = source,
         .target = job.target,
         .cause = Cause::user,
         .reason = Reason::prefetch_user,
         .is_mapped = !to_device && !is_clean_elsewhere,
         .keeps_source = to_device && source.is_host()});
  job.parts[job.in_flight++] = {.block = block, .granules = granules};
}

enum class Step : std::uint8_t { taken, waits };

// One block of the job. It waits while granules or frames are on their way; it gives up what finds no room.
Step advance_block(EngineState& state, PrefetchJob& job, const Range& range) {
  const GranuleMask wanted = asked_for(job, range, job.cursor);
  if (!(wanted & state.blocks.at(job.cursor).in_flight).empty()) return Step::waits;
  bool is_waiting = false;
  state.for_each_processor([&](ProcessorId source) {
    if (source == job.target || is_waiting || job.in_flight == PrefetchJob::in_flight_max) return;
    const GranuleMask granules = fetchable_from(state, job.cursor, source, job.target, wanted);
    if (granules.empty()) return;
    if (job.target.is_device()) {
      DeviceState& device = state.device(job.target);
      const Bytes needed = size_of(range, granules) + device.wanted;
      while (device.free() + device.leaving < needed && evict_older_than(state, device, job.at)) {
      }
      if (device.free() < needed) {
        is_waiting = device.free() + device.leaving >= needed;
        job.is_complete = job.is_complete && is_waiting;
        return;
      }
    }
    order_part(state, job, job.cursor, source, granules);
  });
  return is_waiting ? Step::waits : Step::taken;
}

void advance(EngineState& state, PrefetchJob& job) {
  const std::uint32_t limit = std::min(state.config.prefetches_in_flight_max, PrefetchJob::in_flight_max);
  const Range& range = state.ranges.at(job.range);
  while (job.cursor < job.end && job.in_flight < limit) {
    if (advance_block(state, job, range) == Step::waits) return;
    ++job.cursor.n;
  }
}

template <class Test>
void give_up(EngineState& state, Test&& test) {
  for (PrefetchJob& job : state.jobs) {
    if (!test(job)) continue;
    state.actions->emplace_back(RequestDone{.request = job.request, .is_complete = false});
  }
  std::erase_if(state.jobs, test);
}

}  // namespace

void begin_prefetch(EngineState& state, const PrefetchRequested& request) {
  const bool is_possible = state.ranges.has(request.range) && !state.ranges.at(request.range).is_freed &&
                           state.ranges.at(request.range).remote == RemoteState::local && state.config.prefetches &&
                           (request.target.is_host() || state.device(request.target).is_ready) &&
                           request.begin < request.end;
  if (!is_possible) {
    state.actions->emplace_back(RequestDone{.request = request.request, .is_complete = false});
    return;
  }
  const Range& range = state.ranges.at(request.range);
  UMRT_ASSERT(request.end <= range.bytes);
  PrefetchJob job;
  job.request = request.request;
  job.range = request.range;
  job.target = request.target;
  job.cursor = range.block_at(request.begin);
  job.end = {range.block_at({request.end.n - 1}).n + 1};
  job.begin_offset = request.begin;
  job.end_offset = request.end;
  job.at = state.now;
  for (BlockId block = job.cursor; block < job.end; ++block.n) state.thrashing->forget(block);
  state.jobs.push_back(job);
}

void advance_prefetches(EngineState& state) {
  if (state.jobs.empty()) return;
  for (PrefetchJob& job : state.jobs) {
    advance(state, job);
    if (job.cursor < job.end || job.in_flight > 0) continue;
    state.actions->emplace_back(RequestDone{.request = job.request, .is_complete = job.is_complete});
  }
  std::erase_if(state.jobs, [](const PrefetchJob& job) { return job.cursor >= job.end && job.in_flight == 0; });
}

void prefetch_landed(EngineState& state, const BlockAction& action, bool is_complete) {
  if (action.cause != Cause::user || action.reason != Reason::prefetch_user) return;
  for (PrefetchJob& job : state.jobs) {
    for (std::uint32_t i = 0; i < job.in_flight; ++i) {
      if (job.parts[i].block != action.block || job.parts[i].granules != action.granules) continue;
      job.parts[i] = job.parts[--job.in_flight];
      job.is_complete = job.is_complete && is_complete;
      return;
    }
  }
}

void end_prefetches(EngineState& state, RangeId range) {
  give_up(state, [&](const PrefetchJob& job) { return job.range == range; });
}

void end_prefetches(EngineState& state, ProcessorId processor) {
  give_up(state, [&](const PrefetchJob& job) { return job.target == processor; });
}

}  // namespace umrt
