// SPDX-License-Identifier: Apache-2.0
// An order of blocks as a list through indices: constant-time moves to the tail, no allocation after `reserve`.
#pragma once

#include <cstdint>
#include <vector>

#include "core/policy.h"

namespace umrt {

class BlockList {
 public:
  void reserve(std::uint32_t blocks) { links_.resize(blocks); }
  bool has(BlockId block) const { return links_[block.n].is_listed; }
  void move_to_tail(BlockId block) {
    if (tail_ == block.n) return;
    remove(block);
    links_[block.n] = Link{.older = tail_, .newer = none, .is_listed = true};
    (tail_ == none ? head_ : links_[tail_].newer) = block.n;
    tail_ = block.n;
  }
  void remove(BlockId block) {
    Link& link = links_[block.n];
    if (!link.is_listed) return;
    (link.older == none ? head_ : links_[link.older].newer) = link.newer;
    (link.newer == none ? tail_ : links_[link.newer].older) = link.older;
    link.is_listed = false;
  }
  std::optional<BlockId> first(const EvictionPolicy::Filter& filter) const {  // from the head
    for (std::uint32_t n = head_; n != none; n = links_[n].newer) {
      if (filter.may_evict({n})) return BlockId{n};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t none = ~0u;
  struct Link {
    std::uint32_t older = none, newer = none;
    bool is_listed = false;
  };
  std::vector<Link> links_;
  std::uint32_t head_ = none, tail_ = none;
};

}  // namespace umrt
