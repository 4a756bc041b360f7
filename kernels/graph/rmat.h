// SPDX-License-Identifier: Apache-2.0
// The R-MAT generator (Chakrabarti, Zhan, Faloutsos, 2004) with the parameters of Graph500: few vertices have most of
// the edges, as in real networks. Each edge is a function of seed and edge number, so the graph is the same on every
// machine and for every number of threads.
#pragma once

#include <cstdint>

#include "kernels/graph/csr_graph.h"

namespace umrt::graph {

inline constexpr unsigned rmat_scale_max = 31;

struct RmatParameters {
  unsigned scale = 20;  // 2^scale vertices; 1 to rmat_scale_max
  std::uint64_t edges_per_vertex = 16;
  std::uint64_t seed = 1;
};

EdgeList make_rmat(const RmatParameters& parameters, unsigned threads);

}  // namespace umrt::graph
