// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/csr_graph.h"

#include <algorithm>
#include <numeric>

#include "kernels/graph/parallel_parts.h"

namespace umrt::graph {

// Each thread reads the whole list and keeps what belongs to its part of the vertices: reading in order is cheap, the
// scattered writes are what takes time, and no two threads write to one place.
CsrGraph make_csr(const EdgeList& list, unsigned threads) {
  CsrGraph graph;
  graph.offsets.assign(list.vertex_count + 1, 0);
  graph.out_degrees.assign(list.vertex_count, 0);
  graph.sources.resize(list.edges.size());
  for_parts(list.vertex_count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (const Edge& edge : list.edges) {
      if (edge.target >= begin && edge.target < end) ++graph.offsets[edge.target + 1];
      if (edge.source >= begin && edge.source < end) ++graph.out_degrees[edge.source];
    }
  });
  std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
  std::vector<std::uint64_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for_parts(list.vertex_count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (const Edge& edge : list.edges) {
      if (edge.target >= begin && edge.target < end) graph.sources[next[edge.target]++] = edge.source;
    }
  });
  return graph;
}

VertexId vertex_of_most_out_edges(const CsrGraph& graph) {
  const auto most = std::max_element(graph.out_degrees.begin(), graph.out_degrees.end());
  return static_cast<VertexId>(most - graph.out_degrees.begin());
}

}  // namespace umrt::graph
