// SPDX-License-Identifier: Apache-2.0
// A number for every place in the arena that can hold a granule: one per 2 MiB in the huge zone, one per 4 KiB in the
// small zone. Memory is reserved once and populated by use, so nothing is allocated on the fault path.
#pragma once

#include <cstdint>

#include "device/device.h"
#include "os/mapping.h"

namespace umrt::soft {

template <class Value>
class UnitTable {  // zero where nothing was stored
 public:
  static Result<UnitTable> make(const Arena& arena) {
    const std::uint64_t small_units = arena.huge_begin.n / (4_KiB).n;
    const std::uint64_t huge_units = (arena.bytes.n - arena.huge_begin.n) / (2_MiB).n;
    auto mapping = os::Mapping::reserve(round_up({(small_units + huge_units) * sizeof(Value)}, 2_MiB));
    if (!mapping) return tl::unexpected(mapping.error());
    return UnitTable(std::move(*mapping), arena.huge_begin, small_units);
  }

  Value& operator[](Address a) { return values()[unit_of(a)]; }
  Value operator[](Address a) const { return values()[unit_of(a)]; }

  void clear() { os::drop(mapping_.base(), mapping_.bytes()); }

 private:
  UnitTable(os::Mapping mapping, Address huge_begin, std::uint64_t small_units)
      : mapping_{std::move(mapping)}, huge_begin_{huge_begin}, small_units_{small_units} {}

  std::uint64_t unit_of(Address a) const {
    return a < huge_begin_ ? a.n / (4_KiB).n : small_units_ + (a - huge_begin_) / 2_MiB;
  }
  Value* values() const { return reinterpret_cast<Value*>(mapping_.base()); }

  os::Mapping mapping_;
  Address huge_begin_;
  std::uint64_t small_units_;
};

}  // namespace umrt::soft
