// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/references.h"

#include <functional>
#include <numeric>
#include <utility>

#include "kernels/graph/breadth_first.h"
#include "kernels/graph/chunks.h"
#include "kernels/graph/pagerank.h"
#include "kernels/graph/parallel_parts.h"

namespace umrt::graph {
namespace {

constexpr std::uint64_t vertices_between_questions = 65536;

}  // namespace

std::vector<double> pagerank_reference(const CsrGraph& graph, std::uint32_t iterations, unsigned threads,
                                       const std::function<bool()>& is_stopped) {
  const std::uint64_t n = graph.vertex_count();
  std::vector<double> rank(n, 1.0 / static_cast<double>(n));
  std::vector<double> shared(n);
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    if (is_stopped()) return {};
    double dangling = 0;
    double dangling_of_chunk = 0;
    for (std::uint64_t u = 0; u < n; ++u) {
      if (u % vertices_per_chunk == 0) dangling += std::exchange(dangling_of_chunk, 0);
      if (graph.out_degrees[u] == 0) {
        dangling_of_chunk += rank[u];
        shared[u] = 0;
      } else {
        shared[u] = rank[u] / graph.out_degrees[u];
      }
    }
    dangling += dangling_of_chunk;
    for_parts(n, threads, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t v = begin; v < end; ++v) {
        double sum = 0;
        for (const VertexId u : graph.sources_of(static_cast<VertexId>(v))) sum += shared[u];
        rank[v] = (1 - pagerank_damping) / static_cast<double>(n) +
                  pagerank_damping * (dangling / static_cast<double>(n) + sum);
      }
    });
  }
  return rank;
}

std::vector<std::uint32_t> breadth_first_reference(const CsrGraph& graph, VertexId start,
                                                   const std::function<bool()>& is_stopped) {
  const std::uint64_t n = graph.vertex_count();
  std::vector<std::uint64_t> offsets(n + 1, 0);
  std::partial_sum(graph.out_degrees.begin(), graph.out_degrees.end(), offsets.begin() + 1, std::plus<std::uint64_t>());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<VertexId> targets(graph.edge_count());
  for (std::uint64_t v = 0; v < n; ++v) {
    if (v % vertices_between_questions == 0 && is_stopped()) return {};
    for (const VertexId u : graph.sources_of(static_cast<VertexId>(v))) targets[next[u]++] = static_cast<VertexId>(v);
  }

  std::vector<std::uint32_t> levels(n, level_unreached);
  std::vector<VertexId> queue{start};
  levels[start] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    if (head % vertices_between_questions == 0 && is_stopped()) return {};
    const VertexId u = queue[head];
    for (std::uint64_t i = offsets[u]; i < offsets[u + 1]; ++i) {
      if (levels[targets[i]] != level_unreached) continue;
      levels[targets[i]] = levels[u] + 1;
      queue.push_back(targets[i]);
    }
  }
  return levels;
}

}  // namespace umrt::graph
