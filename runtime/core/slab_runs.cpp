// SPDX-License-Identifier: Apache-2.0
#include "core/slab_runs.h"

#include <bit>

#include "base/assert.h"

namespace umrt {
namespace {

constexpr std::uint32_t looks_in_own_bin = 8;  // before a longer run is cut

}  // namespace

SlabRuns::SlabRuns(std::uint32_t slabs_max) : slabs_max_{slabs_max} {
  slabs_.reserve(slabs_max);
  newest_.fill(none);
}

// Lengths below 8 have a bin each; from there on every power of two has four.
std::uint32_t SlabRuns::bin_of(std::uint32_t count) {
  if (count < 8) return count;
  const auto log = static_cast<std::uint32_t>(std::bit_width(count)) - 1;
  return 8 + (log - 3) * 4 + ((count >> (log - 2)) & 3);
}

std::uint32_t SlabRuns::first_bin_from(std::uint32_t bin) const {
  for (std::uint32_t word = bin / 64; word < has_free_.size(); ++word) {
    const std::uint64_t bits = word == bin / 64 ? has_free_[word] & (~0ull << (bin % 64)) : has_free_[word];
    if (bits != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return none;
}

void SlabRuns::link(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t bin = bin_of(count);
  Slab& slab = slabs_[first];
  slab.state = SlabState::free;
  slab.length = count;
  slab.newer = none;
  slab.older = newest_[bin];
  if (slab.older != none) slabs_[slab.older].newer = first;
  newest_[bin] = first;
  has_free_[bin / 64] |= 1ull << (bin % 64);
  slabs_[first + count - 1].begin = first;
}

void SlabRuns::unlink(std::uint32_t first) {
  Slab& slab = slabs_[first];
  const std::uint32_t bin = bin_of(slab.length);
  if (slab.older != none) slabs_[slab.older].newer = slab.newer;
  if (slab.newer != none) {
    slabs_[slab.newer].older = slab.older;
  } else {
    newest_[bin] = slab.older;
    if (slab.older == none) has_free_[bin / 64] &= ~(1ull << (bin % 64));
  }
  slab.state = SlabState::inside;
}

std::optional<std::uint32_t> SlabRuns::free_run_before(std::uint32_t slab) const {
  if (slab == 0) return std::nullopt;
  const std::uint32_t begin = slabs_[slab - 1].begin;
  if (slabs_[begin].state != SlabState::free || begin + slabs_[begin].length != slab) return std::nullopt;
  return begin;
}

void SlabRuns::grow(std::uint32_t count) {
  UMRT_ASSERT(count <= slabs_max_ - grown());
  if (count == 0) return;
  const std::uint32_t first = grown();
  slabs_.resize(first + count);
  slabs_[first].state = SlabState::used;
  slabs_[first].length = count;
  give_back(first);
}

std::optional<std::uint32_t> SlabRuns::take(std::uint32_t count, SlabState use) {
  UMRT_ASSERT(count > 0);
  std::uint32_t found = none;
  const auto look_in_own_bin = [&](std::uint32_t looks) {
    for (std::uint32_t at = newest_[bin_of(count)]; at != none && looks > 0; at = slabs_[at].older, --looks) {
      if (slabs_[at].length >= count) return at;
    }
    return none;
  };
  found = look_in_own_bin(looks_in_own_bin);
  if (found == none) {
    const std::uint32_t bin = first_bin_from(bin_of(count) + 1);
    found = bin == none ? look_in_own_bin(~0u) : newest_[bin];
  }
  if (found == none) return std::nullopt;

  const std::uint32_t length = slabs_[found].length;
  unlink(found);
  if (length > count) link(found + count, length - count);
  slabs_[found].state = use;
  slabs_[found].length = count;
  return found;
}

void SlabRuns::give_back(std::uint32_t first) {
  UMRT_ASSERT(slabs_[first].state == SlabState::used || slabs_[first].state == SlabState::split);
  std::uint32_t count = slabs_[first].length;
  slabs_[first].state = SlabState::inside;
  const std::uint32_t after = first + count;
  if (after < grown() && slabs_[after].state == SlabState::free) {
    count += slabs_[after].length;
    unlink(after);
  }
  if (const auto before = free_run_before(first)) {
    count += slabs_[*before].length;
    unlink(*before);
    first = *before;
  }
  link(first, count);
}

std::uint32_t SlabRuns::run_of(std::uint32_t slab) const {
  while (slabs_[slab].state == SlabState::inside) --slab;
  return slab;
}

std::uint32_t SlabRuns::longest_free() const {
  for (std::uint32_t bin = bin_count; bin-- > 0;) {
    std::uint32_t longest = 0;
    for (std::uint32_t at = newest_[bin]; at != none; at = slabs_[at].older) {
      if (slabs_[at].length > longest) longest = slabs_[at].length;
    }
    if (longest > 0) return longest;
  }
  return 0;
}

std::uint32_t SlabRuns::free_at_end() const {
  const auto last = free_run_before(grown());
  return last ? slabs_[*last].length : 0;
}

void SlabRuns::check_invariants() const {
  std::uint32_t free_runs = 0;
  bool was_free = false;
  for (std::uint32_t at = 0; at < grown(); at += slabs_[at].length) {
    const Slab& slab = slabs_[at];
    UMRT_ASSERT(slab.state != SlabState::inside);
    UMRT_ASSERT(slab.length > 0);
    UMRT_ASSERT(at + slab.length <= grown());
    for (std::uint32_t i = at + 1; i < at + slab.length; ++i) UMRT_ASSERT(slabs_[i].state == SlabState::inside);
    const bool is_free = slab.state == SlabState::free;
    UMRT_ASSERT(!(is_free && was_free));  // neighbours are merged
    was_free = is_free;
    if (is_free) ++free_runs;
    if (is_free) UMRT_ASSERT(slabs_[at + slab.length - 1].begin == at);
  }
  std::uint32_t listed = 0;
  for (std::uint32_t bin = 0; bin < bin_count; ++bin) {
    UMRT_ASSERT((newest_[bin] != none) == (((has_free_[bin / 64] >> (bin % 64)) & 1) != 0));
    for (std::uint32_t at = newest_[bin]; at != none; at = slabs_[at].older, ++listed) {
      UMRT_ASSERT(slabs_[at].state == SlabState::free);
      UMRT_ASSERT(bin_of(slabs_[at].length) == bin);
    }
  }
  UMRT_ASSERT(listed == free_runs);
}

}  // namespace umrt
