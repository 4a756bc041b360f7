// SPDX-License-Identifier: Apache-2.0
// Allocations of up to 2 KiB: many in one range. A slab is a range of 64 KiB cut into objects of one size, a multiple
// of 256 bytes, with a word of state an object outside of managed memory.
//
// Concurrency: an object's word changes by compare-and-swap; the lists of slabs are under the heap's mutex. Slabs are
// kept for good and used again for other ranges; an object's word holds the use of the range (range_registry.h), so
// that a free that comes late cannot hit another range's object.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "api/range_registry.h"
#include "base/units.h"

namespace umrt {

inline constexpr Bytes small_slab_bytes = 64_KiB;
inline constexpr Bytes small_unit = 256_B;  // alignment, and the step from one size to the next
inline constexpr Bytes small_max = 2_KiB;
inline constexpr std::uint32_t small_sizes = 8;

constexpr bool is_small(Bytes bytes) { return bytes <= small_max; }
constexpr std::uint32_t small_size_index(Bytes bytes) {  // of 1 byte to small_max
  return static_cast<std::uint32_t>((bytes.n - 1) / small_unit.n);
}
constexpr Bytes small_object_bytes(std::uint32_t size_index) { return small_unit * (size_index + 1); }

enum class ObjectState : std::uint8_t { free, live, cached };  // free: in its slab; cached: in a thread's magazine

struct ObjectWord {
  std::uint64_t bits = 0;
  static constexpr ObjectWord of(std::uint64_t use, Bytes asked, ObjectState state) {
    return {use << 16 | asked.n << 4 | static_cast<std::uint64_t>(state)};  // asked: at most 2048
  }
  constexpr std::uint64_t use() const { return bits >> 16; }
  constexpr Bytes asked() const { return {bits >> 4 & 0xfff}; }
  constexpr ObjectState state() const { return static_cast<ObjectState>(bits & 0xf); }
};

struct SmallObject {
  std::atomic<std::uint64_t> word{0};
  std::atomic<const void*> call_site{nullptr};
};

class alignas(64) SmallSlab {
 public:
  static constexpr std::uint32_t objects_max = static_cast<std::uint32_t>(small_slab_bytes / small_unit);

  void bind(RangeRecord& record, std::uint32_t size_index);  // all objects are free
  RangeRecord& record() const { return *record_; }
  Address base() const { return {base_.load(std::memory_order_relaxed)}; }
  std::uint64_t use() const { return use_; }
  std::uint32_t size_index() const { return size_index_.load(std::memory_order_relaxed); }
  Bytes object_bytes() const { return small_object_bytes(size_index()); }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(small_slab_bytes / object_bytes()); }
  SmallObject& object(std::uint32_t index) { return objects_[index]; }
  const SmallObject& object(std::uint32_t index) const { return objects_[index]; }
  struct Position {
    std::uint32_t index = 0;
    Bytes begin;  // of the object, in the range
  };
  bool is_retired() const { return is_retired_.load(std::memory_order_relaxed); }  // hands out no more objects
  // The object that an offset in the range lies in; none: in the rest behind the last one.
  std::optional<Position> object_at(Bytes offset) const;

 private:
  friend class SmallObjects;
  std::atomic<std::uint64_t> base_{0};
  std::atomic<std::uint32_t> size_index_{0};
  RangeRecord* record_ = nullptr;
  std::uint64_t use_ = 0;
  std::array<std::uint64_t, objects_max / 64> free_{};  // under the heap's mutex
  std::uint32_t free_count_ = 0;
  std::uint32_t place_ = ~0u;  // in the list of slabs of its size that have free objects; ~0: not there
  std::atomic<bool> is_retired_{false};
  std::array<SmallObject, objects_max> objects_;
};

struct ObjectRef {
  SmallSlab* slab = nullptr;
  std::uint32_t index = 0;
};

class SmallObjects {  // slabs by size; under the heap's mutex
 public:
  std::size_t take(std::uint32_t size_index, std::span<ObjectRef> objects);  // how many there were
  void add(RangeRecord& record, std::uint32_t size_index);                   // a new range, before it is live
  // Null, or a range that has no object left and was taken out of the lists: to be released.
  RangeRecord* give_back(ObjectRef object);
  // No slab of now hands out another object. Appends the ranges that have none in use: to be released.
  void retire_all(std::vector<RangeRecord*>& unused);

 private:
  void list(SmallSlab& slab);
  void unlist(SmallSlab& slab);

  std::array<std::vector<SmallSlab*>, small_sizes> with_free_;
  std::array<std::uint32_t, small_sizes> empty_{};  // slabs without any object in use: one a size is kept
  std::vector<std::unique_ptr<SmallSlab>> slabs_;
  std::vector<SmallSlab*> unused_;
};

}  // namespace umrt
