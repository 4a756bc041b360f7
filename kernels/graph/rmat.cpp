// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/rmat.h"

#include "kernels/graph/parallel_parts.h"

namespace umrt::graph {
namespace {

// The finaliser of splitmix64 (Steele, Lea, Flood, 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// The four quadrants' shares 0.57, 0.19, 0.19, 0.05 of 2^16, summed up.
constexpr std::uint64_t below_top_right = 37356;
constexpr std::uint64_t below_bottom_left = 49807;
constexpr std::uint64_t below_bottom_right = 62259;
constexpr unsigned bits_per_choice = 16;

Edge make_edge(std::uint64_t number, const RmatParameters& parameters) {
  std::uint64_t random = 0;
  Edge edge{0, 0};
  for (unsigned level = 0; level < parameters.scale; ++level) {
    if (level % 4 == 0) random = mix(mix(parameters.seed + 0x9E3779B97F4A7C15u * (level + 1)) ^ number);
    const std::uint64_t choice = random & 0xFFFFu;
    random >>= bits_per_choice;
    const bool is_right = (choice >= below_top_right && choice < below_bottom_left) || choice >= below_bottom_right;
    const bool is_bottom = choice >= below_bottom_left;
    edge.source = edge.source << 1 | static_cast<VertexId>(is_bottom);
    edge.target = edge.target << 1 | static_cast<VertexId>(is_right);
  }
  return edge;
}

// A bijection on `scale` bits: without it the busy vertices would all have small numbers.
VertexId scramble(VertexId vertex, unsigned scale) {
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  std::uint64_t x = vertex;
  for (const std::uint64_t odd : {0x9E3779B1u, 0x85EBCA77u}) {
    x = (x * odd) & mask;
    x ^= x >> (scale / 2 + 1);
  }
  return static_cast<VertexId>(x);
}

}  // namespace

EdgeList make_rmat(const RmatParameters& parameters, unsigned threads) {
  EdgeList list;
  list.vertex_count = std::uint64_t{1} << parameters.scale;
  list.edges.resize(list.vertex_count * parameters.edges_per_vertex);
  for_parts(list.edges.size(), threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t number = begin; number < end; ++number) {
      const Edge edge = make_edge(number, parameters);
      list.edges[number] = {scramble(edge.source, parameters.scale), scramble(edge.target, parameters.scale)};
    }
  });
  return list;
}

}  // namespace umrt::graph
