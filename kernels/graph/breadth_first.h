// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, level by level, as a kernel: a vertex without a level looks for a source of its edges in the
// frontier. Each vertex is written by its own item alone, so the levels are the same for every number of threads.
#pragma once

#include <cstdint>

#include "kernels/graph/csr_graph.h"

namespace umrt::graph {

inline constexpr std::uint32_t level_unreached = 0xFFFF'FFFFu;

struct BreadthFirstArguments {  // pointers into managed memory
  const std::uint64_t* offsets = nullptr;
  const VertexId* sources = nullptr;
  std::uint32_t* levels = nullptr;
  const std::uint64_t* frontier = nullptr;       // a bit a vertex, words_per_chunk a chunk: reached one level before
  std::uint64_t* next_frontier = nullptr;        // this device's own; written whole, chunk by chunk
  const std::uint64_t* peer_frontier = nullptr;  // fetch_frontier: where to copy from
  std::uint64_t* found_by_chunk = nullptr;
  std::uint64_t vertex_count = 0;
  std::uint64_t first_chunk = 0;
  std::uint32_t level = 0;  // of the vertices found now
};

// Items are chunks from first_chunk on.
void expand_frontier(const void* arguments, std::uint64_t begin, std::uint64_t end);
void fetch_frontier(const void* arguments, std::uint64_t begin, std::uint64_t end);  // a peer's part of next_frontier

}  // namespace umrt::graph
