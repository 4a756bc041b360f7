// SPDX-License-Identifier: Apache-2.0
#include "core/invariants.h"

#include <array>

#include "core/residency.h"

namespace umrt {
namespace {

struct Sums {
  std::array<Bytes, processors_max> resident{};
  std::array<std::uint32_t, processors_max> duplicates{};
};

void check_block(const EngineState& state, const Range& range, BlockId block, Sums& sums) {
  const BlockState& b = state.blocks.at(block);
  const GranuleMask exists = range.exists(block);
  UMRT_ASSERT(b.range == range.id);
  UMRT_ASSERT(exists.contains(b.in_flight));
  UMRT_ASSERT(exists.contains(b.is_duplicated));
  UMRT_ASSERT(held_anywhere(state, block).contains(b.is_duplicated));
  UMRT_ASSERT((held_anywhere(state, block) & b.remote).empty());
  UMRT_ASSERT(b.in_flight.contains(state.lost.of(block) & held_anywhere(state, block)));  // outdated, on its way out
  UMRT_ASSERT((state.lost.of(block) & b.remote).empty());
  GranuleMask mapped_once, on_devices;
  state.for_each_processor([&](ProcessorId p) {
    const PresenceMasks& here = state.blocks.presence(block, p);
    UMRT_ASSERT(exists.contains(here.resident));
    UMRT_ASSERT(here.resident.contains(here.mapped));
    UMRT_ASSERT(b.is_duplicated.contains(mapped_once & here.mapped));  // writable in one place at most
    // A copy beside a writable mapping is stale and on its way out.
    const GranuleMask stale = held_elsewhere(state, block, p) & here.mapped;
    UMRT_ASSERT((b.is_duplicated | b.in_flight).contains(stale));
    mapped_once |= here.mapped;
    if (p.is_device()) on_devices |= here.resident;
    sums.resident[p.n] += size_of(range, here.resident);
    sums.duplicates[p.n] += (here.resident & b.is_duplicated).count();
  });
  UMRT_ASSERT(on_devices.contains(b.prefetched));
}

}  // namespace

void check_invariants(const EngineState& state) {
  Sums all;
  Bytes bytes;
  for (RangeId id{0}; id.n < state.ranges.ids(); ++id.n) {
    if (!state.ranges.has(id)) continue;
    const Range& range = state.ranges.at(id);
    bytes += range.bytes;
    Sums sums;
    bool is_any_in_flight = false;
    for (BlockId block = range.first_block; block < range.block_end(); ++block.n) {
      check_block(state, range, block, sums);
      is_any_in_flight = is_any_in_flight || !state.blocks.at(block).in_flight.empty();
    }
    UMRT_ASSERT(is_any_in_flight == (range.actions_in_flight > 0));
    for (std::uint32_t p = 0; p < processors_max; ++p) {
      UMRT_ASSERT(sums.resident[p] == range.counters.resident[p]);
      all.resident[p] += sums.resident[p];
      all.duplicates[p] += sums.duplicates[p];
    }
  }
  UMRT_ASSERT(bytes == state.ranges.bytes());
  UMRT_ASSERT(all.resident == state.total.resident);
  for (const DeviceState& device : state.devices) {
    UMRT_ASSERT(device.in_use <= device.budget);
    UMRT_ASSERT(device.in_use <= device.in_use_max);
    UMRT_ASSERT(device.in_use >= all.resident[device.id.n]);
    UMRT_ASSERT(device.actions_in_flight > 0 || device.in_use == all.resident[device.id.n]);
    UMRT_ASSERT(device.actions_in_flight > 0 || device.leaving == Bytes{});
    UMRT_ASSERT(device.duplicates == all.duplicates[device.id.n]);
    Bytes wanted;
    for (auto i = state.waiters.oldest(); i != Waiters::none; i = state.waiters.newer(i)) {
      if (state.waiters.at(i).processor == device.id) wanted += state.waiters.at(i).wanted;
    }
    UMRT_ASSERT(wanted == device.wanted);
  }
}

std::uint64_t digest(const EngineState& state) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto add = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x100000001b3ull;
    hash ^= hash >> 32;
  };
  add(state.now.n);
  add(state.launches_ended);
  for (BlockId block{0}; block.n < state.blocks.size(); ++block.n) {
    const BlockState& b = state.blocks.at(block);
    if (b.range == RangeId{}) continue;
    for (const GranuleMask mask :
         {b.is_duplicated, b.prefetched, b.remote, b.in_flight, b.evicted, state.lost.of(block)})
      add(mask.bits);
    for (const std::uint64_t value : {std::uint64_t{b.range.n}, b.last_use.n, std::uint64_t{b.hotness}}) add(value);
    state.for_each_processor([&](ProcessorId p) {
      add(state.blocks.presence(block, p).resident.bits);
      add(state.blocks.presence(block, p).mapped.bits);
    });
  }
  for (const DeviceState& device : state.devices) {
    for (const Bytes bytes : {device.in_use, device.in_use_max, device.leaving, device.wanted}) add(bytes.n);
    for (const FaultStream& stream : device.streams.all()) add(stream.next + (std::uint64_t{stream.range.n} << 32));
  }
  for (auto i = state.waiters.oldest(); i != Waiters::none; i = state.waiters.newer(i)) {
    const Waiter& w = state.waiters.at(i);
    add(w.block.n);
    add(w.granule.n + (std::uint64_t{w.processor.n} << 32));
    add(w.not_before.n);
  }
  return hash;
}

}  // namespace umrt
