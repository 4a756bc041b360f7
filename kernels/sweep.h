// SPDX-License-Identifier: Apache-2.0
// Read-modify-write sweeps over words: the simplest load on a memory system, for benchmarks and tests. An item is
// `words_per_item` words (a word, a page, a 2 MiB block), so that a launch can be cut as finely as wanted.
#pragma once

#include <cstdint>

namespace umrt::sweep {

inline constexpr std::uint64_t words_per_block = 2097152 / sizeof(std::uint64_t);

struct Arguments {
  std::uint64_t* words = nullptr;
  std::uint64_t word_count = 0;  // the last item may be a part
  std::uint64_t words_per_item = 1;
  std::uint64_t addend = 1;
};

constexpr std::uint64_t item_count(const Arguments& arguments) {
  return (arguments.word_count + arguments.words_per_item - 1) / arguments.words_per_item;
}

// Kernels: `arguments` points to Arguments.
void add_to_every_word(const void* arguments, std::uint64_t begin, std::uint64_t end);
void add_to_first_word(const void* arguments, std::uint64_t begin, std::uint64_t end);  // of each item: a bare touch

}  // namespace umrt::sweep
