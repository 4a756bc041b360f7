// SPDX-License-Identifier: Apache-2.0
// Managed memory as the application asks for it: umrt_malloc and umrt_free without the C.
//
// Structure: every allocation is a range of whole granules of its page class, but up to 2 KiB it is an object in a
// range of small allocations (small_objects.h). Addresses come from two chunk allocators, one a zone of the arena.
// A freed range with default hints goes to the cache of its thread (thread_cache.h) and is used again as it is; the
// engine hears nothing of it. Concurrency: any thread; one mutex for addresses and ids, which calls served by the
// cache do not take; lookups take no lock (range_registry.h). Guarantee: misuse is an error by name, never
// corruption, also where threads race for the same pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/range_backend.h"
#include "core/chunk_allocator.h"
#include "device/device.h"

namespace umrt {

struct AllocationRequest {
  Bytes bytes{};                          // at least 1
  std::optional<PageClass> page_class{};  // none: by size
  Hints hints{};
  std::string_view name{};          // copied
  const void* call_site = nullptr;  // __builtin_return_address(0) of the C function
};

struct Allocation {  // what a pointer belongs to
  Address base;      // what allocate() returned
  Bytes bytes;       // as asked for
  RangeId range;     // the engine's range; one that small allocations share is larger than `bytes`
  Address range_base;
  Bytes range_bytes;
  PageClass page_class = PageClass::page_2m;
  const void* call_site = nullptr;
  bool is_small = false;  // in a range of small allocations
};

struct RangeFacts {    // an engine range as a report names it
  std::string name{};  // empty: the call site is used
  const void* call_site = nullptr;
  Bytes asked;                    // live bytes as asked for
  Hints hints{};                  // as last given or advised
  std::uint32_t allocations = 0;  // live ones: 0 or 1, or those in a range of small allocations
};

struct Leak {
  Bytes bytes{};                  // in total
  std::uint64_t allocations = 1;  // small allocations of one call site are one entry
  Hints hints{};
  std::string name{};
  std::string call_site{};  // text
};

struct SmallStatistics {  // of live small allocations
  std::uint64_t allocations = 0;
  Bytes asked;
  Bytes ranges;  // those that have a live one
};

struct HeapStatistics {
  ChunkStatistics small_zone, huge_zone;
  Bytes cached{};  // free, kept by thread caches; without small allocations, of which a thread keeps at most 576 KiB
  SmallStatistics small;
};

class Heap {
 public:
  // Both outlive the heap, and the backend answers until it is gone: threads that end give back what they kept.
  Heap(const Arena& arena, RangeBackend& backend);
  ~Heap();  // caches are dropped; ranges are not released: the devices end with them
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // INVALID_VALUE (0 bytes), SIZE_OVERFLOW, OUT_OF_MEMORY, errors of the backend.
  Result<void*> allocate(const AllocationRequest& request);
  // Null is fine. DOUBLE_FREE, FOREIGN_POINTER, errors of the backend. Waits for pending work.
  Status free(void* pointer);

  // Anywhere in a live allocation; lock-free. None: no managed memory, or free.
  std::optional<Allocation> find(const void* pointer) const;
  // None: the range does not exist, or only a cache has it: no live range for a report.
  std::optional<RangeFacts> range_facts(RangeId range) const;
  // To be told of every umrt_advise on a range: one with other hints is not used again by others. Small allocations
  // share their range and so its hints.
  void set_hints(RangeId range, const Hints& hints);

  void flush_caches();              // of all threads: what they keep is released
  std::vector<Leak> leaks() const;  // live allocations, largest first; resolves call sites, so for shutdown and reports
  HeapStatistics statistics() const;  // O(ranges and small allocations)
  void check_invariants() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace umrt
