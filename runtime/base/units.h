// SPDX-License-Identifier: Apache-2.0
// Quantities as types: a size is no address, a position is no length, and time comes from events alone.
#pragma once

#include <compare>
#include <cstdint>

#include "base/assert.h"

namespace umrt {

struct Bytes {  // a size; never an address, never a count
  std::uint64_t n = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.n + b.n}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) {
    UMRT_ASSERT(a.n >= b.n);
    return {a.n - b.n};
  }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t count) { return {a.n * count}; }
  friend constexpr std::uint64_t operator/(Bytes a, Bytes b) { return a.n / b.n; }  // bytes over bytes: a count
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  constexpr Bytes& operator-=(Bytes b) { return *this = *this - b; }
};
// Not consteval: clang 14 takes that neither in a default argument nor in a class template.
constexpr Bytes operator""_B(unsigned long long v) { return {v}; }
constexpr Bytes operator""_KiB(unsigned long long v) { return {v << 10}; }
constexpr Bytes operator""_MiB(unsigned long long v) { return {v << 20}; }
constexpr Bytes operator""_GiB(unsigned long long v) { return {v << 30}; }
constexpr Bytes operator""_TiB(unsigned long long v) { return {v << 40}; }

constexpr Bytes round_up(Bytes size, Bytes unit) { return {(size.n + unit.n - 1) / unit.n * unit.n}; }
constexpr Bytes round_down(Bytes size, Bytes unit) { return {size.n / unit.n * unit.n}; }

struct Ticks {  // engine time in nanoseconds since the runtime started; arrives in events
  std::uint64_t n = 0;
  friend constexpr auto operator<=>(Ticks, Ticks) = default;
  friend constexpr Ticks operator+(Ticks a, Ticks b) { return {a.n + b.n}; }
  friend constexpr Ticks operator-(Ticks later, Ticks earlier) {  // a duration; zero when out of order
    return {later.n >= earlier.n ? later.n - earlier.n : 0};
  }
  constexpr Ticks& operator+=(Ticks b) { return *this = *this + b; }
};

struct Address {  // a position in the arena, from its base: the same in every process and every replay
  std::uint64_t n = 0;
  friend constexpr auto operator<=>(Address, Address) = default;
  friend constexpr Address operator+(Address a, Bytes b) { return {a.n + b.n}; }
  friend constexpr Bytes operator-(Address a, Address b) {
    UMRT_ASSERT(a.n >= b.n);
    return {a.n - b.n};
  }
};

struct BlockIndex {  // of a range
  std::uint32_t n = 0;
  friend constexpr auto operator<=>(BlockIndex, BlockIndex) = default;
};

struct GranuleIndex {  // of a block
  std::uint32_t n = 0;
  friend constexpr auto operator<=>(GranuleIndex, GranuleIndex) = default;
};

enum class PageClass : std::uint32_t { page_4k = 4096, page_64k = 65536, page_2m = 2097152 };
constexpr Bytes granule_bytes(PageClass c) { return {static_cast<std::uint32_t>(c)}; }
constexpr std::uint32_t granules_per_block(PageClass c) { return c == PageClass::page_2m ? 1 : 32; }
constexpr Bytes block_bytes(PageClass c) { return granule_bytes(c) * granules_per_block(c); }
constexpr Bytes begin_of(BlockIndex block, PageClass c) { return block_bytes(c) * block.n; }  // offset in the range
static_assert(block_bytes(PageClass::page_64k) == 2_MiB && block_bytes(PageClass::page_4k) == 128_KiB);

}  // namespace umrt
