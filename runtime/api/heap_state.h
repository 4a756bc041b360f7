// SPDX-License-Identifier: Apache-2.0
// What is behind a Heap: its parts, and the slow ways in and out of them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "api/heap.h"
#include "api/range_registry.h"
#include "api/small_objects.h"
#include "api/thread_caches.h"

namespace umrt {

struct Zone {  // of the arena, with the chunks in it
  Zone(Address zone_begin, Bytes span) : begin{zone_begin}, chunks{span} {}
  Address begin;
  ChunkAllocator chunks;
};

struct RangeRequest {
  Bytes asked;
  PageClass page_class = PageClass::page_2m;
  Hints hints;
  std::string_view name;
  const void* call_site = nullptr;
  bool is_reusable = false;
  bool is_shared = false;  // by small allocations
};

std::string small_range_name(std::uint32_t size_index);

struct Heap::State {
  State(const Arena& arena_of_devices, RangeBackend& service);

  Result<void*> allocate(const AllocationRequest& request);
  Result<void*> allocate_small(const AllocationRequest& request);
  RangeRecord* take_cached(const AllocationRequest& request, PageClass page_class);  // null: the cache has none
  Result<ObjectRef> refill(ThreadCache* cache, std::uint32_t size_index);            // one for the caller

  // The new range is in state `creating`. OUT_OF_MEMORY only after all caches were flushed.
  Result<RangeRecord*> create_range(const RangeRequest& request);
  Status release_range(RangeRecord& record);  // in a state that nobody else takes it out of
  Status free_range(RangeRecord& record, RangeWord word, Address address);
  Status free_object(RangeRecord& record, RangeWord word, Address address);
  Status return_objects(std::span<const ObjectRef> objects);
  void give_back(const ThreadCache::Content& content);
  void flush_caches();
  // Once a device has died: what exists may have lost bytes and is not used again, so that nobody is given those.
  void retire_all();
  void wait_for_pending_work() {
    if (backend.has_pending_work()) backend.wait_for_pending_work();
  }

  Zone& zone_of(PageClass page_class) { return page_class == PageClass::page_2m ? huge_zone : small_zone; }
  void* pointer(Address address) const { return arena.pointer(address); }
  std::string describe(Address address) const;  // as the application knows it

  const Arena arena;
  RangeBackend& backend;
  RangeRegistry registry;
  const std::shared_ptr<ThreadCaches> caches;
  std::atomic<std::uint64_t> deaths_seen{0};

  alignas(64) mutable std::mutex mutex;  // protects all below, and the registry but for find()
  SmallObjects small_objects;
  Zone small_zone, huge_zone;

 private:
  RangeRecord* try_take(const RangeRequest& request, Bytes bytes);  // null: no addresses
  void undo_take(RangeRecord& record, bool was_live);
};

}  // namespace umrt
