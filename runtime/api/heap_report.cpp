// SPDX-License-Identifier: Apache-2.0
// What a heap tells of itself: lookups, names, leaks, statistics.
#include <algorithm>
#include <map>

#include "api/call_site.h"
#include "api/heap_state.h"

namespace umrt {
namespace {

struct LiveObjects {
  Bytes asked;
  std::uint32_t count = 0;
};

template <class Visit>
void for_each_live_object(const SmallSlab& slab, Visit&& visit) {
  for (std::uint32_t i = 0; i < slab.capacity(); ++i) {
    const ObjectWord word{slab.object(i).word.load(std::memory_order_acquire)};
    if (word.state() == ObjectState::live)
      visit(word.asked(), slab.object(i).call_site.load(std::memory_order_relaxed));
  }
}

LiveObjects live_objects(const SmallSlab& slab) {
  LiveObjects live;
  for_each_live_object(slab, [&](Bytes asked, const void*) {
    live.asked += asked;
    ++live.count;
  });
  return live;
}

bool narrow_to_object(const SmallSlab& slab, std::uint64_t use, Address address, Allocation& allocation) {
  const auto position = slab.object_at(address - allocation.range_base);
  if (!position) return false;
  const SmallObject& object = slab.object(position->index);
  const ObjectWord word{object.word.load(std::memory_order_acquire)};
  allocation.base = allocation.range_base + position->begin;
  allocation.bytes = word.asked();
  allocation.call_site = object.call_site.load(std::memory_order_relaxed);
  allocation.is_small = true;
  return word.use() == use && word.state() == ObjectState::live;
}

}  // namespace

std::optional<Allocation> Heap::find(const void* pointer) const {
  if (!state_->arena.contains(pointer)) return std::nullopt;
  const Address address = state_->arena.address(pointer);
  const RangeRecord* record = state_->registry.find(address).record;
  if (!record) return std::nullopt;
  const RangeWord word = record->read_word();
  if (word.state() != RangeState::live) return std::nullopt;
  constexpr auto in_order = std::memory_order_acquire;  // all before the word is read again
  Allocation allocation{.base = {record->base.load(in_order)},
                        .bytes = {record->asked.load(in_order)},
                        .range = record->range,
                        .range_base = {record->base.load(in_order)},
                        .range_bytes = {record->bytes.load(in_order)},
                        .page_class = record->page_class.load(in_order),
                        .call_site = record->call_site.load(in_order)};
  const SmallSlab* slab = record->small.load(in_order);
  if (record->read_word().bits != word.bits || address < allocation.range_base) return std::nullopt;
  if (slab && !narrow_to_object(*slab, word.use(), address, allocation)) return std::nullopt;
  if (address - allocation.base >= allocation.bytes) return std::nullopt;
  return allocation;
}

std::optional<RangeFacts> Heap::range_facts(RangeId range) const {
  const std::lock_guard held{state_->mutex};
  const RangeRecord* record = state_->registry.at(range);
  if (!record || record->read_word().state() != RangeState::live) return std::nullopt;
  RangeFacts facts{.name = record->name,
                   .call_site = record->call_site.load(std::memory_order_relaxed),
                   .asked = {record->asked.load(std::memory_order_relaxed)},
                   .hints = record->hints,
                   .allocations = 1};
  if (const SmallSlab* slab = record->small.load(std::memory_order_acquire)) {
    const LiveObjects live = live_objects(*slab);
    if (live.count == 0) return std::nullopt;
    facts.asked = live.asked;
    facts.allocations = live.count;
  }
  return facts;
}

void Heap::set_hints(RangeId range, const Hints& hints) {
  const std::lock_guard held{state_->mutex};
  RangeRecord* record = state_->registry.at(range);
  if (!record) return;
  record->hints = hints;
  if (hints != Hints{}) record->is_reusable.store(false, std::memory_order_relaxed);
}

void Heap::flush_caches() { state_->flush_caches(); }

std::vector<Leak> Heap::leaks() const {
  std::vector<Leak> leaks;
  std::vector<const void*> call_sites;
  {
    const std::lock_guard held{state_->mutex};
    std::map<const void*, Leak> small;
    state_->registry.for_each([&](const RangeRecord& record) {
      if (record.read_word().state() != RangeState::live) return;
      if (const SmallSlab* slab = record.small.load(std::memory_order_acquire)) {
        for_each_live_object(*slab, [&](Bytes asked, const void* call_site) {
          Leak& leak = small.try_emplace(call_site, Leak{.allocations = 0, .name = "small allocations"}).first->second;
          leak.bytes += asked;
          ++leak.allocations;
        });
        return;
      }
      leaks.push_back(
          {.bytes = {record.asked.load(std::memory_order_relaxed)}, .hints = record.hints, .name = record.name});
      call_sites.push_back(record.call_site.load(std::memory_order_relaxed));
    });
    for (auto& [call_site, leak] : small) {
      leaks.push_back(std::move(leak));
      call_sites.push_back(call_site);
    }
  }
  const std::vector<std::string> texts = describe_call_sites(call_sites);
  for (std::size_t i = 0; i < leaks.size(); ++i) leaks[i].call_site = texts[i];
  std::stable_sort(leaks.begin(), leaks.end(), [](const Leak& a, const Leak& b) { return a.bytes > b.bytes; });
  return leaks;
}

HeapStatistics Heap::statistics() const {
  const Bytes cached = state_->caches->held();
  const std::lock_guard held{state_->mutex};
  SmallStatistics small;
  state_->registry.for_each([&](const RangeRecord& record) {
    if (record.read_word().state() != RangeState::live) return;
    const SmallSlab* slab = record.small.load(std::memory_order_acquire);
    const LiveObjects live = slab ? live_objects(*slab) : LiveObjects{};
    if (live.count == 0) return;
    small.allocations += live.count;
    small.asked += live.asked;
    small.ranges += small_slab_bytes;
  });
  return {.small_zone = state_->small_zone.chunks.statistics(),
          .huge_zone = state_->huge_zone.chunks.statistics(),
          .cached = cached,
          .small = small};
}

void Heap::check_invariants() const {
  const std::lock_guard held{state_->mutex};
  state_->small_zone.chunks.check_invariants();
  state_->huge_zone.chunks.check_invariants();
}

}  // namespace umrt
