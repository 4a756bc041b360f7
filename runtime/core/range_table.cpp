// SPDX-License-Identifier: Apache-2.0
#include "core/range_table.h"

#include <algorithm>

namespace umrt {

Range& RangeTable::add(const RangeCreated& created, BlockId first_block) {
  const Bytes granule = granule_bytes(created.page_class);
  UMRT_ASSERT(created.bytes.n > 0);
  UMRT_ASSERT(created.bytes.n % granule.n == 0);
  UMRT_ASSERT(created.base.n % granule.n == 0);
  UMRT_ASSERT(!has(created.range));
  if (created.range.n >= ranges_.size()) ranges_.resize(created.range.n + 1);
  auto range = std::make_unique<Range>();
  range->id = created.range;
  range->base = created.base;
  range->bytes = created.bytes;
  range->page_class = created.page_class;
  range->created = created.at;
  range->first_block = first_block;
  range->blocks = static_cast<std::uint32_t>(round_up(created.bytes, block_bytes(created.page_class)) /
                                             block_bytes(created.page_class));
  bytes_ += created.bytes;
  index(*range, created.range.n + 1);
  ranges_[created.range.n] = std::move(range);
  return *ranges_[created.range.n];
}

void RangeTable::remove(RangeId id) {
  const Range& range = at(id);
  index(range, 0);
  bytes_ -= range.bytes;
  ranges_[id.n].reset();
}

Range& RangeTable::at(RangeId id) {
  UMRT_ASSERT(has(id));
  return *ranges_[id.n];
}

const Range& RangeTable::at(RangeId id) const { return const_cast<RangeTable*>(this)->at(id); }

RangeId RangeTable::id_at(Address address) const {
  const std::uint64_t slot = address.n / slot_bytes.n;
  if (slot >= slots_.size()) return {};
  std::uint32_t value = slots_[slot];
  if (value & is_page) value = pages_[value & ~is_page][address.n % slot_bytes.n / 4096];
  return {value - 1};  // none is RangeId's own "none"
}

void RangeTable::index(const Range& range, std::uint32_t value) {
  const Address end = range.base + range.bytes;
  const std::uint64_t slots_needed = (end.n + slot_bytes.n - 1) / slot_bytes.n;
  if (slots_needed > slots_.size()) slots_.resize(slots_needed, 0);
  for (std::uint64_t at = range.base.n; at < end.n;) {
    const std::uint64_t slot = at / slot_bytes.n;
    const std::uint64_t slot_end = std::min((slot + 1) * slot_bytes.n, end.n);
    if (slot_end - at == slot_bytes.n) {
      slots_[slot] = value;
    } else {
      Page& page = pages_[page_of(slot)];
      const auto begin = page.begin() + static_cast<std::ptrdiff_t>(at % slot_bytes.n / 4096);
      std::fill_n(begin, (slot_end - at) / 4096, value);
      if (value == 0) give_back_if_empty(slot);
    }
    at = slot_end;
  }
}

std::uint32_t RangeTable::page_of(std::uint64_t slot) {
  if (slots_[slot] & is_page) return slots_[slot] & ~is_page;
  UMRT_ASSERT(slots_[slot] == 0);  // else two ranges overlap
  std::uint32_t page = 0;
  if (free_pages_.empty()) {
    page = static_cast<std::uint32_t>(pages_.size());
    pages_.emplace_back();
    free_pages_.reserve(pages_.capacity());  // giving one back never allocates
  } else {
    page = free_pages_.back();
    free_pages_.pop_back();
  }
  pages_[page].fill(0);
  slots_[slot] = is_page | page;
  return page;
}

void RangeTable::give_back_if_empty(std::uint64_t slot) {
  const std::uint32_t page = slots_[slot] & ~is_page;
  if (std::any_of(pages_[page].begin(), pages_[page].end(), [](std::uint32_t value) { return value != 0; })) return;
  free_pages_.push_back(page);
  slots_[slot] = 0;
}

}  // namespace umrt
