// SPDX-License-Identifier: Apache-2.0
#include "api/heap_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"

namespace umrt {
namespace {

constexpr Bytes growth_batch = 64_MiB;  // arena addresses that a zone takes at a time

template <class T>
void set(std::atomic<T>& field, T value) {
  field.store(value, std::memory_order_release);  // not before the word's new state (RangeRegistry)
}

NewRange as_new_range(const RangeRecord& record, const RangeRequest& request) {
  return {.range = record.range,
          .base = {record.base.load(std::memory_order_relaxed)},
          .bytes = {record.bytes.load(std::memory_order_relaxed)},
          .asked = request.asked,
          .page_class = request.page_class,
          .hints = request.hints,
          .name = request.name,
          .call_site = request.call_site,
          .is_shared = request.is_shared};
}

}  // namespace

std::string small_range_name(std::uint32_t size_index) {
  return fmt::format("small allocations of {} bytes", small_object_bytes(size_index).n);
}

Heap::State::State(const Arena& arena_of_devices, RangeBackend& service)
    : arena{arena_of_devices},
      backend{service},
      registry{arena.bytes},
      caches{std::make_shared<ThreadCaches>([this](const ThreadCache::Content& content) { give_back(content); })},
      small_zone{{0}, round_down({arena.huge_begin.n}, ChunkAllocator::slab_bytes)},
      huge_zone{arena.huge_begin, round_down(arena.bytes - Bytes{arena.huge_begin.n}, ChunkAllocator::slab_bytes)} {
  UMRT_ASSERT(arena.huge_begin.n % ChunkAllocator::slab_bytes.n == 0);
}

RangeRecord* Heap::State::try_take(const RangeRequest& request, Bytes bytes) {
  const std::lock_guard held{mutex};
  Zone& zone = zone_of(request.page_class);
  auto offset = zone.chunks.allocate_run(bytes);
  if (!offset) {
    const auto growth = zone.chunks.growth_for(bytes);
    if (!growth) return nullptr;
    zone.chunks.grow(std::max(*growth, growth_batch));
    offset = zone.chunks.allocate_run(bytes);
  }
  if (!offset) return nullptr;
  RangeRecord& record = registry.take();
  set(record.base, (zone.begin + *offset).n);
  set(record.bytes, bytes.n);
  set(record.asked, request.asked.n);
  set(record.call_site, request.call_site);
  set(record.page_class, request.page_class);
  set(record.is_reusable, request.is_reusable);
  record.hints = request.hints;
  record.name = request.name;
  registry.publish(record);
  return &record;
}

void Heap::State::undo_take(RangeRecord& record, bool was_live) {
  const std::lock_guard held{mutex};
  registry.withdraw(record, was_live);
  Zone& zone = zone_of(record.page_class.load(std::memory_order_relaxed));
  const Address base{record.base.load(std::memory_order_relaxed)};
  const Status freed = zone.chunks.free_run(base - zone.begin, {record.bytes.load(std::memory_order_relaxed)});
  UMRT_ASSERT(freed.has_value());
  registry.give_back(record);
}

Result<RangeRecord*> Heap::State::create_range(const RangeRequest& request) {
  const Bytes zone_bytes = zone_of(request.page_class).chunks.span();
  if (request.asked > zone_bytes) {
    return failure(UMRT_ERROR_SIZE_OVERFLOW,
                   fmt::format("bytes = {} exceeds the {} bytes that the arena has for ranges of the {} KiB page class "
                               "(setting arena.bytes)",
                               request.asked.n, zone_bytes.n, granule_bytes(request.page_class).n >> 10));
  }
  const Bytes bytes = round_up(request.asked, granule_bytes(request.page_class));
  for (bool is_flushed = false;; is_flushed = true) {
    RangeRecord* record = try_take(request, bytes);
    if (record) {
      Status created = backend.create(as_new_range(*record, request));
      if (created) return record;
      undo_take(*record, false);
      if (is_flushed || created.error().code != UMRT_ERROR_OUT_OF_MEMORY) return tl::unexpected(created.error());
    } else if (is_flushed) {
      const std::lock_guard held{mutex};
      const ChunkStatistics facts = zone_of(request.page_class).chunks.statistics();
      return failure(UMRT_ERROR_OUT_OF_MEMORY,
                     fmt::format("bytes = {}: no run of addresses is that long; {} of the arena's {} bytes for this "
                                 "page class are in use, the largest free run has {} (setting arena.bytes)",
                                 request.asked.n, facts.used.n, facts.span.n, facts.free_run_max.n));
    }
    flush_caches();
  }
}

Status Heap::State::release_range(RangeRecord& record) {
  record.set_state(RangeState::ending);
  if (Status released = backend.release(record.range); !released) return released;
  undo_take(record, true);
  return {};
}

Status Heap::State::return_objects(std::span<const ObjectRef> objects) {
  std::vector<RangeRecord*> ending;
  {
    const std::lock_guard held{mutex};
    for (const ObjectRef& object : objects) {
      if (RangeRecord* range = small_objects.give_back(object)) ending.push_back(range);
    }
  }
  Status result;
  for (RangeRecord* range : ending) {
    if (Status released = release_range(*range); !released) result = released;
  }
  return result;
}

void Heap::State::give_back(const ThreadCache::Content& content) {
  const auto report = [](const Status& status) {
    if (!status) log::error("a freed range could not be released: {}", status.error().detail);
  };
  for (RangeRecord* range : content.ranges) report(release_range(*range));
  report(return_objects(content.objects));
}

void Heap::State::flush_caches() {
  ThreadCache::Content content;
  caches->drain_all(content);
  give_back(content);
}

void Heap::State::retire_all() {
  std::vector<RangeRecord*> unused;
  {
    const std::lock_guard held{mutex};
    const std::uint64_t deaths = backend.device_deaths();
    if (deaths == deaths_seen.load(std::memory_order_relaxed)) return;  // another thread has done it
    registry.for_each([](RangeRecord& record) { record.is_reusable.store(false, std::memory_order_relaxed); });
    small_objects.retire_all(unused);
    deaths_seen.store(deaths, std::memory_order_release);
  }
  ThreadCache::Content content{.ranges = std::move(unused), .objects = {}};
  caches->drain_all(content);
  give_back(content);
}

std::string Heap::State::describe(Address address) const {
  return fmt::format("{}", static_cast<const void*>(arena.pointer(address)));
}

}  // namespace umrt
