// SPDX-License-Identifier: Apache-2.0
// Hands out a span of memory in chunks of 4 KiB, 64 KiB and 2 MiB and in runs of them: arena addresses, and frames of
// device memory. It sees offsets only and touches none of the memory.
//
// Structure: the span is cut into 2 MiB slabs (slab_runs.h). A slab that is split has 32 pieces of 64 KiB, and a piece
// that is split has 16 units of 4 KiB (unit_map.h). Split slabs are listed by the longest run of pieces and by the
// longest run of units that they can serve: one free list per size. A piece or slab that is free again as a whole is
// merged on the spot. Concurrency: none; the owner locks. Guarantee: no heap allocation after the constructor, O(1)
// for everything but statistics and error texts; misuse is an error by name and changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/slab_runs.h"
#include "core/unit_map.h"

namespace umrt {

struct ChunkStatistics {
  Bytes span, reserved, used;                // `reserved`: the grown part; `used`: handed out, rounded up to chunks
  Bytes free_run_max;                        // the largest that allocate_run() can serve now
  std::uint32_t fragmentation_permille = 0;  // external: the share of free bytes outside of the largest free run
};

class ChunkAllocator {
 public:
  static constexpr Bytes slab_bytes = 2_MiB;

  explicit ChunkAllocator(Bytes span);  // a multiple of 2 MiB. Nothing is free until grow()

  // Adds the next bytes of the span, rounded up to slabs and cut at its end; returns how many there were.
  Bytes grow(Bytes bytes);
  // How far to grow so that a run of `bytes` fits at the end; none: the span is too small for that.
  std::optional<Bytes> growth_for(Bytes bytes) const;

  // The result is an offset in the span. None: nothing free is large enough; grow or free, then ask again.
  std::optional<Bytes> allocate(PageClass size) { return allocate_run(granule_bytes(size)); }
  // Neighbouring chunks: of 4 KiB below 64 KiB, aligned so; of 64 KiB below 2 MiB, aligned so; else of 2 MiB, aligned
  // so. At least 1 byte; more bytes than the span has are just not there.
  std::optional<Bytes> allocate_run(Bytes bytes);

  // DOUBLE_FREE, FOREIGN_POINTER (nothing was ever handed out there, or not as a begin), INVALID_VALUE (another size).
  Status free(Bytes offset, PageClass size) { return free_run(offset, granule_bytes(size)); }
  Status free_run(Bytes offset, Bytes bytes);

  Bytes span() const { return span_; }
  ChunkStatistics statistics() const;
  void check_invariants() const;

 private:
  using Pieces = UnitMap<std::uint32_t>;
  using Units = UnitMap<std::uint16_t>;
  struct Links {
    std::uint32_t newer, older;
  };
  struct SplitSlab {
    std::uint32_t slab;
    Pieces pieces;
    std::uint32_t split;                   // bit i: piece i is split
    std::array<Units, 32> units;           // of split pieces
    std::array<std::uint8_t, 32> longest;  // run of free units in piece i; 0 when it is not split
    std::uint8_t pieces_bin, units_bin;    // the lists that it is in; 0: in none
    Links pieces_links, units_links;
  };
  struct Lists {  // of split slabs, by the longest run that they can serve
    explicit Lists(std::uint8_t SplitSlab::*bin_of_slab, Links SplitSlab::*links_of_slab);
    std::uint8_t SplitSlab::*bin;
    Links SplitSlab::*links;
    std::array<std::uint32_t, 33> newest;
    std::uint64_t has_slabs = 0;
  };

  std::optional<Bytes> allocate_slabs(std::uint32_t count);
  std::optional<Bytes> allocate_pieces(std::uint32_t count);
  std::optional<Bytes> allocate_units(std::uint32_t count);
  std::optional<std::uint32_t> record_with(const Lists& lists, std::uint32_t run) const;
  std::optional<std::uint32_t> split_new_slab();
  void relist(Lists& lists, std::uint32_t record, std::uint32_t run);
  void pieces_changed(std::uint32_t record);
  void units_changed(std::uint32_t record, std::uint32_t piece);

  Status free_slabs(Bytes offset, Bytes bytes);
  Status free_pieces(std::uint32_t record, Bytes offset, Bytes bytes);
  Status free_units(std::uint32_t record, Bytes offset, Bytes bytes);

  Bytes span_;
  Bytes used_;
  SlabRuns slabs_;
  std::vector<SplitSlab> records_;  // grows within its capacity
  std::uint32_t unused_record_;     // list through pieces_links.older
  Lists by_pieces_, by_units_;
};

}  // namespace umrt
