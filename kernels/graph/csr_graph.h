// SPDX-License-Identifier: Apache-2.0
// Graphs: a list of directed edges, and the compressed form (CSR) that the algorithms run on. Vertices are 0..n-1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace umrt::graph {

using VertexId = std::uint32_t;
inline constexpr std::uint64_t vertex_count_max = 0xFFFF'FFFEu;

struct Edge {
  VertexId source, target;
  friend bool operator==(Edge, Edge) = default;
};

struct EdgeList {  // as read or generated: parallel edges and loops stay
  std::uint64_t vertex_count = 0;
  std::vector<Edge> edges;
};

// By target: the sources of the edges into v are sources[offsets[v]] up to sources[offsets[v + 1]].
struct CsrGraph {
  std::vector<std::uint64_t> offsets;  // vertex_count + 1
  std::vector<VertexId> sources;
  std::vector<std::uint32_t> out_degrees;

  std::uint64_t vertex_count() const { return out_degrees.size(); }
  std::uint64_t edge_count() const { return sources.size(); }
  std::span<const VertexId> sources_of(VertexId v) const {
    return std::span(sources).subspan(offsets[v], offsets[v + 1] - offsets[v]);
  }
};

// The edges into a vertex keep the order that they have in the list, whatever the number of threads.
CsrGraph make_csr(const EdgeList& list, unsigned threads);

VertexId vertex_of_most_out_edges(const CsrGraph& graph);  // the first of them; the graph has a vertex

}  // namespace umrt::graph
