// SPDX-License-Identifier: Apache-2.0
// Every range that the engine knows, and which one an address belongs to.
//
// Structure: a record a range, at a stable place for good, so that a pointer freed twice still leads to a record; and
// a table with an entry a 2 MiB slab, behind it one a 4 KiB page where small ranges share the slab. Concurrency: find()
// takes no lock; all else under the heap's mutex. A record's word changes by compare-and-swap and holds a number that
// no other use of the record had: who reads word, fields and word again has seen one range.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "core/action.h"
#include "core/hints.h"

namespace umrt {

class SmallSlab;

// unused: no range. creating, ending: the backend is at work. cached: free, kept for reuse.
enum class RangeState : std::uint8_t { unused, creating, live, cached, ending };

struct RangeWord {  // a use of a record, and its state
  std::uint64_t bits = 0;
  static constexpr RangeWord of(std::uint64_t use, RangeState state) {
    return {use << 8 | static_cast<std::uint64_t>(state)};
  }
  constexpr std::uint64_t use() const { return bits >> 8; }
  constexpr RangeState state() const { return static_cast<RangeState>(bits & 0xff); }
  constexpr RangeWord with(RangeState state) const { return of(use(), state); }
};

struct alignas(64) RangeRecord {
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint64_t> base{0}, bytes{0}, asked{0};
  std::atomic<const void*> call_site{nullptr};
  std::atomic<SmallSlab*> small{nullptr};  // of a range of small allocations
  std::atomic<PageClass> page_class{PageClass::page_2m};
  std::atomic<bool> is_reusable{false};  // nothing but the default was asked for, also not by advice; whole
  // From here on under the heap's mutex.
  RangeId range;
  Hints hints;
  std::string name;

  RangeWord read_word() const { return {word.load(std::memory_order_acquire)}; }
  void set_state(RangeState state) { word.store(read_word().with(state).bits, std::memory_order_release); }
};

class RangeRegistry {
 public:
  explicit RangeRegistry(Bytes arena);
  RangeRegistry(const RangeRegistry&) = delete;
  RangeRegistry& operator=(const RangeRegistry&) = delete;

  RangeRecord& take();                                      // `creating`, under an id that no other range has
  void give_back(RangeRecord& record);                      // its id may be used again
  void publish(RangeRecord& record);                        // its addresses lead to it
  void withdraw(const RangeRecord& record, bool was_live);  // they no longer do; its base says "free already"

  struct Found {
    RangeRecord* record = nullptr;  // in any state
    bool was_freed = false;         // a range began there and was released
  };
  Found find(Address address) const;

  RangeRecord* at(RangeId range);  // null: no such range
  template <class Visit>
  void for_each(Visit&& visit) const {  // in the order of ids
    for (const RangeRecord& record : records_) visit(record);
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (RangeRecord& record : records_) visit(record);
  }

 private:
  using Entry = std::atomic<RangeRecord*>;
  static constexpr Bytes slab_bytes = 2_MiB;
  static constexpr Bytes page_bytes = 4_KiB;
  struct Slab {  // zeroed memory at first: what is never used costs address space only
    RangeRecord* range;
    Entry* pages;  // 512, kept for good once made
  };
  struct FreeMemory {
    void operator()(Slab* slabs) const { std::free(slabs); }
  };

  void fill(Address base, Bytes bytes, RangeRecord* first, RangeRecord* rest);
  static std::atomic_ref<RangeRecord*> range_of(Slab& slab) { return std::atomic_ref{slab.range}; }
  static std::atomic_ref<Entry*> pages_of(Slab& slab) { return std::atomic_ref{slab.pages}; }

  std::uint64_t slab_count_;
  std::unique_ptr<Slab[], FreeMemory> slabs_;
  std::vector<std::unique_ptr<Entry[]>> pages_;
  std::deque<RangeRecord> records_;  // by id
  std::vector<RangeId> unused_;
  std::uint64_t uses_ = 0;
  mutable RangeRecord freed_;  // what an entry points to where a range began that was released
};

}  // namespace umrt
