// SPDX-License-Identifier: Apache-2.0
// The faults that have not been answered yet, oldest first. Faults of several threads on one granule are one waiter:
// what answers one answers all. The capacity is fixed; nothing here allocates after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/event.h"

namespace umrt {

struct Waiter {
  RangeId range;
  BlockId block;
  GranuleIndex granule;
  ProcessorId processor;
  Access access = Access::read;  // write when any of the threads writes
  std::uint8_t attempts = 0;     // failed ones
  bool is_protection = false;    // a mapping was there and refused a write
  bool is_late = false;          // a thread joined while the granule was in flight: the landing may have missed it
  std::uint16_t older = 0, newer = 0;
  Ticks since;
  Ticks not_before;  // held by the thrashing policy, or backing off
  Bytes wanted;      // frames that it waits for
};

class Waiters {
 public:
  using Index = std::uint16_t;
  static constexpr Index none = UINT16_MAX;

  explicit Waiters(std::uint16_t capacity);

  Index find(BlockId block, GranuleIndex granule, ProcessorId processor) const;
  Index add(const Waiter& waiter);  // none: full
  void remove(Index index);

  Waiter& at(Index index) { return waiters_[index]; }
  const Waiter& at(Index index) const { return waiters_[index]; }
  Index oldest() const { return oldest_; }
  Index newer(Index index) const { return waiters_[index].newer; }
  bool empty() const { return oldest_ == none; }
  std::uint32_t count() const { return count_; }
  bool has(BlockId block, ProcessorId processor) const;

 private:
  std::vector<Waiter> waiters_;
  Index oldest_ = none, newest_ = none, free_ = none;
  std::uint32_t count_ = 0;
};

}  // namespace umrt
