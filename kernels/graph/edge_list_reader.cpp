// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "kernels/graph/graph_file.h"
#include "kernels/graph/text_lines.h"

namespace umrt::graph {
namespace {

struct WideEdge {  // as in the file
  std::uint64_t source, target;
};

struct Promise {  // of SNAP's header
  std::uint64_t edges = 0;
  std::uint64_t line = 0;
};

constexpr std::size_t bytes_per_edge_min = 4;  // "0 1\n"

std::string edges_that_fit(std::size_t bytes) {
  const std::size_t edges = (bytes + 1) / bytes_per_edge_min;
  return fmt::format(
      "at most {} edges, which is what the {} bytes that follow have room for: the file is truncated or the header "
      "wrong",
      edges, bytes);
}

// The number after "Edges:" of a comment, if there is one.
std::optional<std::uint64_t> edges_promised(std::string_view comment) {
  constexpr std::string_view word = "Edges:";
  const std::size_t at = comment.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  TextLines rest(comment.substr(at + word.size()), "");
  if (!rest.next()) return std::nullopt;
  std::uint64_t value = 0;
  if (parse_whole(rest.take_field(), value) != NumberKind::whole) return std::nullopt;
  return value;
}

tl::expected<std::uint64_t, GraphFileError> take_vertex(TextLines& lines, std::string_view which) {
  const std::string_view field = lines.take_field();
  if (field.empty()) return lines.error(quoted(lines.line()), "two vertex numbers on a line");
  std::uint64_t value = 0;
  switch (parse_whole(field, value)) {
    case NumberKind::whole:
      return value;
    case NumberKind::negative:
      return lines.error(quoted(field), fmt::format("a {} vertex that is not negative", which));
    case NumberKind::too_large:
      return lines.error(quoted(field), fmt::format("a {} vertex below 2^64", which));
    case NumberKind::not_whole:
    case NumberKind::not_a_number:
      break;
  }
  return lines.error(quoted(field), fmt::format("the whole number of a {} vertex", which));
}

// By rank among the numbers in use. Only where the file's own numbers would leave most vertices without any edge.
GraphFileResult numbered(std::vector<WideEdge> wide, std::string_view name) {
  std::uint64_t largest = 0;
  for (const WideEdge& edge : wide) largest = std::max({largest, edge.source, edge.target});
  std::vector<std::uint64_t> used;
  const bool is_sparse = largest / 4 >= wide.size();
  if (is_sparse) {
    used.reserve(2 * wide.size());
    for (const WideEdge& edge : wide) used.insert(used.end(), {edge.source, edge.target});
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
  }
  const std::uint64_t vertex_count = is_sparse ? used.size() : largest + 1;
  if (vertex_count > vertex_count_max) {
    return tl::unexpected(GraphFileError{
        fmt::format("{}: found {} vertices, expected at most {}", name, vertex_count, vertex_count_max)});
  }
  const auto id = [&](std::uint64_t number) {
    if (!is_sparse) return static_cast<VertexId>(number);
    return static_cast<VertexId>(std::lower_bound(used.begin(), used.end(), number) - used.begin());
  };
  EdgeList list{.vertex_count = vertex_count, .edges = {}};
  list.edges.reserve(wide.size());
  for (const WideEdge& edge : wide) list.edges.push_back({id(edge.source), id(edge.target)});
  return list;
}

}  // namespace

GraphFileResult parse_edge_list(std::string_view text, std::string_view name) {
  TextLines lines(text, name);
  std::optional<Promise> promise;
  std::vector<WideEdge> edges;
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (!line.empty() && (line.front() == '#' || line.front() == '%')) {
      if (const auto count = edges_promised(line); count && !promise && edges.empty()) {
        if (*count > (lines.bytes_left() + 1) / bytes_per_edge_min) {
          return lines.error(fmt::format("{} edges in the header", *count), edges_that_fit(lines.bytes_left()));
        }
        promise = Promise{*count, lines.number()};
        edges.reserve(*count);
      }
      continue;
    }
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    const auto source = take_vertex(lines, "source");
    if (!source) return tl::unexpected(source.error());
    const auto target = take_vertex(lines, "target");
    if (!target) return tl::unexpected(target.error());
    for (std::string_view extra = lines.take_field(); !extra.empty(); extra = lines.take_field()) {
      if (!is_number(extra)) return lines.error(quoted(extra), "the end of the line or a number");
    }
    edges.push_back({*source, *target});
  }
  if (edges.empty()) return lines.error("no edge in the whole file", "lines \"SOURCE TARGET\"");
  if (promise && edges.size() < promise->edges) {
    return lines.error(fmt::format("the end of the file after {} edges", edges.size()),
                       fmt::format("{} edges as line {} says: the file is truncated", promise->edges, promise->line));
  }
  return numbered(std::move(edges), name);
}

}  // namespace umrt::graph
