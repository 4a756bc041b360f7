// SPDX-License-Identifier: Apache-2.0
#include "api/range_registry.h"

#include <new>

#include "base/assert.h"

namespace umrt {

RangeRegistry::RangeRegistry(Bytes arena)
    : slab_count_{round_up(arena, slab_bytes) / slab_bytes},
      slabs_{static_cast<Slab*>(std::calloc(slab_count_, sizeof(Slab)))} {
  if (!slabs_) throw std::bad_alloc{};
}

RangeRecord& RangeRegistry::take() {
  RangeRecord* record = nullptr;
  if (unused_.empty()) {
    record = &records_.emplace_back();
    record->range = {static_cast<std::uint32_t>(records_.size() - 1)};
  } else {
    record = &records_[unused_.back().n];
    unused_.pop_back();
  }
  record->word.store(RangeWord::of(++uses_, RangeState::creating).bits, std::memory_order_release);
  return *record;
}

void RangeRegistry::give_back(RangeRecord& record) {
  record.set_state(RangeState::unused);
  record.small.store(nullptr, std::memory_order_relaxed);
  record.name.clear();
  unused_.push_back(record.range);
}

void RangeRegistry::publish(RangeRecord& record) {
  fill({record.base.load(std::memory_order_relaxed)}, {record.bytes.load(std::memory_order_relaxed)}, &record, &record);
}

void RangeRegistry::withdraw(const RangeRecord& record, bool was_live) {
  fill({record.base.load(std::memory_order_relaxed)}, {record.bytes.load(std::memory_order_relaxed)},
       was_live ? &freed_ : nullptr, nullptr);
}

void RangeRegistry::fill(Address base, Bytes bytes, RangeRecord* first, RangeRecord* rest) {
  const std::uint64_t slab_begin = base.n / slab_bytes.n;
  if (bytes >= slab_bytes) {
    UMRT_ASSERT(base.n % slab_bytes.n == 0);
    const std::uint64_t slab_end = slab_begin + round_up(bytes, slab_bytes) / slab_bytes;
    UMRT_ASSERT(slab_end <= slab_count_);
    for (std::uint64_t slab = slab_begin; slab < slab_end; ++slab) {
      range_of(slabs_[slab]).store(slab == slab_begin ? first : rest, std::memory_order_release);
    }
    return;
  }
  UMRT_ASSERT(slab_begin < slab_count_);
  Slab& slab = slabs_[slab_begin];
  Entry* pages = pages_of(slab).load(std::memory_order_relaxed);
  if (!pages) {
    pages = pages_.emplace_back(std::make_unique<Entry[]>(slab_bytes / page_bytes)).get();
    pages_of(slab).store(pages, std::memory_order_release);
  }
  const std::uint64_t page_begin = base.n % slab_bytes.n / page_bytes.n;
  const std::uint64_t page_end = page_begin + bytes / page_bytes;
  UMRT_ASSERT(page_end <= slab_bytes / page_bytes);
  for (std::uint64_t page = page_begin; page < page_end; ++page) {
    pages[page].store(page == page_begin ? first : rest, std::memory_order_release);
  }
  range_of(slab).store(nullptr, std::memory_order_release);  // a larger range may have been freed here
}

RangeRegistry::Found RangeRegistry::find(Address address) const {
  const std::uint64_t index = address.n / slab_bytes.n;
  if (index >= slab_count_) return {};
  Slab& slab = slabs_[index];
  Bytes unit = slab_bytes;
  RangeRecord* record = range_of(slab).load(std::memory_order_acquire);
  if (!record) {
    unit = page_bytes;
    const Entry* pages = pages_of(slab).load(std::memory_order_acquire);
    if (!pages) return {};
    record = pages[address.n % slab_bytes.n / page_bytes.n].load(std::memory_order_acquire);
  }
  if (record == &freed_) return {.record = nullptr, .was_freed = address.n % unit.n == 0};
  return {.record = record, .was_freed = false};
}

RangeRecord* RangeRegistry::at(RangeId range) {
  if (range.n >= records_.size()) return nullptr;
  RangeRecord& record = records_[range.n];
  return record.read_word().state() == RangeState::unused ? nullptr : &record;
}

}  // namespace umrt
