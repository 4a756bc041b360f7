// SPDX-License-Identifier: Apache-2.0
// Granules whose only bytes died with a device. Nothing brings them back: whoever touches them gets an error and never
// zeros, until their range is freed. Allocates only when something is lost.
#pragma once

#include <cstdint>
#include <map>

#include "core/action.h"

namespace umrt {

class LostGranules {
 public:
  bool empty() const { return lost_.empty(); }
  GranuleMask of(BlockId block) const {
    if (lost_.empty()) return {};
    const auto found = lost_.find(block.n);
    return found == lost_.end() ? GranuleMask{} : found->second;
  }
  bool has_any(BlockId begin, BlockId end) const {
    const auto first = lost_.lower_bound(begin.n);
    return first != lost_.end() && first->first < end.n;
  }
  void add(BlockId block, GranuleMask granules) { lost_[block.n] |= granules; }
  void forget(BlockId begin, BlockId end) { lost_.erase(lost_.lower_bound(begin.n), lost_.lower_bound(end.n)); }

 private:
  std::map<std::uint32_t, GranuleMask> lost_;  // by block
};

}  // namespace umrt
