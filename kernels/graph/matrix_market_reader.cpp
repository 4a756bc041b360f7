// SPDX-License-Identifier: Apache-2.0
// The format: https://math.nist.gov/MatrixMarket/formats.html
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/graph/graph_file.h"
#include "kernels/graph/text_lines.h"

namespace umrt::graph {
namespace {

struct Header {
  bool has_values = false;
  bool is_symmetric = false;
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
};

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

tl::expected<Header, GraphFileError> parse_banner(TextLines& lines) {
  constexpr std::string_view expected =
      "\"%%MatrixMarket matrix coordinate\", then pattern, real or integer, then general or symmetric";
  if (!lines.next()) return lines.error("the end of the file", expected);
  const std::string_view banner = lines.take_field();
  const std::string object = lower_case(lines.take_field());
  const std::string format = lower_case(lines.take_field());
  const std::string values = lower_case(lines.take_field());
  const std::string symmetry = lower_case(lines.take_field());
  const bool is_known_value = values == "pattern" || values == "real" || values == "integer";
  const bool is_known_symmetry = symmetry == "general" || symmetry == "symmetric";
  if (banner != "%%MatrixMarket" || object != "matrix" || format != "coordinate" || !is_known_value ||
      !is_known_symmetry) {
    return lines.error(quoted(lines.line()), expected);
  }
  return Header{.has_values = values != "pattern", .is_symmetric = symmetry == "symmetric"};
}

tl::expected<std::uint64_t, GraphFileError> take_count(TextLines& lines, std::string_view what) {
  const std::string_view field = lines.take_field();
  std::uint64_t value = 0;
  if (field.empty()) return lines.error(quoted(lines.line()), "a line \"ROWS COLUMNS ENTRIES\"");
  if (parse_whole(field, value) == NumberKind::whole) return value;
  return lines.error(quoted(field), fmt::format("the number of {}, a whole number of at least 0", what));
}

// Every promise is held against the bytes that are left before anything is allocated for it.
tl::expected<void, GraphFileError> parse_size_line(TextLines& lines, Header& header) {
  bool has_line = lines.next();
  while (has_line && (lines.line().empty() || lines.line().front() == '%')) has_line = lines.next();
  if (!has_line) return lines.error("the end of the file", "a line \"ROWS COLUMNS ENTRIES\"");
  const auto rows = take_count(lines, "rows");
  if (!rows) return tl::unexpected(rows.error());
  const auto columns = take_count(lines, "columns");
  if (!columns) return tl::unexpected(columns.error());
  const auto entries = take_count(lines, "entries");
  if (!entries) return tl::unexpected(entries.error());
  if (*rows != *columns) {
    return lines.error(fmt::format("{} rows and {} columns", *rows, *columns), "as many rows as columns, for a graph");
  }
  if (*rows == 0 || *entries == 0) return lines.error("an empty matrix", "at least one row and one entry");
  const std::uint64_t bytes_per_entry_min = header.has_values ? 6 : 4;  // "1 1 1\n", "1 1\n"
  const std::uint64_t entries_max = (lines.bytes_left() + 1) / bytes_per_entry_min;
  if (*entries > entries_max) {
    return lines.error(fmt::format("{} entries in the header", *entries),
                       fmt::format("at most {} entries, which is what the {} bytes that follow have room for: the file "
                                   "is truncated or the header wrong",
                                   entries_max, lines.bytes_left()));
  }
  // Vertices without an edge are legal, but a graph of them alone is a damaged header.
  const std::uint64_t rows_max = std::min(vertex_count_max, 1'000'000 + 16 * *entries);
  if (*rows > rows_max) {
    return lines.error(fmt::format("{} rows in the header", *rows),
                       fmt::format("at most {} rows for {} entries", rows_max, *entries));
  }
  header.vertices = *rows;
  header.entries = *entries;
  return {};
}

tl::expected<VertexId, GraphFileError> take_index(TextLines& lines, const Header& header, std::string_view what) {
  const std::string_view field = lines.take_field();
  std::uint64_t value = 0;
  const bool is_valid = parse_whole(field, value) == NumberKind::whole && value >= 1 && value <= header.vertices;
  if (is_valid) return static_cast<VertexId>(value - 1);
  return lines.error(field.empty() ? quoted(lines.line()) : quoted(field),
                     fmt::format("a {} from 1 to {}", what, header.vertices));
}

}  // namespace

GraphFileResult parse_matrix_market(std::string_view text, std::string_view name) {
  TextLines lines(text, name);
  auto header = parse_banner(lines);
  if (!header) return tl::unexpected(header.error());
  if (auto status = parse_size_line(lines, *header); !status) return tl::unexpected(status.error());

  EdgeList list{.vertex_count = header->vertices, .edges = {}};
  list.edges.reserve(header->entries * (header->is_symmetric ? 2 : 1));
  std::uint64_t entries = 0;
  while (lines.next()) {
    if (lines.line().find_first_not_of(" \t") == std::string_view::npos) continue;
    if (entries == header->entries) {
      return lines.error(quoted(lines.line()), fmt::format("the end of the file after {} entries", entries));
    }
    const auto row = take_index(lines, *header, "row");
    if (!row) return tl::unexpected(row.error());
    const auto column = take_index(lines, *header, "column");
    if (!column) return tl::unexpected(column.error());
    if (header->has_values) {
      const std::string_view value = lines.take_field();
      if (!is_number(value)) return lines.error(value.empty() ? quoted(lines.line()) : quoted(value), "a number");
    }
    if (const auto extra = lines.take_field(); !extra.empty()) {
      return lines.error(quoted(extra), "the end of the line");
    }
    list.edges.push_back({*row, *column});
    if (header->is_symmetric && *row != *column) list.edges.push_back({*column, *row});
    ++entries;
  }
  if (entries < header->entries) {
    return lines.error(fmt::format("the end of the file after {} entries", entries),
                       fmt::format("{} entries as the header says: the file is truncated", header->entries));
  }
  return list;
}

}  // namespace umrt::graph
