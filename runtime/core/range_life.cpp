// SPDX-License-Identifier: Apache-2.0
#include "core/range_life.h"

#include "core/eviction.h"
#include "core/faults.h"
#include "core/prefetch.h"
#include "core/remote.h"
#include "core/residency.h"

namespace umrt {
namespace {

// Duplicates of a block that is no longer read-mostly end: one copy stays, the host's where it has one. Its write
// protection goes with the first write.
void drop_duplicates(EngineState& state, BlockId block) {
  const BlockState& b = state.blocks.at(block);
  if (b.is_duplicated.empty()) return;
  for (DeviceState& device : state.devices) {
    const GranuleMask extra = state.presence(block, device.id).resident & held_elsewhere(state, block, device.id) &
                              (b.is_duplicated - b.in_flight);
    if (extra.empty()) continue;
    order(state, block,
          {.operation = Operation::discard,
           .granules = extra,
           .target = device.id,
           .cause = Cause::user,
           .reason = Reason::collapse_write});
  }
}

}  // namespace

void create_range(EngineState& state, const RangeCreated& created) {
  const std::uint32_t blocks = static_cast<std::uint32_t>(round_up(created.bytes, block_bytes(created.page_class)) /
                                                          block_bytes(created.page_class));
  const std::uint32_t size_before = state.blocks.size();
  const BlockId first = state.blocks.add(created.range, blocks, created.hints);
  state.ranges.add(created, first).launches_before = state.launches_ended;
  state.gathering.reserve(state.ranges.ids());
  if (state.blocks.size() == size_before) return;
  state.thrashing->reserve(state.blocks.size());
  for (DeviceState& device : state.devices) device.eviction->reserve(state.blocks.size());
}

void advise_range(EngineState& state, const RangeAdvised& advised) {
  if (!state.ranges.has(advised.range) || state.ranges.at(advised.range).is_freed || advised.end <= advised.begin) {
    state.actions->emplace_back(RequestDone{.request = advised.request, .is_complete = false});
    return;
  }
  Range& range = state.ranges.at(advised.range);
  UMRT_ASSERT(advised.end <= range.bytes);
  const BlockId end{range.block_at({advised.end.n - 1}).n + 1};
  for (BlockId block = range.block_at(advised.begin); block < end; ++block.n) {
    const bool was_read_mostly = state.blocks.hints(block).is_read_mostly;
    state.blocks.set_hints(block, advised.hints);
    state.thrashing->forget(block);
    if (was_read_mostly && !advised.hints.is_read_mostly) drop_duplicates(state, block);
  }
  remote_advised(state, range);
  state.actions->emplace_back(RequestDone{.request = advised.request});
}

void free_range(EngineState& state, const RangeFreed& freed) {
  Range& range = state.ranges.at(freed.range);
  UMRT_ASSERT(!range.is_freed);
  range.is_freed = true;
  range.free_request = freed.request;
  end_prefetches(state, range.id);
  for (DeviceState& device : state.devices) device.streams.forget(range.id);
  if (range.remote == RemoteState::gathering) range.remote = RemoteState::local;
  for (BlockId block = range.first_block; block < range.block_end(); ++block.n) discard_freed(state, block);
  release_if_done(state, range);
}

void discard_freed(EngineState& state, BlockId block) {
  for (DeviceState& device : state.devices) {
    send_home(state, block, device, Cause::user, Reason::free_range, false);
  }
}

void release_if_done(EngineState& state, Range& range) {
  if (!range.is_freed || range.actions_in_flight > 0) return;
  end_remote(state, range);
  if (range.remote != RemoteState::local) return;  // RemoteDone comes first
  for (const DeviceState& device : state.devices) {
    if (range.counters.resident[device.id.n] > Bytes{}) return;  // what could not be discarded is tried again
  }
  wake_waiters(state, range.id);
  state.actions->emplace_back(RangeReleased{.range = range.id,
                                            .base = range.base,
                                            .bytes = range.bytes,
                                            .page_class = range.page_class,
                                            .request = range.free_request});
  for (BlockId block = range.first_block; block < range.block_end(); ++block.n) {
    leave(state, block, host_processor, GranuleMask::first(32));
    state.thrashing->forget(block);
    if (!state.pinned.empty()) state.pinned.forget(block);
  }
  std::erase(state.gathering, range.id);
  state.lost.forget(range.first_block, range.block_end());
  state.blocks.remove(range.first_block, range.blocks);
  state.ranges.remove(range.id);
}

}  // namespace umrt
