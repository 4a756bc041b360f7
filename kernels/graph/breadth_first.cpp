// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/breadth_first.h"

#include "kernels/graph/chunks.h"

namespace umrt::graph {
namespace {

bool has_source_in_frontier(const BreadthFirstArguments& a, std::uint64_t v) {
  for (std::uint64_t i = a.offsets[v]; i < a.offsets[v + 1]; ++i) {
    const VertexId u = a.sources[i];
    if ((a.frontier[u / 64] >> (u % 64) & 1) != 0) return true;
  }
  return false;
}

}  // namespace

void expand_frontier(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const BreadthFirstArguments*>(arguments);
  for (std::uint64_t chunk = a.first_chunk + begin; chunk < a.first_chunk + end; ++chunk) {
    std::uint64_t words[words_per_chunk] = {};
    std::uint64_t found = 0;
    for (std::uint64_t v = chunk_begin(chunk); v < chunk_end(chunk, a.vertex_count); ++v) {
      if (a.levels[v] != level_unreached || !has_source_in_frontier(a, v)) continue;
      a.levels[v] = a.level;
      words[v % vertices_per_chunk / 64] |= std::uint64_t{1} << (v % 64);
      ++found;
    }
    for (std::uint64_t word = 0; word < words_per_chunk; ++word) {
      a.next_frontier[chunk * words_per_chunk + word] = words[word];
    }
    a.found_by_chunk[chunk] = found;
  }
}

void fetch_frontier(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const BreadthFirstArguments*>(arguments);
  const std::uint64_t last = (a.first_chunk + end) * words_per_chunk;
  for (std::uint64_t word = (a.first_chunk + begin) * words_per_chunk; word < last; ++word) {
    a.next_frontier[word] = a.peer_frontier[word];
  }
}

}  // namespace umrt::graph
