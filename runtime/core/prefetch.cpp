// SPDX-License-Identifier: Apache-2.0
#include "core/prefetch.h"

#include <algorithm>

#include "core/residency.h"

namespace umrt {
namespace {

// Blocks behind a sequential access that its threads may still be at work in.
constexpr std::uint32_t left_behind = 2;

// Frames that may be taken for what nobody waits for, in granules.
std::uint32_t spare_granules(const EngineState& state, ProcessorId processor, Bytes granule, Bytes reserve) {
  if (!processor.is_device()) return 32;
  const DeviceState& device = state.device(processor);
  const Bytes kept = device.wanted + reserve;
  if (device.free() <= kept) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>((device.free() - kept) / granule, 32));
}

GranuleMask lowest(GranuleMask mask, std::uint32_t count) {
  GranuleMask chosen;
  for (; count > 0 && !mask.empty(); --count) {
    const GranuleMask one = GranuleMask::one({static_cast<std::uint32_t>(std::countr_zero(mask.bits))});
    chosen |= one;
    mask = mask - one;
  }
  return chosen;
}

// What the policy wants of `fetchable` beyond the faulted granule, cut to the frames that are to spare.
GranuleMask wanted_along(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor,
                         GranuleMask fetchable, bool needs_frames) {
  const Range& range = state.range_of(block);
  if (range.page_class == PageClass::page_2m || !state.config.prefetches) return {};
  const GranuleMask one = GranuleMask::one(granule);
  const GranuleMask fetched = state.fetch->fetch({.page_class = range.page_class,
                                                  .faulted = granule,
                                                  .exists = range.exists(block),
                                                  .resident = state.presence(block, processor).resident,
                                                  .in_flight = state.blocks.at(block).in_flight,
                                                  .fetchable = fetchable,
                                                  .hints = state.blocks.hints(block),
                                                  .processor = processor,
                                                  .is_dense = range.is_dense()});
  const GranuleMask along = (fetched & fetchable) - one;
  if (!needs_frames) return along;
  return lowest(along, spare_granules(state, processor, range.granule(), range.granule()));
}

// Granules of which `source` has the one valid copy and that nothing holds up.
GranuleMask movable(const EngineState& state, BlockId block, ProcessorId source) {
  const BlockState& b = state.blocks.at(block);
  const GranuleMask there = state.blocks.presence(block, source).resident;
  return there - held_elsewhere(state, block, source) - b.in_flight - b.is_duplicated;
}

}  // namespace

FetchAlong fetch_along(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId source,
                       ProcessorId target) {
  FetchAlong along{.mapped = GranuleMask::one(granule), .staged = {}, .reason = state.fetch->reason()};
  const GranuleMask wanted = wanted_along(state, block, granule, target, movable(state, block, source), true);
  // Where nothing needs to be learnt, or on the host, one action maps it all.
  if (target.is_host() || state.range_of(block).is_dense()) {
    along.mapped |= wanted;
  } else {
    along.staged = wanted;
  }
  return along;
}

GranuleMask fetch_along_absent(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor) {
  const GranuleMask absent = state.range_of(block).exists(block) - held_anywhere(state, block) -
                             state.blocks.at(block).in_flight - state.lost.of(block);
  return GranuleMask::one(granule) | wanted_along(state, block, granule, processor, absent, true);
}

GranuleMask fetch_along_staged(EngineState& state, BlockId block, GranuleIndex granule, ProcessorId processor) {
  const GranuleMask one = GranuleMask::one(granule);
  const Range& range = state.range_of(block);
  if (range.page_class == PageClass::page_2m) return one;
  const PresenceMasks& here = state.presence(block, processor);
  const BlockState& b = state.blocks.at(block);
  const GranuleMask staged = here.resident - here.mapped - b.in_flight - b.is_duplicated;
  if (range.is_dense() || processor.is_host()) return one | staged;
  // As many more as have been mapped in a row just before: faults halve, and what is never touched is hardly mapped.
  std::uint32_t run = 0;
  while (run < granule.n && here.mapped.has({granule.n - 1 - run})) ++run;
  GranuleMask along = one;
  for (std::uint32_t n = granule.n + 1; n < 32 && n < granule.n + run && staged.has({n}); ++n) {
    along |= GranuleMask::one({n});
  }
  return along;
}

void note_sequence(EngineState& state, const Range& range, BlockId block, ProcessorId processor) {
  if (!processor.is_device() || !state.config.policy.works_ahead) return;
  const AccessPattern pattern = state.blocks.hints(block).pattern;
  if (pattern == AccessPattern::random) return;
  DeviceState& device = state.device(processor);
  const std::uint32_t index = range.index_of(block).n;
  FaultStream& stream = device.streams.saw(range.id, index);
  const bool is_hinted = is_swept(pattern);
  if (is_hinted && index >= left_behind) device.spent.push({block.n - left_behind});
  if (!state.config.prefetches || (!is_hinted && stream.run < 2)) return;
  const std::uint32_t depth = std::min(state.config.readahead_blocks, is_hinted ? ~0u : stream.run);
  stream.fetch_begin = std::max(stream.fetch_begin, stream.next);
  stream.fetch_end = std::max(stream.fetch_end, std::min(stream.next + depth, range.blocks));
  device.streams.is_fetch_wanted = true;
}

void fetch_ahead(EngineState& state, DeviceState& device) {
  if (!device.streams.is_fetch_wanted || !device.is_ready) return;
  for (FaultStream& stream : device.streams.all()) {
    while (stream.fetch_begin < stream.fetch_end) {
      if (device.prefetches_in_flight >= state.config.prefetches_in_flight_max) return;
      const Range& range = state.ranges.at(stream.range);
      const BlockId block{range.first_block.n + stream.fetch_begin};
      const GranuleMask ahead = movable(state, block, host_processor);
      if (range.remote == RemoteState::local && !ahead.empty()) {
        // A granule stays free for the next fault, or there is nothing to fetch ahead with.
        const Bytes reserve = std::max(range.granule(), block_bytes(range.page_class));
        if (spare_granules(state, device.id, range.granule(), reserve) < ahead.count()) return;
        order(state, block,
              {.operation = Operation::migrate,
               .granules = ahead,
               .source = host_processor,
               .target = device.id,
               .cause = Cause::prefetch,
               .reason = Reason::prefetch_sequential,
               .is_mapped = false,
               .keeps_source = true});
      }
      ++stream.fetch_begin;
    }
  }
  device.streams.is_fetch_wanted = false;
}

}  // namespace umrt
