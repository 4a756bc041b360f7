// SPDX-License-Identifier: Apache-2.0
// What one thread freed and may use again: magazines of ranges by size, and of small objects. Holds a bounded amount.
//
// Concurrency: its thread uses it all the time, others only to drain it when memory runs out or the heap is reported
// on; so it has a lock of its own that is hardly ever contended, on cache lines of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/small_objects.h"
#include "base/units.h"

namespace umrt {

class OwnerLock {  // held for a few instructions; the owner's cost is one exchange
 public:
  void lock() noexcept;
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_{false};
};

class alignas(64) ThreadCache {
 public:
  static constexpr Bytes range_max = 1_MiB;  // larger ranges are released at once
  static constexpr Bytes held_max = 16_MiB;  // in ranges, by a thread
  static constexpr std::uint32_t ranges_per_magazine = 16;
  static constexpr std::uint32_t objects_per_magazine = 64;
  static constexpr std::uint32_t object_batch = 32;  // to and from the slabs

  // Which magazine holds ranges of `bytes`, a multiple of the granule. None: none holds such ranges.
  static std::optional<std::uint32_t> magazine_of(PageClass page_class, Bytes bytes);

  RangeRecord* take_range(std::uint32_t magazine);              // null: empty
  bool keep_range(std::uint32_t magazine, RangeRecord& range);  // false: full

  std::optional<ObjectRef> take_object(std::uint32_t size_index);
  // The objects that had to leave to make room, if any, are appended to `overflow`.
  void keep_object(std::uint32_t size_index, ObjectRef object, std::vector<ObjectRef>& overflow);
  void refill(std::uint32_t size_index, std::span<const ObjectRef> objects);  // into an empty magazine

  struct Content {
    std::vector<RangeRecord*> ranges;
    std::vector<ObjectRef> objects;
  };
  void drain(Content& content);  // appends; the cache is empty afterwards
  Bytes held() const;            // any thread

 private:
  static constexpr std::uint32_t range_magazines = 16 + 16;  // 4 KiB to 64 KiB, 64 KiB to 1 MiB
  template <class T, std::uint32_t capacity>
  struct Magazine {
    std::uint32_t count = 0;
    std::array<T, capacity> items;
  };

  mutable OwnerLock lock_;
  Bytes held_;
  std::array<Magazine<RangeRecord*, ranges_per_magazine>, range_magazines> ranges_;
  std::array<Magazine<ObjectRef, objects_per_magazine>, small_sizes> objects_;
};

}  // namespace umrt
