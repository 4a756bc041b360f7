// SPDX-License-Identifier: Apache-2.0
#include "api/small_objects.h"

#include <bit>

#include "base/assert.h"

namespace umrt {

void SmallSlab::bind(RangeRecord& record, std::uint32_t size_index) {
  record_ = &record;
  base_.store(record.base.load(std::memory_order_relaxed), std::memory_order_relaxed);
  size_index_.store(size_index, std::memory_order_relaxed);
  use_ = record.read_word().use();
  is_retired_.store(false, std::memory_order_relaxed);
  free_.fill(0);
  free_count_ = capacity();
  for (std::uint32_t i = 0; i < free_count_; ++i) {
    free_[i / 64] |= 1ull << (i % 64);
    objects_[i].word.store(ObjectWord::of(use_, {}, ObjectState::free).bits, std::memory_order_release);
  }
}

std::optional<SmallSlab::Position> SmallSlab::object_at(Bytes offset) const {
  const Bytes object = object_bytes();  // read once: a pointer that was freed can meet a slab that changes
  const auto index = static_cast<std::uint32_t>(offset / object);
  if (index >= small_slab_bytes / object) return std::nullopt;
  return Position{.index = index, .begin = object * index};
}

void SmallObjects::list(SmallSlab& slab) {
  auto& slabs = with_free_[slab.size_index()];
  slab.place_ = static_cast<std::uint32_t>(slabs.size());
  slabs.push_back(&slab);
}

void SmallObjects::unlist(SmallSlab& slab) {
  auto& slabs = with_free_[slab.size_index()];
  slabs.back()->place_ = slab.place_;
  slabs[slab.place_] = slabs.back();
  slabs.pop_back();
  slab.place_ = ~0u;
}

void SmallObjects::add(RangeRecord& record, std::uint32_t size_index) {
  if (unused_.empty()) unused_.push_back(slabs_.emplace_back(std::make_unique<SmallSlab>()).get());
  SmallSlab& slab = *unused_.back();
  unused_.pop_back();
  slab.bind(record, size_index);
  record.small.store(&slab, std::memory_order_release);
  ++empty_[size_index];
  list(slab);
}

std::size_t SmallObjects::take(std::uint32_t size_index, std::span<ObjectRef> objects) {
  auto& slabs = with_free_[size_index];
  std::size_t taken = 0;
  while (taken < objects.size() && !slabs.empty()) {
    SmallSlab& slab = *slabs.back();
    if (slab.free_count_ == slab.capacity()) --empty_[size_index];
    for (std::uint32_t word = 0; word < slab.free_.size() && taken < objects.size(); ++word) {
      while (slab.free_[word] != 0 && taken < objects.size()) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(slab.free_[word]));
        slab.free_[word] &= slab.free_[word] - 1;
        --slab.free_count_;
        objects[taken++] = {.slab = &slab, .index = word * 64 + bit};
      }
    }
    if (slab.free_count_ == 0) unlist(slab);
  }
  return taken;
}

RangeRecord* SmallObjects::give_back(ObjectRef object) {
  SmallSlab& slab = *object.slab;
  std::uint64_t& word = slab.free_[object.index / 64];
  const std::uint64_t bit = 1ull << (object.index % 64);
  UMRT_ASSERT((word & bit) == 0);
  std::atomic<std::uint64_t>& state = slab.object(object.index).word;
  const Bytes asked = ObjectWord{state.load(std::memory_order_relaxed)}.asked();  // not 0: it was handed out once
  state.store(ObjectWord::of(slab.use_, asked, ObjectState::free).bits, std::memory_order_release);
  word |= bit;
  ++slab.free_count_;
  if (slab.place_ == ~0u && !slab.is_retired()) list(slab);
  if (slab.free_count_ < slab.capacity()) return nullptr;
  if (!slab.is_retired()) {
    if (empty_[slab.size_index()] == 0) {
      ++empty_[slab.size_index()];
      return nullptr;
    }
    unlist(slab);
  }
  unused_.push_back(&slab);
  return slab.record_;
}

void SmallObjects::retire_all(std::vector<RangeRecord*>& unused) {
  for (auto& slabs : with_free_) {
    while (!slabs.empty()) {
      SmallSlab& slab = *slabs.back();
      unlist(slab);
      if (slab.free_count_ < slab.capacity()) continue;
      unused_.push_back(&slab);
      unused.push_back(slab.record_);
    }
  }
  empty_.fill(0);
  for (const auto& slab : slabs_) slab->is_retired_.store(true, std::memory_order_relaxed);  // also full ones
}

}  // namespace umrt
