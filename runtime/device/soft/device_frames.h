// SPDX-License-Identifier: Apache-2.0
// Which frame of a device's pools holds a granule, and whether it is mapped there.
//
// Structure: two pools in the device process. Huge frames of 2 MiB come from the one, 64 KiB and 4 KiB from the other,
// so that a huge page is never split (moving 64 KiB out of one costs 1.9 ms, Linux 6.18). Frames that are free keep
// their memory for the next use; `surplus` names free ones whose memory is to go back when both pools together hold
// more than the budget. Concurrency: one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "core/chunk_allocator.h"
#include "device/device.h"
#include "device/soft/unit_table.h"

namespace umrt::soft {

class DeviceFrames {
 public:
  static Result<DeviceFrames> make(const Arena& arena, Bytes budget);

  void set_pools(std::byte* huge, std::byte* small) noexcept {  // addresses in the device process
    huge_pool_ = huge;
    small_pool_ = small;
  }

  bool take(Address granule, PageClass page_class) noexcept;  // false: every frame is in use
  void give_back(Address granule, PageClass page_class) noexcept;
  void clear() noexcept;  // the process has gone, and the frames with it

  bool has(Address granule) const noexcept { return entries_[granule] != 0; }
  bool is_mapped(Address granule) const noexcept { return (entries_[granule] & mapped_bit) != 0; }
  void set_mapped(Address granule, bool is_mapped) noexcept;
  std::byte* frame(Address granule) const noexcept;  // only when it has one

  // How far the huge pool is to be populated now: `step` beyond the frames ever used, as the budget allows. Whole
  // steps.
  Bytes grow_huge_ahead(Bytes step) noexcept;

  struct Surplus {
    bool is_huge = false;
    std::uint32_t count = 0;
    std::byte* frames[32];
  };
  // Free frames whose memory shall be dropped. They stay out of use until `surplus_dropped`.
  Surplus take_surplus() noexcept;
  void surplus_dropped(const Surplus& surplus) noexcept;

 private:
  static constexpr std::uint32_t mapped_bit = 1u << 31;
  static constexpr std::uint32_t huge_bit = 1u << 30;

  DeviceFrames(Address huge_begin, Bytes budget, UnitTable<std::uint32_t> entries);
  bool take_huge(Address granule) noexcept;
  bool take_small(Address granule, PageClass page_class) noexcept;
  void give_back_small(Bytes chunk, PageClass page_class) noexcept;

  Address huge_begin_;
  Bytes budget_;
  UnitTable<std::uint32_t> entries_;  // 0: none; else number of the frame + 1 in its pool's unit, and the two bits
  std::byte* huge_pool_ = nullptr;
  std::byte* small_pool_ = nullptr;
  std::vector<std::uint32_t> free_huge_;  // taken from the back: the one used last is warm
  std::vector<bool> huge_is_populated_;
  Bytes huge_reach_;  // frames ever used lie below
  Bytes huge_grown_;  // and what is populated ahead of use
  ChunkAllocator small_;
  std::vector<bool> small_is_populated_;  // 64 KiB each
  Bytes populated_;
};

}  // namespace umrt::soft
