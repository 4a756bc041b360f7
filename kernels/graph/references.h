// SPDX-License-Identifier: Apache-2.0
// The same algorithms in plain memory and plain code, to check the kernels' results against, bit for bit. Both ask
// `is_stopped` now and then, and return nothing once it says so.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/graph/csr_graph.h"

namespace umrt::graph {

// Sums are formed as chunks.h says. The graph has at least one vertex.
std::vector<double> pagerank_reference(
    const CsrGraph& graph, std::uint32_t iterations, unsigned threads,
    const std::function<bool()>& is_stopped = [] { return false; });

// Edges from the source of an edge to its target; a queue over the out-edges, which it gathers for itself.
std::vector<std::uint32_t> breadth_first_reference(
    const CsrGraph& graph, VertexId start, const std::function<bool()>& is_stopped = [] { return false; });

}  // namespace umrt::graph
