// SPDX-License-Identifier: Apache-2.0
#include "core/waiters.h"

namespace umrt {

Waiters::Waiters(std::uint16_t capacity) : waiters_(capacity) {
  UMRT_ASSERT(capacity < none);
  for (Index i = capacity; i-- > 0;) {
    waiters_[i].newer = free_;
    free_ = i;
  }
}

Waiters::Index Waiters::find(BlockId block, GranuleIndex granule, ProcessorId processor) const {
  for (Index i = oldest_; i != none; i = waiters_[i].newer) {
    const Waiter& w = waiters_[i];
    if (w.block == block && w.granule == granule && w.processor == processor) return i;
  }
  return none;
}

Waiters::Index Waiters::add(const Waiter& waiter) {
  if (free_ == none) return none;
  const Index index = free_;
  free_ = waiters_[index].newer;
  waiters_[index] = waiter;
  waiters_[index].older = newest_;
  waiters_[index].newer = none;
  (newest_ == none ? oldest_ : waiters_[newest_].newer) = index;
  newest_ = index;
  ++count_;
  return index;
}

void Waiters::remove(Index index) {
  const Waiter& w = waiters_[index];
  (w.older == none ? oldest_ : waiters_[w.older].newer) = w.newer;
  (w.newer == none ? newest_ : waiters_[w.newer].older) = w.older;
  waiters_[index].newer = free_;
  free_ = index;
  --count_;
}

bool Waiters::has(BlockId block, ProcessorId processor) const {
  for (Index i = oldest_; i != none; i = waiters_[i].newer) {
    if (waiters_[i].block == block && waiters_[i].processor == processor) return true;
  }
  return false;
}

}  // namespace umrt
