// SPDX-License-Identifier: Apache-2.0
#include "core/block_table.h"

#include <algorithm>

namespace umrt {

BlockTable::BlockTable(std::uint32_t devices) : side_devices_{devices > 1 ? devices - 1 : 0}, hints_(1) {}

BlockId BlockTable::add(RangeId range, std::uint32_t count, const Hints& hints) {
  UMRT_ASSERT(count > 0);
  ++live_;
  if (free_.capacity() < live_ + 1) free_.reserve(2 * live_ + 1);  // removing never allocates
  const std::uint32_t begin = take(count);
  const std::uint16_t row = row_of(hints);
  for (std::uint32_t n = begin; n < begin + count; ++n) {
    blocks_[n] = BlockState{};
    blocks_[n].range = range;
    blocks_[n].hints_row = row;
  }
  const auto side = side_.begin() + static_cast<std::ptrdiff_t>(std::uint64_t{begin} * side_devices_);
  std::fill_n(side, std::uint64_t{count} * side_devices_, PresenceMasks{});
  return {begin};
}

std::uint32_t BlockTable::take(std::uint32_t count) {
  const auto fits = [&](const Span& span) { return span.count >= count; };
  const auto span = std::find_if(free_.begin(), free_.end(), fits);
  if (span != free_.end()) {
    const std::uint32_t begin = span->begin;
    span->begin += count;
    span->count -= count;
    if (span->count == 0) free_.erase(span);
    return begin;
  }
  const std::uint32_t begin = size();
  UMRT_ASSERT(begin + count > begin);
  blocks_.resize(begin + count);
  side_.resize(std::uint64_t{begin + count} * side_devices_);
  return begin;
}

void BlockTable::remove(BlockId first, std::uint32_t count) {
  --live_;
  for (std::uint32_t n = first.n; n < first.n + count; ++n) blocks_[n] = BlockState{};
  const auto after = [](const Span& span, std::uint32_t begin) { return span.begin < begin; };
  auto next = std::lower_bound(free_.begin(), free_.end(), first.n, after);
  if (next != free_.begin() && std::prev(next)->begin + std::prev(next)->count == first.n) {
    auto previous = std::prev(next);
    previous->count += count;
    if (next != free_.end() && previous->begin + previous->count == next->begin) {
      previous->count += next->count;
      free_.erase(next);
    }
    return;
  }
  if (next != free_.end() && first.n + count == next->begin) {
    next->begin = first.n;
    next->count += count;
    return;
  }
  free_.insert(next, Span{first.n, count});
}

std::uint16_t BlockTable::row_of(const Hints& hints) {
  const auto found = std::find(hints_.begin(), hints_.end(), hints);
  if (found != hints_.end()) return static_cast<std::uint16_t>(found - hints_.begin());
  if (hints_.size() > UINT16_MAX) return 0;  // hints change speed alone: without a free row there are none
  hints_.push_back(hints);
  return static_cast<std::uint16_t>(hints_.size() - 1);
}

}  // namespace umrt
