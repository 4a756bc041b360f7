// SPDX-License-Identifier: Apache-2.0
// The blocks of all ranges, dense: a range has consecutive ids. Presence on devices after the first is in a side
// table; hints, of which there are few distinct ones, are kept once each. Only adding blocks and hints allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/block_state.h"

namespace umrt {

class BlockTable {
 public:
  explicit BlockTable(std::uint32_t devices);

  BlockId add(RangeId range, std::uint32_t count, const Hints& hints);
  void remove(BlockId first, std::uint32_t count);

  BlockState& at(BlockId block) { return blocks_[block.n]; }
  const BlockState& at(BlockId block) const { return blocks_[block.n]; }
  PresenceMasks& presence(BlockId block, ProcessorId processor);
  const PresenceMasks& presence(BlockId block, ProcessorId processor) const {
    return const_cast<BlockTable*>(this)->presence(block, processor);
  }

  const Hints& hints(BlockId block) const { return hints_[blocks_[block.n].hints_row]; }
  void set_hints(BlockId block, const Hints& hints) { blocks_[block.n].hints_row = row_of(hints); }

  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }  // every id is below

 private:
  struct Span {
    std::uint32_t begin, count;
  };
  std::uint16_t row_of(const Hints& hints);
  std::uint32_t take(std::uint32_t count);

  std::uint32_t side_devices_;
  std::vector<BlockState> blocks_;
  std::vector<PresenceMasks> side_;  // [block * side_devices_ + device - 1]
  std::vector<Span> free_;           // by begin, never adjacent: at most one more than there are live spans
  std::size_t live_ = 0;
  std::vector<Hints> hints_;
};

inline PresenceMasks& BlockTable::presence(BlockId block, ProcessorId processor) {
  if (processor.is_host()) return blocks_[block.n].host;
  if (processor.n == 1) return blocks_[block.n].device0;
  return side_[std::uint64_t{block.n} * side_devices_ + processor.device() - 1];
}

}  // namespace umrt
