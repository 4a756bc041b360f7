// SPDX-License-Identifier: Apache-2.0
#include "core/device_life.h"

#include "core/eviction.h"
#include "core/faults.h"
#include "core/prefetch.h"
#include "core/residency.h"

namespace umrt {
namespace {

template <class Visit>  // visit(BlockId) for blocks with bytes on the device
void for_each_block_on(EngineState& state, const DeviceState& device, Visit&& visit) {
  for (BlockId block{0}; block.n < state.blocks.size(); ++block.n) {
    if (state.blocks.at(block).range == RangeId{}) continue;
    if (!state.presence(block, device.id).resident.empty()) visit(block);
  }
}

}  // namespace

void count_lost(EngineState& state, BlockId block, GranuleMask granules) {
  const GranuleMask lost = granules - held_anywhere(state, block) - state.lost.of(block);
  if (lost.empty()) return;
  clear_duplicates(state, block, lost);
  state.lost.add(block, lost);
  tally(state, state.range_of(block), [&](Counters& c) { c.data_lost_granules += lost.count(); });
}

void lose_written(EngineState& state, BlockId block, GranuleMask written) {
  const GranuleMask lost = written - state.lost.of(block);
  if (lost.empty()) return;
  state.lost.add(block, lost);
  tally(state, state.range_of(block), [&](Counters& c) { c.data_lost_granules += lost.count(); });
  discard_lost(state, block);
}

void discard_lost(EngineState& state, BlockId block) {
  if (state.lost.empty()) return;
  state.for_each_processor([&](ProcessorId p) {
    const GranuleMask outdated =
        (state.presence(block, p).resident & state.lost.of(block)) - state.blocks.at(block).in_flight;
    if (outdated.empty()) return;
    order(state, block,
          {.operation = Operation::discard, .granules = outdated, .target = p, .reason = Reason::demand_fetch});
  });
}

void lose_device(EngineState& state, const DeviceLost& lost) {
  DeviceState& device = state.device(lost.device);
  device.is_ready = false;
  device.is_refilling = false;
  end_prefetches(state, lost.device);
  drop_waiters(state, lost.device);
  for_each_block_on(state, device, [&](BlockId block) {
    const BlockState& b = state.blocks.at(block);
    const PresenceMasks here = state.presence(block, device.id);
    const GranuleMask stale_elsewhere = (here.mapped & held_elsewhere(state, block, device.id)) - b.is_duplicated;
    leave(state, block, device.id, here.resident);
    if (!state.range_of(block).is_freed) {
      lose_written(state, block, stale_elsewhere);
      count_lost(state, block, here.resident - b.in_flight);  // the others: when their action lands
    }
  });
  if (device.evacuation) {
    state.actions->emplace_back(RequestDone{.request = *device.evacuation, .is_complete = false});
    device.evacuation.reset();
  }
  retry_waiters(state);
}

void evacuate_device(EngineState& state, const DeviceEvacuated& evacuated) {
  DeviceState& device = state.device(evacuated.device);
  device.is_ready = false;
  device.is_refilling = false;
  end_prefetches(state, evacuated.device);
  if (device.evacuation) state.actions->emplace_back(RequestDone{.request = *device.evacuation, .is_complete = false});
  device.evacuation = evacuated.request;
  for_each_block_on(state, device,
                    [&](BlockId block) { send_home(state, block, device, Cause::user, Reason::device_lost); });
}

void advance_evacuations(EngineState& state) {
  for (DeviceState& device : state.devices) {
    if (!device.evacuation || device.actions_in_flight > 0) continue;
    if (device.in_use > Bytes{}) {
      for_each_block_on(state, device, [&](BlockId block) {
        if (state.pinned.has(block, state.now)) return;
        send_home(state, block, device, Cause::user, Reason::device_lost);
      });
      continue;
    }
    state.actions->emplace_back(RequestDone{.request = *device.evacuation});
    device.evacuation.reset();
  }
}

void ready_device(EngineState& state, const DeviceReady& ready) {
  state.device(ready.device).is_ready = true;
  wake_waiters(state, ready.device);
  retry_waiters(state);
}

}  // namespace umrt
