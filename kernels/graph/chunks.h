// SPDX-License-Identifier: Apache-2.0
// A chunk of vertices is what one item of a graph kernel works on. Sums are formed chunk by chunk, then over the chunks
// in order: the same bits for every number of threads and devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace umrt::graph {

inline constexpr std::uint64_t vertices_per_chunk = 1024;
inline constexpr std::uint64_t words_per_chunk = vertices_per_chunk / 64;  // of a bit map, a bit a vertex

constexpr std::uint64_t chunk_count(std::uint64_t vertex_count) {
  return (vertex_count + vertices_per_chunk - 1) / vertices_per_chunk;
}
constexpr std::uint64_t chunk_begin(std::uint64_t chunk) { return chunk * vertices_per_chunk; }
constexpr std::uint64_t chunk_end(std::uint64_t chunk, std::uint64_t vertex_count) {
  return std::min(chunk_begin(chunk + 1), vertex_count);
}

template <class T>
T sum_in_order(std::span<const T> parts) {
  T sum = 0;
  for (const T& part : parts) sum += part;
  return sum;
}

}  // namespace umrt::graph
