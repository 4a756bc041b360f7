// SPDX-License-Identifier: Apache-2.0
// The ranges: by id, and by address in constant time. The address index has one slot for each 2 MiB of the arena: the
// range that fills it, or a page of 512 slots for 4 KiB each where several ranges share it. Only adding a range
// allocates.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/counters.h"
#include "core/event.h"

namespace umrt {

enum class RemoteState : std::uint8_t {
  local,      // its granules migrate
  gathering,  // on its way home to the host, to be mapped remotely
  mapping,    // RemoteAction ordered
  remote,     // one shared mapping of system memory
  leaving,    // RemoteAction{is_remote = false} ordered
};

struct Range {
  RangeId id;
  Address base;
  Bytes bytes;
  PageClass page_class = PageClass::page_2m;
  Ticks created;
  BlockId first_block;
  std::uint32_t blocks = 0;
  std::uint64_t launches_before = 0;  // kernels that had ended when it was made

  bool is_freed = false;
  RequestId free_request;
  RemoteState remote = RemoteState::local;
  bool is_remote_refused = false;  // the device could not map it remotely once: not tried again
  Ticks gather_not_before;         // backing off on the way to a remote mapping
  std::uint32_t actions_in_flight = 0;
  std::uint32_t granules_seen = 0;  // that left a device, halved now and then; and of them
  std::uint32_t granules_used = 0;  // those that had been touched there
  Counters counters;

  Bytes granule() const { return granule_bytes(page_class); }
  bool is_dense() const {  // at least 80 % of what left devices, or of what was fetched ahead, had been used
    if (granules_seen >= 8 && granules_used * 100ull >= granules_seen * 80ull) return true;
    return counters.prefetched >= granule() * 8 && counters.prefetched_used.n * 100 >= counters.prefetched.n * 80;
  }
  BlockIndex index_of(BlockId block) const { return {block.n - first_block.n}; }
  Address base_of(BlockId block) const { return base + begin_of(index_of(block), page_class); }
  BlockId block_at(Bytes offset) const {
    return {first_block.n + static_cast<std::uint32_t>(offset / block_bytes(page_class))};
  }
  BlockId block_end() const { return {first_block.n + blocks}; }
  bool has(BlockId block) const { return block.n >= first_block.n && block.n < first_block.n + blocks; }
  GranuleIndex granule_at(Address address) const {
    return {static_cast<std::uint32_t>((address - base).n % block_bytes(page_class).n / granule().n)};
  }
  GranuleMask exists(BlockId block) const {  // the last block may be shorter
    const std::uint64_t left = (bytes - begin_of(index_of(block), page_class)) / granule();
    const std::uint32_t whole = granules_per_block(page_class);
    return GranuleMask::first(left < whole ? static_cast<std::uint32_t>(left) : whole);
  }
};

class RangeTable {
 public:
  Range& add(const RangeCreated& created, BlockId first_block);
  void remove(RangeId id);

  Range& at(RangeId id);
  const Range& at(RangeId id) const;
  bool has(RangeId id) const { return id.n < ranges_.size() && ranges_[id.n]; }
  Range* find(Address address) {
    const RangeId id = id_at(address);
    return id == RangeId{} ? nullptr : ranges_[id.n].get();
  }
  const Range* find(Address address) const { return const_cast<RangeTable*>(this)->find(address); }

  std::uint32_t ids() const { return static_cast<std::uint32_t>(ranges_.size()); }  // every id is below
  Bytes bytes() const { return bytes_; }                                            // of all ranges

 private:
  static constexpr Bytes slot_bytes = 2_MiB;
  static constexpr std::uint32_t pieces = 512;
  static constexpr std::uint32_t is_page = 1u << 31;  // else a range's id + 1, or 0 for none
  using Page = std::array<std::uint32_t, pieces>;

  RangeId id_at(Address address) const;
  void index(const Range& range, std::uint32_t value);
  std::uint32_t page_of(std::uint64_t slot);
  void give_back_if_empty(std::uint64_t slot);

  std::vector<std::unique_ptr<Range>> ranges_;
  std::vector<std::uint32_t> slots_;
  std::vector<Page> pages_;
  std::vector<std::uint32_t> free_pages_;
  Bytes bytes_;
};

}  // namespace umrt
