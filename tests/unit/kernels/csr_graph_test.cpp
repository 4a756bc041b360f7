// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/csr_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/graph/rmat.h"

namespace umrt::graph {
namespace {

using testing::ElementsAre;

TEST(CsrGraph, lists_the_sources_of_each_vertex_in_the_order_of_the_edges) {
  const EdgeList list{.vertex_count = 4, .edges = {{2, 1}, {0, 1}, {1, 3}, {3, 3}, {0, 1}}};
  const CsrGraph graph = make_csr(list, 3);
  EXPECT_THAT(graph.offsets, ElementsAre(0, 0, 3, 3, 5));
  EXPECT_THAT(graph.sources_of(1), ElementsAre(2, 0, 0));
  EXPECT_THAT(graph.sources_of(3), ElementsAre(1, 3));
  EXPECT_THAT(graph.out_degrees, ElementsAre(2, 1, 1, 1));
  EXPECT_EQ(vertex_of_most_out_edges(graph), 0u);
}

TEST(CsrGraph, is_the_same_for_every_number_of_threads) {
  const EdgeList list = make_rmat({.scale = 10, .edges_per_vertex = 8, .seed = 7}, 1);
  const CsrGraph one = make_csr(list, 1);
  for (const unsigned threads : {2u, 3u, 16u}) {
    const CsrGraph many = make_csr(list, threads);
    EXPECT_EQ(one.offsets, many.offsets);
    EXPECT_EQ(one.sources, many.sources);
    EXPECT_EQ(one.out_degrees, many.out_degrees);
  }
}

TEST(Rmat, is_a_function_of_the_seed_and_not_of_the_number_of_threads) {
  const RmatParameters parameters{.scale = 9, .edges_per_vertex = 16, .seed = 3};
  const EdgeList list = make_rmat(parameters, 1);
  EXPECT_EQ(list.vertex_count, 512u);
  EXPECT_EQ(list.edges.size(), 512u * 16);
  EXPECT_EQ(list.edges, make_rmat(parameters, 5).edges);
  RmatParameters other = parameters;
  other.seed = 4;
  EXPECT_NE(list.edges, make_rmat(other, 1).edges);
}

TEST(Rmat, gives_few_vertices_most_of_the_edges) {
  const EdgeList list = make_rmat({.scale = 12, .edges_per_vertex = 16, .seed = 1}, 2);
  CsrGraph graph = make_csr(list, 2);
  std::sort(graph.out_degrees.rbegin(), graph.out_degrees.rend());
  std::uint64_t of_the_busiest_tenth = 0;
  for (std::size_t i = 0; i < graph.out_degrees.size() / 10; ++i) of_the_busiest_tenth += graph.out_degrees[i];
  EXPECT_GT(of_the_busiest_tenth, list.edges.size() / 2);
}

TEST(Rmat, reaches_every_part_of_the_vertices) {  // the scrambling is a bijection
  for (const unsigned scale : {1u, 2u, 5u, 11u}) {
    const EdgeList list = make_rmat({.scale = scale, .edges_per_vertex = 64, .seed = 1}, 1);
    for (const Edge& edge : list.edges) {
      ASSERT_LT(edge.source, list.vertex_count);
      ASSERT_LT(edge.target, list.vertex_count);
    }
  }
}

}  // namespace
}  // namespace umrt::graph
