// SPDX-License-Identifier: Apache-2.0
#include "kernels/sweep.h"

#include <algorithm>

namespace umrt::sweep {

void add_to_every_word(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const Arguments*>(arguments);
  const std::uint64_t last = std::min(end * a.words_per_item, a.word_count);
  for (std::uint64_t word = begin * a.words_per_item; word < last; ++word) a.words[word] += a.addend;
}

void add_to_first_word(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const Arguments*>(arguments);
  for (std::uint64_t item = begin; item < end; ++item) a.words[item * a.words_per_item] += a.addend;
}

}  // namespace umrt::sweep
