// SPDX-License-Identifier: Apache-2.0
// The interfaces of policies. A policy sees what happened and answers with a choice; it moves nothing and counts
// nothing. Implementations and the table of their names are in runtime/policy/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/action.h"
#include "core/counters.h"
#include "core/event.h"

namespace umrt {

// One per device. Orders the blocks that hold frames there.
class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;
  virtual void reserve(std::uint32_t blocks) = 0;         // BlockIds stay below; called outside of the fault path
  virtual void migrated_in(BlockId block, Ticks at) = 0;  // some granules became resident on this device
  virtual void touched(BlockId block, Ticks at) = 0;      // a fault, or a sample that was used, on a resident block
  virtual void removed(BlockId block) = 0;                // nothing of it is resident here any more, or all is leaving

  // Whether the engine may take this block now (nothing in flight, not pinned, not needed by a waiting thread).
  struct Filter {
    virtual bool may_evict(BlockId block) const = 0;

   protected:
    ~Filter() = default;
  };
  virtual std::optional<BlockId> victim(const Filter& filter) = 0;  // none: nothing may be evicted. Changes no order
};

struct FetchContext {  // one fault, or one prefetch, on one block
  PageClass page_class;
  GranuleIndex faulted;
  GranuleMask exists;    // granules of this block that the range has
  GranuleMask resident;  // at the processor that faulted
  GranuleMask in_flight;
  GranuleMask fetchable;  // may be brought there with one action: same place, nothing in flight
  Hints hints;
  ProcessorId processor;
  bool is_dense = false;  // at least 80 % of what came to devices before was used
};

// Which granules of the block to bring along with the faulted one. The faulted one is always in the answer.
class FetchPolicy {
 public:
  virtual ~FetchPolicy() = default;
  virtual GranuleMask fetch(const FetchContext& context) = 0;
  virtual Reason reason() const = 0;  // of what is fetched beyond the faulted granule
};

// Whether two processors want a block in turn.
class ThrashingPolicy {
 public:
  virtual ~ThrashingPolicy() = default;
  virtual void reserve(std::uint32_t blocks) = 0;
  // A migration by fault of this block to `processor`. The answer: until when a migration away is to wait.
  virtual std::optional<Ticks> migrated(BlockId block, ProcessorId processor, Ticks at) = 0;
  virtual std::optional<Ticks> held_until(BlockId block, ProcessorId wanted_by, Ticks at) const = 0;
  virtual void forget(BlockId block) = 0;  // moved by a prefetch or an advice, or freed
};

struct PolicySet {  // what one name stands for
  std::unique_ptr<EvictionPolicy> (*make_eviction)();
  std::unique_ptr<FetchPolicy> (*make_fetch)();
  std::unique_ptr<ThrashingPolicy> (*make_thrashing)();
  // Fetches ahead of sequences across blocks, evicts ahead of need, lets go first what a sequence has left behind.
  bool works_ahead = true;
};

struct PolicyRow {
  std::string_view name, summary;
  PolicySet make;
};

}  // namespace umrt
