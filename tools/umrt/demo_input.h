// SPDX-License-Identifier: Apache-2.0
// The demo's graph: read from a file, or generated.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/graph/csr_graph.h"
#include "progress.h"

namespace umrt::tool {

struct InputChoice {
  std::string file;    // empty: generated
  unsigned scale = 0;  // 2^scale vertices; 0: chosen
  std::uint64_t seed = 1;
  bool is_quick = false;
};

struct Input {
  graph::CsrGraph graph;
  std::string description;  // "R-MAT graph of scale 21, seed 1"
};

// Throws CommandError: usage for a bad file, environment where the graph does not fit into memory.
Input make_input(const InputChoice& choice, unsigned threads, Progress& progress);

// The scale of the demo's default job: some 20 s on two cores; smaller where memory is short.
unsigned default_scale(std::uint64_t memory_available, bool is_quick);

}  // namespace umrt::tool
