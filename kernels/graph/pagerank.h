// SPDX-License-Identifier: Apache-2.0
// PageRank by pulling, as kernels. An iteration on n vertices with damping d is
//
//   contribution[u] = rank[u] / out_degree[u], or 0 where u has no edge out (its rank is "dangling")
//   next_rank[v]    = (1 - d) / n + d * (dangling / n + sum of contribution[u] over the edges u -> v)
//
// in four launches: `contribute`, `sum_dangling`, with several devices `fetch_contributions`, and `gather`. Items of
// `contribute` and `gather` are chunks of vertices from `first_chunk` on. Everything is written by one item alone.
#pragma once

#include <cstdint>

#include "kernels/graph/csr_graph.h"

namespace umrt::graph {

inline constexpr double pagerank_damping = 0.85;

struct PagerankArguments {  // of all four kernels; pointers into managed memory
  const std::uint64_t* offsets = nullptr;
  const VertexId* sources = nullptr;
  const std::uint32_t* out_degrees = nullptr;
  const double* rank = nullptr;
  double* next_rank = nullptr;
  double* contribution = nullptr;             // this device's own, for all vertices
  double* dangling_by_chunk = nullptr;        // this device's own, for all chunks
  const double* peer_contribution = nullptr;  // fetch_contributions: where to copy both from
  const double* peer_dangling_by_chunk = nullptr;
  double* change_by_chunk = nullptr;  // sum of |next_rank - rank|
  double* dangling = nullptr;         // this device's own: the sum of dangling_by_chunk
  std::uint64_t vertex_count = 0;
  std::uint64_t first_chunk = 0;
};

void contribute(const void* arguments, std::uint64_t begin, std::uint64_t end);
void sum_dangling(const void* arguments, std::uint64_t begin, std::uint64_t end);  // one item
void fetch_contributions(const void* arguments, std::uint64_t begin, std::uint64_t end);
void gather(const void* arguments, std::uint64_t begin, std::uint64_t end);

}  // namespace umrt::graph
