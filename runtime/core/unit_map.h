// SPDX-License-Identifier: Apache-2.0
// Which units of a chunk are free, and where allocations in it begin: a slab's 32 pieces of 64 KiB, or a piece's 16
// units of 4 KiB. Everything is arithmetic on one word.
#pragma once

#include <bit>
#include <cstdint>

namespace umrt {

// Bits where a run of `count` set bits begins.
constexpr std::uint32_t run_begins(std::uint32_t bits, std::uint32_t count) {
  std::uint32_t have = 1;
  while (have * 2 <= count) {
    bits &= bits >> have;
    have *= 2;
  }
  return have < count ? bits & (bits >> (count - have)) : bits;
}

constexpr std::uint32_t longest_run(std::uint32_t bits) {
  std::uint32_t longest = 0;
  for (std::uint32_t step = 16; step > 0; step /= 2) {  // binary search: runs of n contain runs of n - 1
    if (run_begins(bits, longest + step) != 0) longest += step;
  }
  return longest == 31 && bits == ~0u ? 32 : longest;
}

template <class Word>
struct UnitMap {
  Word free;        // bit i: unit i is free
  Word starts = 0;  // bit i: an allocation begins at unit i

  static constexpr std::uint32_t units = sizeof(Word) * 8;
  static constexpr Word all = static_cast<Word>(~0u);

  constexpr std::uint32_t longest_free() const { return longest_run(free); }

  constexpr std::uint32_t take(std::uint32_t count) {  // only when longest_free() >= count
    const auto at = static_cast<std::uint32_t>(std::countr_zero(run_begins(free, count)));
    free = static_cast<Word>(free & ~mask(at, count));
    starts = static_cast<Word>(starts | (1u << at));
    return at;
  }
  constexpr void give_back(std::uint32_t at, std::uint32_t count) {
    free = static_cast<Word>(free | mask(at, count));
    starts = static_cast<Word>(starts & ~(1u << at));
  }
  // Of the allocation that begins at `at`; `others` are units that belong to none.
  constexpr std::uint32_t length_at(std::uint32_t at, Word others) const {
    const std::uint32_t next = ((free | others | starts) & all) >> at >> 1;
    const std::uint32_t length = next == 0 ? units : static_cast<std::uint32_t>(std::countr_zero(next)) + 1;
    return length < units - at ? length : units - at;
  }

 private:
  static constexpr std::uint32_t mask(std::uint32_t at, std::uint32_t count) {
    return (count >= 32 ? ~0u : (1u << count) - 1) << at;
  }
};

}  // namespace umrt
