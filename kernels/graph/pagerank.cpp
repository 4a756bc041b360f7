// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/pagerank.h"

#include <cmath>

#include "kernels/graph/chunks.h"

namespace umrt::graph {

void contribute(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const PagerankArguments*>(arguments);
  for (std::uint64_t chunk = a.first_chunk + begin; chunk < a.first_chunk + end; ++chunk) {
    double dangling = 0;
    for (std::uint64_t u = chunk_begin(chunk); u < chunk_end(chunk, a.vertex_count); ++u) {
      const bool is_dangling = a.out_degrees[u] == 0;
      a.contribution[u] = is_dangling ? 0 : a.rank[u] / a.out_degrees[u];
      if (is_dangling) dangling += a.rank[u];
    }
    a.dangling_by_chunk[chunk] = dangling;
  }
}

void sum_dangling(const void* arguments, std::uint64_t, std::uint64_t) {
  const auto& a = *static_cast<const PagerankArguments*>(arguments);
  *a.dangling = sum_in_order(std::span<const double>(a.dangling_by_chunk, chunk_count(a.vertex_count)));
}

void fetch_contributions(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const PagerankArguments*>(arguments);
  const std::uint64_t last = chunk_end(a.first_chunk + end - 1, a.vertex_count);
  for (std::uint64_t u = chunk_begin(a.first_chunk + begin); u < last; ++u) a.contribution[u] = a.peer_contribution[u];
  for (std::uint64_t chunk = a.first_chunk + begin; chunk < a.first_chunk + end; ++chunk) {
    a.dangling_by_chunk[chunk] = a.peer_dangling_by_chunk[chunk];
  }
}

void gather(const void* arguments, std::uint64_t begin, std::uint64_t end) {
  const auto& a = *static_cast<const PagerankArguments*>(arguments);
  const double n = static_cast<double>(a.vertex_count);
  const double base = (1 - pagerank_damping) / n;
  const double from_dangling = *a.dangling / n;
  for (std::uint64_t chunk = a.first_chunk + begin; chunk < a.first_chunk + end; ++chunk) {
    double change = 0;
    for (std::uint64_t v = chunk_begin(chunk); v < chunk_end(chunk, a.vertex_count); ++v) {
      double sum = 0;
      for (std::uint64_t i = a.offsets[v]; i < a.offsets[v + 1]; ++i) sum += a.contribution[a.sources[i]];
      a.next_rank[v] = base + pagerank_damping * (from_dangling + sum);
      change += std::fabs(a.next_rank[v] - a.rank[v]);
    }
    a.change_by_chunk[chunk] = change;
  }
}

}  // namespace umrt::graph
