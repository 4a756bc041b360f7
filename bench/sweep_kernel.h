// SPDX-License-Identifier: Apache-2.0
// The read-modify-write sweep that several measurements run: every word of every block, in address order.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace umrt::bench {

struct SweepKernel {  // one item is one block
  std::uint64_t* words;

  static constexpr std::uint64_t words_per_block = (2_MiB).n / sizeof(std::uint64_t);

  static void run(const void* arguments, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* words = static_cast<const SweepKernel*>(arguments)->words;
    for (std::uint64_t i = begin * words_per_block; i < end * words_per_block; ++i) words[i] += 1;
  }
};

}  // namespace umrt::bench
