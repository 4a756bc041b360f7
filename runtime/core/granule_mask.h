// SPDX-License-Identifier: Apache-2.0
// A set of granules of one block: bit i is granule i.
#pragma once

#include <bit>
#include <cstdint>

#include "base/units.h"

namespace umrt {

struct GranuleMask {
  std::uint32_t bits = 0;

  static constexpr GranuleMask one(GranuleIndex i) { return {1u << i.n}; }
  static constexpr GranuleMask first(std::uint32_t count) { return {count >= 32 ? ~0u : (1u << count) - 1}; }
  static constexpr GranuleMask run(std::uint32_t begin, std::uint32_t count) { return {first(count).bits << begin}; }

  constexpr bool empty() const { return bits == 0; }
  constexpr bool has(GranuleIndex i) const { return (bits >> i.n) & 1; }
  constexpr bool contains(GranuleMask other) const { return (other.bits & ~bits) == 0; }
  constexpr std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(bits)); }

  friend constexpr bool operator==(GranuleMask, GranuleMask) = default;
  friend constexpr GranuleMask operator|(GranuleMask a, GranuleMask b) { return {a.bits | b.bits}; }
  friend constexpr GranuleMask operator&(GranuleMask a, GranuleMask b) { return {a.bits & b.bits}; }
  friend constexpr GranuleMask operator-(GranuleMask a, GranuleMask b) { return {a.bits & ~b.bits}; }
  constexpr GranuleMask& operator|=(GranuleMask b) { return *this = *this | b; }
  constexpr GranuleMask& operator&=(GranuleMask b) { return *this = *this & b; }
  constexpr GranuleMask& operator-=(GranuleMask b) { return *this = *this - b; }
};

// Calls `visit(begin, count)` for every run of neighbouring granules, lowest first.
template <class Visit>
constexpr void for_each_run(GranuleMask mask, Visit&& visit) {
  std::uint32_t bits = mask.bits;
  std::uint32_t base = 0;
  while (bits != 0) {
    const auto skip = static_cast<std::uint32_t>(std::countr_zero(bits));
    const auto length = static_cast<std::uint32_t>(std::countr_one(bits >> skip));
    visit(base + skip, length);
    if (skip + length >= 32) return;
    bits >>= skip + length;
    base += skip + length;
  }
}

}  // namespace umrt
