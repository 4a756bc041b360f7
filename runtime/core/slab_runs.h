// SPDX-License-Identifier: Apache-2.0
// Runs of neighbouring 2 MiB slabs: which are free, found by length, merged when given back.
//
// Structure: one record a slab; the first slab of a run holds its state and length, and the last slab of a free run
// where it begins. Free runs are in lists by length, so that taking and giving back is O(1) but for runs that only a
// longer list can tell apart. Records exist for the grown part alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace umrt {

enum class SlabState : std::uint8_t { inside, free, used, split };  // of the first slab of a run; else `inside`

class SlabRuns {
 public:
  explicit SlabRuns(std::uint32_t slabs_max);  // the last heap allocation

  void grow(std::uint32_t count);  // the next slabs of the span become free
  std::optional<std::uint32_t> take(std::uint32_t count, SlabState use);
  void give_back(std::uint32_t first);  // a run that is in use

  SlabState state(std::uint32_t slab) const { return slabs_[slab].state; }
  std::uint32_t length(std::uint32_t first) const { return slabs_[first].length; }
  std::uint32_t& split_record(std::uint32_t slab) { return slabs_[slab].newer; }  // free for the user of a split slab
  std::uint32_t split_record(std::uint32_t slab) const { return slabs_[slab].newer; }

  std::uint32_t grown() const { return static_cast<std::uint32_t>(slabs_.size()); }
  std::uint32_t grown_max() const { return slabs_max_; }
  std::uint32_t run_of(std::uint32_t slab) const;  // its first slab; linear, for error texts
  std::uint32_t longest_free() const;
  std::uint32_t free_at_end() const;  // length of the free run that ends with the grown part

  void check_invariants() const;

 private:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t bin_count = 128;
  struct Slab {
    std::uint32_t length = 0;                  // first slab of a run
    std::uint32_t begin = 0;                   // last slab of a free run; elsewhere stale, which free_run_before() sees
    std::uint32_t newer = none, older = none;  // first slab of a free run: neighbours in its list
    SlabState state = SlabState::inside;
  };

  static std::uint32_t bin_of(std::uint32_t count);
  std::uint32_t first_bin_from(std::uint32_t bin) const;  // none: nothing is free there
  std::optional<std::uint32_t> free_run_before(std::uint32_t slab) const;
  void link(std::uint32_t first, std::uint32_t count);
  void unlink(std::uint32_t first);

  std::uint32_t slabs_max_;
  std::vector<Slab> slabs_;
  std::array<std::uint32_t, bin_count> newest_;
  std::array<std::uint64_t, bin_count / 64> has_free_{};
};

}  // namespace umrt
