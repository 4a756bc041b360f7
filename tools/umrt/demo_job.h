// SPDX-License-Identifier: Apache-2.0
// The demo's work: a graph, its ranks and its levels in managed memory, PageRank and breadth-first search on one or
// more devices. Each device has a part of the vertices, a stream, and its own copy of what all of them read at random
// or write in small pieces (contributions, frontier, sums by chunk): shared, it would move to and fro at every access.
#pragma once

#include <cstdint>
#include <functional>
#include <umrt/umrt.hpp>
#include <vector>

#include "kernels/graph/breadth_first.h"
#include "kernels/graph/csr_graph.h"
#include "kernels/graph/pagerank.h"

namespace umrt::tool {

// Managed memory that the job takes, in whole pages of its ranges.
std::uint64_t job_footprint_bytes(std::uint64_t vertices, std::uint64_t edges, std::uint32_t devices);

class DemoJob {
 public:
  // Allocates, and copies the graph into managed memory on the host. `loaded` hears of the bytes so far, and answers
  // whether to go on; where it does not, the job must not be run.
  DemoJob(const graph::CsrGraph& graph, std::uint32_t devices, const std::function<bool(std::uint64_t)>& loaded);

  double iterate();  // one PageRank iteration, to its end; the sum of the ranks' changes
  void begin_search(graph::VertexId start);
  std::uint64_t expand();  // one level of the search, to its end; vertices found

  std::vector<double> ranks() const;
  std::vector<std::uint32_t> levels() const;

 private:
  struct Part {  // of one device
    Part(std::uint32_t device, std::uint64_t vertices, std::uint64_t first, std::uint64_t count);
    std::uint64_t first_chunk, chunks;
    umrt::stream stream;
    event written;  // what peers are to copy is complete
    buffer<double> contribution, dangling, dangling_by_chunk, change_by_chunk;
    buffer<std::uint64_t> frontier, next_frontier, found_by_chunk;
  };

  void share_written();  // every stream waits for what the others have recorded as written
  graph::PagerankArguments pagerank_arguments(Part& part);
  graph::BreadthFirstArguments search_arguments(Part& part);

  std::uint64_t vertices_, chunks_;
  buffer<std::uint64_t> offsets_;
  buffer<graph::VertexId> edges_;
  buffer<std::uint32_t> out_degrees_;
  buffer<double> rank_, next_rank_;
  buffer<std::uint32_t> levels_;
  std::vector<Part> parts_;
  std::uint32_t level_ = 0;
};

}  // namespace umrt::tool
