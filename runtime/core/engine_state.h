// SPDX-License-Identifier: Apache-2.0
// All that the engine knows. The functions that decide (faults, placement, prefetch, eviction, samples, remote, range
// and device life) each have a file of their own and work on this one state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/backoff.h"
#include "core/block_table.h"
#include "core/engine.h"
#include "core/fault_streams.h"
#include "core/lost_granules.h"
#include "core/range_table.h"
#include "core/waiters.h"

namespace umrt {

// Blocks that a sequential access has left behind. The newest leaves first: in a sweep that comes round again it is the
// one that is needed last. Where there are too many, the oldest are forgotten.
class SpentBlocks {
 public:
  void push(BlockId block) {
    blocks_[end_++ % blocks_.size()] = block;
    count_ = std::min(count_ + 1, blocks_.size());
  }
  std::optional<BlockId> pop() {
    if (count_ == 0) return std::nullopt;
    --count_;
    return blocks_[--end_ % blocks_.size()];
  }

 private:
  std::array<BlockId, 256> blocks_{};
  std::size_t end_ = 0, count_ = 0;
};

struct DeviceState {
  ProcessorId id;
  Bytes budget;
  Bytes in_use;  // frames resident, or reserved for what is on its way here
  Bytes in_use_max;
  Bytes leaving;                          // frames of `in_use` that actions in flight give back
  Bytes wanted;                           // frames that waiters wait for
  std::uint32_t actions_in_flight = 0;    // from or to here
  std::uint32_t evictions_in_flight = 0;  // of these: leaving by eviction
  std::uint32_t prefetches_in_flight = 0;
  std::uint32_t duplicates = 0;  // granules here that are duplicated
  bool is_ready = true;
  bool is_queue_shorter = false;  // a waiter has left the queue for frames without taking any
  bool is_refilling = false;      // below the low water mark, on the way to the high one
  std::optional<RequestId> evacuation;
  bool is_evacuation_complete = true;
  std::unique_ptr<EvictionPolicy> eviction;
  FaultStreams streams;
  SpentBlocks spent;

  Bytes free() const { return {budget.n > in_use.n ? budget.n - in_use.n : 0}; }
};

struct PrefetchJob {  // one PrefetchRequested
  static constexpr std::uint32_t in_flight_max = 16;
  struct Part {
    BlockId block;
    GranuleMask granules;
  };
  RequestId request;
  RangeId range;
  ProcessorId target;
  BlockId cursor, end;
  Bytes begin_offset, end_offset;
  Ticks at;
  std::array<Part, in_flight_max> parts{};
  std::uint32_t in_flight = 0;
  bool is_complete = true;
};

struct EngineState {
  explicit EngineState(EngineConfig configuration);

  EngineConfig config;
  Ticks now;
  RangeTable ranges;
  BlockTable blocks;
  std::vector<DeviceState> devices;
  std::unique_ptr<FetchPolicy> fetch;
  std::unique_ptr<ThrashingPolicy> thrashing;
  Waiters waiters;
  PinnedBlocks pinned;
  Retries retries;
  LostGranules lost;
  std::vector<PrefetchJob> jobs;
  std::vector<RangeId> gathering;  // ranges on their way to a remote mapping
  Counters total;
  std::uint64_t launches_ended = 0;
  std::vector<Action>* actions = nullptr;  // of the step that is running

  DeviceState& device(ProcessorId processor) { return devices[processor.device()]; }
  const DeviceState& device(ProcessorId processor) const { return devices[processor.device()]; }
  std::uint32_t processors() const { return static_cast<std::uint32_t>(devices.size()) + 1; }
  Range& range_of(BlockId block) { return ranges.at(blocks.at(block).range); }
  const Range& range_of(BlockId block) const { return ranges.at(blocks.at(block).range); }
  PresenceMasks& presence(BlockId block, ProcessorId processor) { return blocks.presence(block, processor); }

  template <class Visit>  // visit(ProcessorId), the host first
  void for_each_processor(Visit&& visit) const {
    for (std::uint32_t p = 0; p < processors(); ++p) visit(ProcessorId{static_cast<std::uint8_t>(p)});
  }
};

// Adds to the range's counters and to the total.
template <class Add>
void tally(EngineState& state, Range& range, Add&& add) {
  add(range.counters);
  add(state.total);
}

}  // namespace umrt
