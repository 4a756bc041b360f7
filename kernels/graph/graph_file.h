// SPDX-License-Identifier: Apache-2.0
// Graphs from files: SNAP-style edge lists and Matrix Market coordinate files. An error is a sentence with the file,
// the line, what was found and what was expected. Nothing is allocated for what a header promises before the size of
// the file makes the promise plausible.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "kernels/graph/csr_graph.h"

namespace umrt::graph {

struct GraphFileError {
  std::string message;
};
using GraphFileResult = tl::expected<EdgeList, GraphFileError>;

// By content: "%%MatrixMarket" begins a Matrix Market file, everything else is an edge list.
GraphFileResult read_graph_file(const std::string& path);

// Lines "SOURCE TARGET", anything from '#' or '%' at the beginning of a line is a comment. Further numbers on a line
// (weights, times) are ignored. SNAP's comment "# Nodes: N Edges: M" is held against what follows. Where most numbers
// below the largest are unused, the vertices are numbered anew in their order.
GraphFileResult parse_edge_list(std::string_view text, std::string_view name);

// Square; pattern, real or integer; general or symmetric. An entry (i, j) is an edge i -> j, values are ignored.
GraphFileResult parse_matrix_market(std::string_view text, std::string_view name);

}  // namespace umrt::graph
