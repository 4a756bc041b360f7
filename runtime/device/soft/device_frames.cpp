// SPDX-License-Identifier: Apache-2.0
#include "device/soft/device_frames.h"

#include <algorithm>
#include <array>

namespace umrt::soft {

DeviceFrames::DeviceFrames(Address huge_begin, Bytes budget, UnitTable<std::uint32_t> entries)
    : huge_begin_{huge_begin}, budget_{budget}, entries_{std::move(entries)}, small_{budget} {
  clear();
}

Result<DeviceFrames> DeviceFrames::make(const Arena& arena, Bytes budget) {
  auto entries = UnitTable<std::uint32_t>::make(arena);
  if (!entries) return tl::unexpected(entries.error());
  return DeviceFrames(arena.huge_begin, round_down(budget, 2_MiB), std::move(*entries));
}

void DeviceFrames::clear() noexcept {
  entries_.clear();
  const auto huge_frames = static_cast<std::uint32_t>(budget_ / 2_MiB);
  free_huge_.clear();
  for (std::uint32_t i = huge_frames; i > 0; --i) free_huge_.push_back(i - 1);  // the lowest is taken first
  huge_is_populated_.assign(huge_frames, false);
  small_ = ChunkAllocator(budget_);
  small_.grow(budget_);
  small_is_populated_.assign(budget_ / 64_KiB, false);
  populated_ = huge_reach_ = huge_grown_ = {};
}

bool DeviceFrames::take(Address granule, PageClass page_class) noexcept {
  UMRT_ASSERT(!has(granule));
  return page_class == PageClass::page_2m ? take_huge(granule) : take_small(granule, page_class);
}

bool DeviceFrames::take_huge(Address granule) noexcept {
  if (free_huge_.empty()) return false;
  const std::uint32_t frame = free_huge_.back();
  free_huge_.pop_back();
  if (!huge_is_populated_[frame]) populated_ += 2_MiB;
  huge_is_populated_[frame] = true;
  huge_reach_ = std::max(huge_reach_, 2_MiB * (frame + 1));
  entries_[granule] = (frame + 1) | huge_bit;
  return true;
}

bool DeviceFrames::take_small(Address granule, PageClass page_class) noexcept {
  const auto chunk = small_.allocate(page_class);
  if (!chunk) return false;
  const std::uint64_t unit = chunk->n / (64_KiB).n;
  if (!small_is_populated_[unit]) populated_ += 64_KiB;
  small_is_populated_[unit] = true;
  entries_[granule] = static_cast<std::uint32_t>(chunk->n / (4_KiB).n + 1);
  return true;
}

void DeviceFrames::give_back_small(Bytes chunk, PageClass page_class) noexcept {
  const bool is_ours = small_.free(chunk, page_class).has_value();
  UMRT_ASSERT(is_ours);
}

void DeviceFrames::give_back(Address granule, PageClass page_class) noexcept {
  const std::uint32_t number = (entries_[granule] & ~(mapped_bit | huge_bit)) - 1;
  entries_[granule] = 0;
  if (page_class == PageClass::page_2m)
    free_huge_.push_back(number);
  else
    give_back_small(4_KiB * number, page_class);
}

void DeviceFrames::set_mapped(Address granule, bool is_mapped) noexcept {
  std::uint32_t& entry = entries_[granule];
  entry = is_mapped ? entry | mapped_bit : entry & ~mapped_bit;
}

std::byte* DeviceFrames::frame(Address granule) const noexcept {
  const std::uint32_t entry = entries_[granule];
  const std::uint64_t number = (entry & ~(mapped_bit | huge_bit)) - 1;
  return (entry & huge_bit) != 0 ? huge_pool_ + number * (2_MiB).n : small_pool_ + number * (4_KiB).n;
}

Bytes DeviceFrames::grow_huge_ahead(Bytes step) noexcept {
  const Bytes end = std::min(round_up(huge_reach_ + step, step), 2_MiB * huge_is_populated_.size());
  for (; huge_grown_ < end; huge_grown_ += 2_MiB) {
    const std::uint64_t frame = huge_grown_ / 2_MiB;
    if (huge_is_populated_[frame]) continue;
    if (populated_ + 2_MiB > budget_) break;
    huge_is_populated_[frame] = true;
    populated_ += 2_MiB;
  }
  return huge_grown_;
}

DeviceFrames::Surplus DeviceFrames::take_surplus() noexcept {
  Surplus surplus;
  if (populated_ <= budget_) return surplus;
  // Huge frames that are free first: there are more bytes in one.
  surplus.is_huge = true;
  for (auto it = free_huge_.begin(); it != free_huge_.end() && surplus.count < 32 && populated_ > budget_;) {
    if (!huge_is_populated_[*it]) {
      ++it;
      continue;
    }
    surplus.frames[surplus.count++] = huge_pool_ + (2_MiB).n * *it;
    huge_is_populated_[*it] = false;
    populated_ -= 2_MiB;
    it = free_huge_.erase(it);
  }
  if (surplus.count != 0) return surplus;

  surplus.is_huge = false;
  std::array<Bytes, 32> unpopulated;
  std::uint32_t unpopulated_count = 0;
  while (surplus.count < 32 && unpopulated_count < 32 && populated_ > budget_) {
    const auto chunk = small_.allocate(PageClass::page_64k);
    if (!chunk) break;
    const std::uint64_t unit = chunk->n / (64_KiB).n;
    if (small_is_populated_[unit]) {
      surplus.frames[surplus.count++] = small_pool_ + chunk->n;
      small_is_populated_[unit] = false;
      populated_ -= 64_KiB;
    } else {
      unpopulated[unpopulated_count++] = *chunk;
    }
  }
  for (std::uint32_t i = 0; i < unpopulated_count; ++i) give_back_small(unpopulated[i], PageClass::page_64k);
  return surplus;
}

void DeviceFrames::surplus_dropped(const Surplus& surplus) noexcept {
  for (std::uint32_t i = 0; i < surplus.count; ++i) {
    if (surplus.is_huge)  // at the cold end
      free_huge_.insert(free_huge_.begin(), static_cast<std::uint32_t>((surplus.frames[i] - huge_pool_) / (2_MiB).n));
    else
      give_back_small(Bytes{static_cast<std::uint64_t>(surplus.frames[i] - small_pool_)}, PageClass::page_64k);
  }
}

}  // namespace umrt::soft
