// SPDX-License-Identifier: Apache-2.0
#include "core/remote.h"

#include <algorithm>

#include "core/faults.h"
#include "core/prefetch.h"
#include "core/range_life.h"
#include "core/residency.h"

namespace umrt {
namespace {

// Orders the next steps that bring one block home, staged. False: nothing is left to do.
bool gather(EngineState& state, BlockId block) {
  const BlockState& b = state.blocks.at(block);
  bool is_moving = false;
  for (DeviceState& device : state.devices) {
    const GranuleMask here = state.presence(block, device.id).resident - b.in_flight;
    if (here.empty()) continue;
    is_moving = true;
    const GranuleMask clean = here & held_elsewhere(state, block, device.id);
    const Order common{.cause = Cause::demand, .reason = state.range_of(block).counters.placement, .is_mapped = false};
    if (!clean.empty()) {
      Order discard = common;
      discard.operation = Operation::discard;
      discard.granules = clean;
      discard.target = device.id;
      order(state, block, discard);
    }
    if (const GranuleMask only_here = here - clean; !only_here.empty()) {
      Order migrate = common;
      migrate.operation = Operation::migrate;
      migrate.granules = only_here;
      migrate.source = device.id;
      migrate.target = host_processor;
      order(state, block, migrate);
    }
  }
  const GranuleMask mapped = b.host.mapped - b.in_flight;
  if (!is_moving && !mapped.empty()) {
    is_moving = true;
    order(state, block,
          {.operation = Operation::unmap,
           .granules = mapped,
           .target = host_processor,
           .reason = state.range_of(block).counters.placement});
  }
  return is_moving;
}

void order_remote(EngineState& state, Range& range, bool is_remote) {
  range.remote = is_remote ? RemoteState::mapping : RemoteState::leaving;
  state.actions->emplace_back(RemoteAction{.range = range.id,
                                           .base = range.base,
                                           .bytes = range.bytes,
                                           .is_remote = is_remote,
                                           .page_class = range.page_class,
                                           .keeps_bytes = !range.is_freed});
}

void mark_remote(EngineState& state, Range& range, bool is_remote) {
  for (BlockId block = range.first_block; block < range.block_end(); ++block.n) {
    const GranuleMask exists = range.exists(block);
    state.blocks.at(block).remote = is_remote ? exists : GranuleMask{};
    if (is_remote) {
      clear_duplicates(state, block, exists);
      leave(state, block, host_processor, exists);
    } else if (!range.is_freed) {
      arrive(state, block, host_processor, exists, true);
    }
  }
  tally(state, range, [&](Counters& c) {
    if (is_remote) {
      c.resident_remote += range.bytes;
    } else {
      c.resident_remote -= range.bytes;
    }
  });
}

void call_off(EngineState& state, Range& range) {
  range.remote = RemoteState::local;
  retry_waiters(state);
}

bool is_hinted(const Hints& hints) { return hints.preferred.is_host() && (hints.accessed_by & ~1u) != 0; }

bool is_remote_hinted(const EngineState& state, const Range& range) {
  for (BlockId block = range.first_block; block < range.block_end(); ++block.n) {
    if (is_hinted(state.blocks.hints(block))) return true;
  }
  return false;
}

}  // namespace

void begin_remote(EngineState& state, Range& range) {
  UMRT_ASSERT(range.remote == RemoteState::local);
  range.remote = RemoteState::gathering;
  end_prefetches(state, range.id);
  state.gathering.push_back(range.id);
}

void end_remote(EngineState& state, Range& range) {
  if (range.remote == RemoteState::remote) order_remote(state, range, false);
}

void remote_advised(EngineState& state, Range& range) {
  range.is_remote_refused = false;
  if (is_remote_hinted(state, range)) return;
  if (range.remote == RemoteState::gathering) {
    call_off(state, range);
  } else {
    end_remote(state, range);
  }
}

void advance_remote(EngineState& state) {
  for (std::size_t i = 0; i < state.gathering.size();) {
    Range& range = state.ranges.at(state.gathering[i]);
    if (range.remote != RemoteState::gathering) {  // called off
      state.gathering.erase(state.gathering.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (state.lost.has_any(range.first_block, range.block_end())) {  // absent granules would become zeros
      call_off(state, range);
      continue;
    }
    ++i;
    if (range.actions_in_flight > 0 || range.gather_not_before > state.now) continue;
    bool is_moving = false;
    for (BlockId block = range.first_block; block < range.block_end(); ++block.n) {
      is_moving = gather(state, block) || is_moving;
    }
    if (!is_moving) order_remote(state, range, true);
  }
}

void remote_done(EngineState& state, const RemoteDone& done) {
  if (!state.ranges.has(done.range)) return;
  Range& range = state.ranges.at(done.range);
  if (range.remote == RemoteState::mapping) {
    range.remote = done.is_done && done.is_remote ? RemoteState::remote : RemoteState::local;
    if (range.remote == RemoteState::remote) {
      mark_remote(state, range, true);
      const bool is_hint_over =
          range.counters.placement == Reason::hint_remote && !is_remote_hinted(state, range);  // meanwhile
      if (is_hint_over) end_remote(state, range);
    } else {
      range.is_remote_refused = true;
    }
  } else if (range.remote == RemoteState::leaving) {
    range.remote = done.is_done && !done.is_remote ? RemoteState::local : RemoteState::remote;
    if (range.remote == RemoteState::local) mark_remote(state, range, false);
  }
  retry_waiters(state);
  release_if_done(state, range);
}

}  // namespace umrt
