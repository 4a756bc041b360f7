// SPDX-License-Identifier: Apache-2.0
// Kernels against the references bit for bit, and both against results found in another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "kernels/graph/breadth_first.h"
#include "kernels/graph/chunks.h"
#include "kernels/graph/pagerank.h"
#include "kernels/graph/references.h"
#include "kernels/graph/rmat.h"

namespace umrt::graph {
namespace {

using testing::ElementsAre;

// Runs a kernel's items in pieces, last piece first: no piece may depend on another one.
template <class Arguments>
void run(void (*kernel)(const void*, std::uint64_t, std::uint64_t), const Arguments& arguments, std::uint64_t items,
         std::uint64_t grain) {
  for (std::uint64_t end = items; end > 0;) {
    const std::uint64_t begin = end > grain ? end - grain : 0;
    kernel(&arguments, begin, end);
    end = begin;
  }
}

std::vector<double> pagerank_by_kernels(const CsrGraph& graph, std::uint32_t iterations, std::uint64_t grain) {
  const std::uint64_t n = graph.vertex_count();
  const std::uint64_t chunks = chunk_count(n);
  std::vector<double> rank(n, 1.0 / static_cast<double>(n)), next(n), contribution(n), dangling(chunks), change(chunks);
  double total = 0;
  for (std::uint32_t i = 0; i < iterations; ++i) {
    PagerankArguments a;
    a.offsets = graph.offsets.data();
    a.sources = graph.sources.data();
    a.out_degrees = graph.out_degrees.data();
    a.rank = rank.data();
    a.next_rank = next.data();
    a.contribution = contribution.data();
    a.dangling_by_chunk = dangling.data();
    a.change_by_chunk = change.data();
    a.dangling = &total;
    a.vertex_count = n;
    run(contribute, a, chunks, grain);
    run(sum_dangling, a, 1, 1);
    run(gather, a, chunks, grain);
    rank.swap(next);
  }
  return rank;
}

std::vector<std::uint32_t> levels_by_kernels(const CsrGraph& graph, VertexId start, std::uint64_t grain) {
  const std::uint64_t n = graph.vertex_count();
  const std::uint64_t chunks = chunk_count(n);
  std::vector<std::uint32_t> levels(n, level_unreached);
  std::vector<std::uint64_t> frontier(chunks * words_per_chunk), next(frontier), found(chunks);
  levels[start] = 0;
  frontier[start / 64] = std::uint64_t{1} << (start % 64);
  for (std::uint32_t level = 1;; ++level) {
    BreadthFirstArguments a;
    a.offsets = graph.offsets.data();
    a.sources = graph.sources.data();
    a.levels = levels.data();
    a.frontier = frontier.data();
    a.next_frontier = next.data();
    a.found_by_chunk = found.data();
    a.vertex_count = n;
    a.level = level;
    run(expand_frontier, a, chunks, grain);
    if (sum_in_order<std::uint64_t>(found) == 0) return levels;
    frontier.swap(next);
  }
}

// By pushing along the edge list, in another order than both implementations.
std::vector<double> pagerank_by_pushing(const EdgeList& list, std::uint32_t iterations) {
  const std::uint64_t n = list.vertex_count;
  std::vector<std::uint64_t> degree(n, 0);
  for (const Edge& edge : list.edges) ++degree[edge.source];
  std::vector<double> rank(n, 1.0 / static_cast<double>(n));
  for (std::uint32_t i = 0; i < iterations; ++i) {
    std::vector<double> next(n, 0);
    double dangling = 0;
    for (std::uint64_t u = 0; u < n; ++u) dangling += degree[u] == 0 ? rank[u] : 0;
    for (auto edge = list.edges.rbegin(); edge != list.edges.rend(); ++edge) {
      next[edge->target] += rank[edge->source] / static_cast<double>(degree[edge->source]);
    }
    for (double& r : next) r = 0.15 / static_cast<double>(n) + 0.85 * (r + dangling / static_cast<double>(n));
    rank = next;
  }
  return rank;
}

TEST(Pagerank, of_a_ring_is_even) {
  const CsrGraph ring = make_csr({.vertex_count = 4, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}}, 1);
  for (const double rank : pagerank_by_kernels(ring, 20, 1)) EXPECT_DOUBLE_EQ(rank, 0.25);
}

TEST(Pagerank, of_a_star_is_what_the_equations_say) {
  // Leaves 1 and 2 point at 0, which points nowhere: r1 = r2 = 0.05 + 0.85 * r0 / 3, r0 = r1 + 0.85 * (r1 + r2).
  const CsrGraph star = make_csr({.vertex_count = 3, .edges = {{1, 0}, {2, 0}}}, 1);
  const auto rank = pagerank_by_kernels(star, 200, 1);
  const double leaf = 0.05 / (1 - 0.85 * 2.7 / 3);
  EXPECT_NEAR(rank[1], leaf, 1e-12);
  EXPECT_NEAR(rank[2], leaf, 1e-12);
  EXPECT_NEAR(rank[0], 2.7 * leaf, 1e-12);
}

TEST(Pagerank, kernels_and_reference_agree_bit_for_bit_and_with_pushing_closely) {
  for (const unsigned scale : {3u, 9u, 13u}) {
    const EdgeList list = make_rmat({.scale = scale, .edges_per_vertex = 4, .seed = scale}, 2);
    const CsrGraph graph = make_csr(list, 2);
    const auto reference = pagerank_reference(graph, 7, 3);
    EXPECT_EQ(pagerank_by_kernels(graph, 7, 1), reference);
    EXPECT_EQ(pagerank_by_kernels(graph, 7, 3), reference);
    const auto pushed = pagerank_by_pushing(list, 7);
    for (std::size_t v = 0; v < pushed.size(); ++v) ASSERT_NEAR(reference[v], pushed[v], 1e-12) << "vertex " << v;
    EXPECT_NEAR(std::accumulate(reference.begin(), reference.end(), 0.0), 1.0, 1e-9);
  }
}

TEST(References, end_with_nothing_where_they_are_stopped) {
  const CsrGraph graph = make_csr(make_rmat({.scale = 9, .seed = 3}, 1), 1);
  int asked = 0;
  const auto third_time = [&asked] { return ++asked == 3; };
  EXPECT_TRUE(pagerank_reference(graph, 7, 1, third_time).empty());
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(breadth_first_reference(graph, 0, [] { return true; }).empty());
}

TEST(Pagerank, fetching_copies_the_chunks_asked_for_and_no_others) {
  const std::uint64_t n = 3 * vertices_per_chunk + 5;
  std::vector<double> own(n, 0), peer(n);
  std::iota(peer.begin(), peer.end(), 1.0);
  PagerankArguments a;
  a.contribution = own.data();
  a.peer_contribution = peer.data();
  std::vector<double> own_dangling(4, 0), peer_dangling{1, 2, 3, 4};
  a.dangling_by_chunk = own_dangling.data();
  a.peer_dangling_by_chunk = peer_dangling.data();
  a.vertex_count = n;
  a.first_chunk = 2;
  run(fetch_contributions, a, 2, 1);
  for (std::uint64_t v = 0; v < n; ++v) ASSERT_EQ(own[v], v < 2 * vertices_per_chunk ? 0.0 : peer[v]) << v;
  EXPECT_THAT(own_dangling, ElementsAre(0, 0, 3, 4));
}

TEST(BreadthFirst, numbers_levels_along_the_direction_of_edges) {
  const CsrGraph graph = make_csr({.vertex_count = 6, .edges = {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {4, 0}}}, 1);
  EXPECT_THAT(levels_by_kernels(graph, 0, 1), ElementsAre(0, 1, 1, 2, level_unreached, level_unreached));
  EXPECT_THAT(breadth_first_reference(graph, 0), ElementsAre(0, 1, 1, 2, level_unreached, level_unreached));
}

RC_GTEST_PROP(BreadthFirst, kernels_and_reference_agree_on_random_graphs, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto edges = *rc::gen::container<std::vector<std::pair<VertexId, VertexId>>>(
      rc::gen::pair(rc::gen::inRange<VertexId>(0, static_cast<VertexId>(n)),
                    rc::gen::inRange<VertexId>(0, static_cast<VertexId>(n))));
  EdgeList list{.vertex_count = n, .edges = {}};
  for (const auto& [source, target] : edges) list.edges.push_back({source, target});
  const CsrGraph graph = make_csr(list, 2);
  const VertexId start = vertex_of_most_out_edges(graph);
  const auto grain = *rc::gen::inRange<std::uint64_t>(1, 4);
  RC_ASSERT(levels_by_kernels(graph, start, grain) == breadth_first_reference(graph, start));
}

TEST(BreadthFirst, fetching_copies_the_bits_of_the_chunks_asked_for) {
  std::vector<std::uint64_t> own(3 * words_per_chunk, 0), peer(3 * words_per_chunk, 9);
  BreadthFirstArguments a;
  a.next_frontier = own.data();
  a.peer_frontier = peer.data();
  a.first_chunk = 1;
  run(fetch_frontier, a, 1, 1);
  for (std::size_t word = 0; word < own.size(); ++word) {
    ASSERT_EQ(own[word], word / words_per_chunk == 1 ? 9u : 0u) << word;
  }
}

}  // namespace
}  // namespace umrt::graph
