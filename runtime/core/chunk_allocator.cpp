// SPDX-License-Identifier: Apache-2.0
#include "core/chunk_allocator.h"

#include <fmt/format.h>

#include <algorithm>

namespace umrt {
namespace {

constexpr std::uint32_t none = ~0u;
constexpr Bytes piece_bytes = 64_KiB;
constexpr Bytes unit_bytes = 4_KiB;

constexpr std::uint32_t slab_of(Bytes offset) {
  return static_cast<std::uint32_t>(offset / ChunkAllocator::slab_bytes);
}
constexpr std::uint32_t piece_of(Bytes offset) { return static_cast<std::uint32_t>(offset / piece_bytes) % 32; }
constexpr std::uint32_t unit_of(Bytes offset) { return static_cast<std::uint32_t>(offset / unit_bytes) % 16; }
constexpr Bytes begin_of_slab(std::uint32_t slab) { return ChunkAllocator::slab_bytes * slab; }

// What a run is made of: whole slabs, pieces of one slab, or units of one piece.
constexpr bool is_of_slabs(Bytes bytes) { return bytes > ChunkAllocator::slab_bytes - piece_bytes; }
constexpr bool is_of_pieces(Bytes bytes) { return bytes > piece_bytes - unit_bytes; }

Status not_used(Bytes offset) {
  return failure(UMRT_ERROR_DOUBLE_FREE, fmt::format("the chunk at offset {:#x} is free already", offset.n));
}
Status not_a_begin(Bytes offset) {
  return failure(UMRT_ERROR_FOREIGN_POINTER, fmt::format("no chunk was handed out at offset {:#x}", offset.n));
}
Status other_size(Bytes offset, Bytes bytes, Bytes handed_out) {
  return failure(UMRT_ERROR_INVALID_VALUE,
                 fmt::format("the chunk at offset {:#x} has {} bytes, not {}", offset.n, handed_out.n, bytes.n));
}

}  // namespace

ChunkAllocator::Lists::Lists(std::uint8_t SplitSlab::*bin_of_slab, Links SplitSlab::*links_of_slab)
    : bin{bin_of_slab}, links{links_of_slab} {
  newest.fill(none);
}

ChunkAllocator::ChunkAllocator(Bytes span)
    : span_{span},
      slabs_{slab_of(span)},
      unused_record_{none},
      by_pieces_{&SplitSlab::pieces_bin, &SplitSlab::pieces_links},
      by_units_{&SplitSlab::units_bin, &SplitSlab::units_links} {
  UMRT_ASSERT(span.n % slab_bytes.n == 0);
  UMRT_ASSERT(span <= 1024_TiB);
  records_.reserve(slab_of(span));  // memory that is not touched costs address space only
}

Bytes ChunkAllocator::grow(Bytes bytes) {
  const Bytes left = span_ - begin_of_slab(slabs_.grown());
  const Bytes grown = std::min(left, round_up(std::min(bytes, left), slab_bytes));
  slabs_.grow(slab_of(grown));
  return grown;
}

std::optional<Bytes> ChunkAllocator::growth_for(Bytes bytes) const {
  if (bytes > span_) return std::nullopt;
  const auto wanted = slab_of(round_up(bytes, slab_bytes));
  const std::uint32_t missing = wanted - std::min(wanted, slabs_.free_at_end());
  if (missing > slabs_.grown_max() - slabs_.grown()) return std::nullopt;
  return slab_bytes * missing;
}

std::optional<Bytes> ChunkAllocator::allocate_run(Bytes bytes) {
  UMRT_ASSERT(bytes.n > 0);
  if (bytes > span_) return std::nullopt;
  if (is_of_slabs(bytes)) return allocate_slabs(slab_of(round_up(bytes, slab_bytes)));
  if (is_of_pieces(bytes))
    return allocate_pieces(static_cast<std::uint32_t>(round_up(bytes, piece_bytes) / piece_bytes));
  return allocate_units(static_cast<std::uint32_t>(round_up(bytes, unit_bytes) / unit_bytes));
}

std::optional<Bytes> ChunkAllocator::allocate_slabs(std::uint32_t count) {
  const auto first = slabs_.take(count, SlabState::used);
  if (!first) return std::nullopt;
  used_ += slab_bytes * count;
  return begin_of_slab(*first);
}

std::optional<Bytes> ChunkAllocator::allocate_pieces(std::uint32_t count) {
  auto record = record_with(by_pieces_, count);
  if (!record) record = split_new_slab();
  if (!record) return std::nullopt;
  SplitSlab& slab = records_[*record];
  const std::uint32_t piece = slab.pieces.take(count);
  pieces_changed(*record);
  used_ += piece_bytes * count;
  return begin_of_slab(slab.slab) + piece_bytes * piece;
}

std::optional<Bytes> ChunkAllocator::allocate_units(std::uint32_t count) {
  auto record = record_with(by_units_, count);
  std::uint32_t piece = 0;
  if (record) {
    while (records_[*record].longest[piece] < count) ++piece;
  } else {
    record = record_with(by_pieces_, 1);
    if (!record) record = split_new_slab();
    if (!record) return std::nullopt;
    SplitSlab& slab = records_[*record];
    piece = slab.pieces.take(1);
    slab.pieces.starts &= ~(1u << piece);  // not an allocation: a piece that is split
    slab.split |= 1u << piece;
    slab.units[piece] = Units{.free = Units::all};
    pieces_changed(*record);
  }
  SplitSlab& slab = records_[*record];
  const std::uint32_t unit = slab.units[piece].take(count);
  units_changed(*record, piece);
  used_ += unit_bytes * count;
  return begin_of_slab(slab.slab) + piece_bytes * piece + unit_bytes * unit;
}

std::optional<std::uint32_t> ChunkAllocator::record_with(const Lists& lists, std::uint32_t run) const {
  const std::uint64_t bins = lists.has_slabs >> run << run;
  if (bins == 0) return std::nullopt;
  return lists.newest[static_cast<std::size_t>(std::countr_zero(bins))];
}

std::optional<std::uint32_t> ChunkAllocator::split_new_slab() {
  const auto slab = slabs_.take(1, SlabState::split);
  if (!slab) return std::nullopt;
  std::uint32_t record = unused_record_;
  if (record != none) {
    unused_record_ = records_[record].pieces_links.older;
  } else {
    record = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  }
  records_[record] = SplitSlab{.slab = *slab,
                               .pieces = {.free = Pieces::all},
                               .split = 0,
                               .units = {},
                               .longest = {},
                               .pieces_bin = 0,
                               .units_bin = 0,
                               .pieces_links = {none, none},
                               .units_links = {none, none}};
  slabs_.split_record(*slab) = record;
  return record;
}

void ChunkAllocator::relist(Lists& lists, std::uint32_t record, std::uint32_t run) {
  SplitSlab& slab = records_[record];
  std::uint8_t& bin = slab.*lists.bin;
  Links& links = slab.*lists.links;
  if (bin == run) return;
  if (bin != 0) {
    if (links.older != none) (records_[links.older].*lists.links).newer = links.newer;
    if (links.newer != none) {
      (records_[links.newer].*lists.links).older = links.older;
    } else {
      lists.newest[bin] = links.older;
      if (links.older == none) lists.has_slabs &= ~(1ull << bin);
    }
  }
  bin = static_cast<std::uint8_t>(run);
  if (bin == 0) return;
  links = {.newer = none, .older = lists.newest[bin]};
  if (links.older != none) (records_[links.older].*lists.links).newer = record;
  lists.newest[bin] = record;
  lists.has_slabs |= 1ull << bin;
}

void ChunkAllocator::pieces_changed(std::uint32_t record) {
  SplitSlab& slab = records_[record];
  if (slab.pieces.free != Pieces::all) {
    relist(by_pieces_, record, slab.pieces.longest_free());
    return;
  }
  relist(by_pieces_, record, 0);  // all is free: the slab is merged
  slabs_.give_back(slab.slab);
  slab.pieces_links.older = unused_record_;
  unused_record_ = record;
}

void ChunkAllocator::units_changed(std::uint32_t record, std::uint32_t piece) {
  SplitSlab& slab = records_[record];
  const bool is_whole = slab.units[piece].free == Units::all;  // then the piece is merged
  slab.longest[piece] = is_whole ? 0 : static_cast<std::uint8_t>(slab.units[piece].longest_free());
  relist(by_units_, record, *std::max_element(slab.longest.begin(), slab.longest.end()));
  if (!is_whole) return;
  slab.split &= ~(1u << piece);
  slab.pieces.give_back(piece, 1);
  pieces_changed(record);
}

Status ChunkAllocator::free_run(Bytes offset, Bytes bytes) {
  if (offset >= begin_of_slab(slabs_.grown()) || offset.n % unit_bytes.n != 0) return not_a_begin(offset);
  const std::uint32_t slab = slab_of(offset);
  if (slabs_.state(slab) != SlabState::split) return free_slabs(offset, bytes);
  const std::uint32_t record = slabs_.split_record(slab);
  const bool is_split_piece = (records_[record].split >> piece_of(offset)) & 1;
  return is_split_piece ? free_units(record, offset, bytes) : free_pieces(record, offset, bytes);
}

Status ChunkAllocator::free_slabs(Bytes offset, Bytes bytes) {
  const std::uint32_t slab = slab_of(offset);
  if (slabs_.state(slabs_.run_of(slab)) == SlabState::free) return not_used(offset);
  if (slabs_.state(slab) != SlabState::used || offset.n % slab_bytes.n != 0) return not_a_begin(offset);
  const Bytes handed_out = slab_bytes * slabs_.length(slab);
  if (bytes > handed_out || round_up(bytes, slab_bytes) != handed_out) return other_size(offset, bytes, handed_out);
  slabs_.give_back(slab);
  used_ -= handed_out;
  return {};
}

Status ChunkAllocator::free_pieces(std::uint32_t record, Bytes offset, Bytes bytes) {
  SplitSlab& slab = records_[record];
  const std::uint32_t piece = piece_of(offset);
  if ((slab.pieces.free >> piece) & 1) return not_used(offset);
  if (((slab.pieces.starts >> piece) & 1) == 0 || offset.n % piece_bytes.n != 0) return not_a_begin(offset);
  const std::uint32_t count = slab.pieces.length_at(piece, slab.split);
  const Bytes handed_out = piece_bytes * count;
  if (bytes > handed_out || round_up(bytes, piece_bytes) != handed_out) return other_size(offset, bytes, handed_out);
  slab.pieces.give_back(piece, count);
  used_ -= handed_out;
  pieces_changed(record);
  return {};
}

Status ChunkAllocator::free_units(std::uint32_t record, Bytes offset, Bytes bytes) {
  SplitSlab& slab = records_[record];
  const std::uint32_t piece = piece_of(offset);
  const std::uint32_t unit = unit_of(offset);
  Units& units = slab.units[piece];
  if ((units.free >> unit) & 1) return not_used(offset);
  if (((units.starts >> unit) & 1) == 0) return not_a_begin(offset);
  const std::uint32_t count = units.length_at(unit, 0);
  const Bytes handed_out = unit_bytes * count;
  if (bytes > handed_out || round_up(bytes, unit_bytes) != handed_out) return other_size(offset, bytes, handed_out);
  units.give_back(unit, count);
  used_ -= handed_out;
  units_changed(record, piece);
  return {};
}

ChunkStatistics ChunkAllocator::statistics() const {
  ChunkStatistics all{.span = span_, .reserved = begin_of_slab(slabs_.grown()), .used = used_, .free_run_max = {}};
  const auto longest = [](const Lists& lists) {
    return lists.has_slabs == 0 ? 0u : static_cast<std::uint32_t>(std::bit_width(lists.has_slabs)) - 1;
  };
  if (const std::uint32_t slabs = slabs_.longest_free(); slabs > 0) {
    all.free_run_max = slab_bytes * slabs;
  } else if (const std::uint32_t pieces = longest(by_pieces_); pieces > 0) {
    all.free_run_max = piece_bytes * pieces;
  } else {
    all.free_run_max = unit_bytes * longest(by_units_);
  }
  const Bytes free = all.reserved - all.used;
  if (free.n > 0) {  // bytes over 4 KiB: no overflow in the product
    const std::uint64_t outside = (free - all.free_run_max) / unit_bytes;
    all.fragmentation_permille = static_cast<std::uint32_t>(outside * 1000 / (free / unit_bytes));
  }
  return all;
}

void ChunkAllocator::check_invariants() const {
  slabs_.check_invariants();
  Bytes used;
  for (std::uint32_t slab = 0; slab < slabs_.grown(); slab += slabs_.length(slab)) {
    if (slabs_.state(slab) == SlabState::used) used += slab_bytes * slabs_.length(slab);
    if (slabs_.state(slab) != SlabState::split) continue;
    const std::uint32_t record = slabs_.split_record(slab);
    const SplitSlab& split = records_[record];
    UMRT_ASSERT(split.slab == slab);
    UMRT_ASSERT(split.pieces.free != Pieces::all);  // else it is merged
    UMRT_ASSERT((split.pieces.free & split.split) == 0);
    UMRT_ASSERT((split.pieces.starts & (split.pieces.free | split.split)) == 0);
    UMRT_ASSERT(split.pieces_bin == split.pieces.longest_free());
    used += piece_bytes * static_cast<std::uint32_t>(std::popcount(~(split.pieces.free | split.split)));
    std::uint32_t longest = 0;
    for (std::uint32_t piece = 0; piece < 32; ++piece) {
      if (((split.split >> piece) & 1) == 0) {
        UMRT_ASSERT(split.longest[piece] == 0);
        continue;
      }
      const Units& units = split.units[piece];
      UMRT_ASSERT(units.free != Units::all);
      UMRT_ASSERT((units.starts & units.free) == 0);
      UMRT_ASSERT(split.longest[piece] == units.longest_free());
      longest = std::max<std::uint32_t>(longest, split.longest[piece]);
      used += unit_bytes * static_cast<std::uint32_t>(16 - std::popcount(units.free));
    }
    UMRT_ASSERT(split.units_bin == longest);
  }
  UMRT_ASSERT(used == used_);
}

}  // namespace umrt
