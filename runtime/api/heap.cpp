// SPDX-License-Identifier: Apache-2.0
#include "api/heap.h"

#include <fmt/format.h>

#include <array>

#include "api/heap_state.h"

namespace umrt {
namespace {

constexpr PageClass page_class_for(Bytes bytes) {
  if (bytes >= 2_MiB) return PageClass::page_2m;
  return bytes >= 64_KiB ? PageClass::page_64k : PageClass::page_4k;
}

bool is_default(const AllocationRequest& request) {
  return !request.page_class && request.hints == Hints{} && request.name.empty();
}

Status double_free(std::string pointer) {
  return failure(UMRT_ERROR_DOUBLE_FREE, fmt::format("pointer = {} was freed already", pointer));
}

Status inside_of(std::string pointer, Bytes offset, Bytes bytes) {
  return failure(UMRT_ERROR_FOREIGN_POINTER,
                 fmt::format("pointer = {} is {} bytes into an allocation of {} bytes; free takes its first byte",
                             pointer, offset.n, bytes.n));
}

Status never_handed_out(std::string pointer) {
  return failure(UMRT_ERROR_FOREIGN_POINTER,
                 fmt::format("pointer = {} is not from umrt_malloc: no allocation is there", pointer));
}

}  // namespace

Heap::Heap(const Arena& arena, RangeBackend& backend) : state_{std::make_unique<State>(arena, backend)} {}

Heap::~Heap() { state_->caches->close(); }

Result<void*> Heap::allocate(const AllocationRequest& request) { return state_->allocate(request); }

Result<void*> Heap::State::allocate(const AllocationRequest& request) {
  if (request.bytes.n == 0) return failure(UMRT_ERROR_INVALID_VALUE, "bytes = 0; at least 1 is needed");
  if (backend.device_deaths() != deaths_seen.load(std::memory_order_acquire)) retire_all();
  const bool is_usual = is_default(request);
  if (is_usual && is_small(request.bytes)) return allocate_small(request);

  const PageClass page_class = request.page_class.value_or(page_class_for(request.bytes));
  if (is_usual && request.bytes <= ThreadCache::range_max) {
    if (RangeRecord* range = take_cached(request, page_class)) {
      return static_cast<void*>(pointer({range->base.load(std::memory_order_relaxed)}));
    }
  }
  const auto created = create_range({.asked = request.bytes,
                                     .page_class = page_class,
                                     .hints = request.hints,
                                     .name = request.name,
                                     .call_site = request.call_site,
                                     .is_reusable = is_usual});
  if (!created) return tl::unexpected(created.error());
  (*created)->set_state(RangeState::live);
  return static_cast<void*>(pointer({(*created)->base.load(std::memory_order_relaxed)}));
}

RangeRecord* Heap::State::take_cached(const AllocationRequest& request, PageClass page_class) {
  const auto magazine = ThreadCache::magazine_of(page_class, round_up(request.bytes, granule_bytes(page_class)));
  ThreadCache* cache = magazine ? caches->local() : nullptr;
  RangeRecord* range = cache ? cache->take_range(*magazine) : nullptr;
  while (range && !range->is_reusable.load(std::memory_order_relaxed)) {  // freed while all was being retired
    give_back({.ranges = {range}, .objects = {}});
    range = cache->take_range(*magazine);
  }
  if (!range) return nullptr;
  const bool is_same = range->asked.load(std::memory_order_relaxed) == request.bytes.n &&
                       range->call_site.load(std::memory_order_relaxed) == request.call_site;
  if (!is_same) {
    range->asked.store(request.bytes.n, std::memory_order_relaxed);
    range->call_site.store(request.call_site, std::memory_order_relaxed);
    backend.renamed({.range = range->range,
                     .base = {range->base.load(std::memory_order_relaxed)},
                     .bytes = {range->bytes.load(std::memory_order_relaxed)},
                     .asked = request.bytes,
                     .page_class = page_class,
                     .hints = {},
                     .name = {},
                     .call_site = request.call_site});
  }
  range->set_state(RangeState::live);
  return range;
}

Result<void*> Heap::State::allocate_small(const AllocationRequest& request) {
  const std::uint32_t size_index = small_size_index(request.bytes);
  ThreadCache* cache = caches->local();
  auto object = cache ? cache->take_object(size_index) : std::nullopt;
  while (object && object->slab->is_retired()) {
    give_back({.ranges = {}, .objects = {*object}});
    object = cache->take_object(size_index);
  }
  if (!object) {
    const auto taken = refill(cache, size_index);
    if (!taken) return tl::unexpected(taken.error());
    object = *taken;
  }
  SmallSlab& slab = *object->slab;
  SmallObject& state = slab.object(object->index);
  state.call_site.store(request.call_site, std::memory_order_relaxed);
  state.word.store(ObjectWord::of(slab.use(), request.bytes, ObjectState::live).bits, std::memory_order_release);
  return static_cast<void*>(pointer(slab.base() + slab.object_bytes() * object->index));
}

Result<ObjectRef> Heap::State::refill(ThreadCache* cache, std::uint32_t size_index) {
  std::array<ObjectRef, ThreadCache::object_batch> batch;
  const std::span wanted = std::span{batch}.first(cache ? batch.size() : 1);
  std::size_t taken = 0;
  {
    const std::lock_guard held{mutex};
    taken = small_objects.take(size_index, wanted);
  }
  if (taken == 0) {
    const std::string name = small_range_name(size_index);
    const auto range = create_range(
        {.asked = small_slab_bytes, .page_class = PageClass::page_64k, .hints = {}, .name = name, .is_shared = true});
    if (!range) return tl::unexpected(range.error());
    const std::lock_guard held{mutex};
    small_objects.add(**range, size_index);
    (*range)->set_state(RangeState::live);
    taken = small_objects.take(size_index, wanted);
  }
  if (cache) cache->refill(size_index, std::span{batch}.first(taken - 1));
  return batch[taken - 1];
}

Status Heap::free(void* pointer) {
  if (!pointer) return {};
  if (!state_->arena.contains(pointer)) {
    return failure(UMRT_ERROR_FOREIGN_POINTER,
                   fmt::format("pointer = {} is not managed memory: it lies outside of the arena", pointer));
  }
  const Address address = state_->arena.address(pointer);
  const auto found = state_->registry.find(address);
  if (found.was_freed) return double_free(state_->describe(address));
  if (!found.record) return never_handed_out(state_->describe(address));
  const RangeWord word = found.record->read_word();
  const bool is_of_objects = found.record->small.load(std::memory_order_acquire) != nullptr;
  return is_of_objects ? state_->free_object(*found.record, word, address)
                       : state_->free_range(*found.record, word, address);
}

Status Heap::State::free_range(RangeRecord& record, RangeWord word, Address address) {
  const Address base{record.base.load(std::memory_order_acquire)};
  if (address > base) {
    const Bytes asked{record.asked.load(std::memory_order_relaxed)};
    if (word.state() != RangeState::live) return never_handed_out(describe(address));
    return inside_of(describe(address), address - base, asked);
  }
  // Below its base only if another thread has freed the range and the record is in use again: the word has changed.
  std::uint64_t expected = word.bits;
  const bool is_ours = address == base && word.state() == RangeState::live &&
                       record.word.compare_exchange_strong(expected, word.with(RangeState::cached).bits);
  if (!is_ours) return double_free(describe(address));

  wait_for_pending_work();
  if (record.is_reusable.load(std::memory_order_relaxed)) {
    const auto magazine = ThreadCache::magazine_of(record.page_class.load(std::memory_order_relaxed),
                                                   {record.bytes.load(std::memory_order_relaxed)});
    ThreadCache* cache = magazine ? caches->local() : nullptr;
    if (cache && cache->keep_range(*magazine, record)) return {};
  }
  return release_range(record);
}

Status Heap::State::free_object(RangeRecord& record, RangeWord word, Address address) {
  SmallSlab* slab = record.small.load(std::memory_order_acquire);
  const Address base{record.base.load(std::memory_order_acquire)};
  const bool is_inside = slab && address >= base && address - base < small_slab_bytes;
  if (!is_inside || word.state() != RangeState::live) return double_free(describe(address));  // released meanwhile
  const auto position = slab->object_at(address - base);
  if (!position) return never_handed_out(describe(address));

  SmallObject& object = slab->object(position->index);
  const ObjectWord seen{object.word.load(std::memory_order_acquire)};
  if (seen.use() != word.use()) return double_free(describe(address));
  const Bytes offset = address - base - position->begin;
  if (seen.asked().n == 0) return never_handed_out(describe(address));
  if (offset.n != 0) return inside_of(describe(address), offset, seen.asked());
  std::uint64_t expected = seen.bits;
  const ObjectWord ours = ObjectWord::of(seen.use(), seen.asked(), ObjectState::cached);
  if (seen.state() != ObjectState::live || !object.word.compare_exchange_strong(expected, ours.bits)) {
    return double_free(describe(address));
  }

  wait_for_pending_work();
  const ObjectRef freed{.slab = slab, .index = position->index};
  ThreadCache* cache = caches->local();
  if (!cache) return return_objects({&freed, 1});
  std::vector<ObjectRef> overflow;
  cache->keep_object(slab->size_index(), freed, overflow);
  return overflow.empty() ? Status{} : return_objects(overflow);
}

}  // namespace umrt
