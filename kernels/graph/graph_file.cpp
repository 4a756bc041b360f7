// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/graph/text_lines.h"

namespace umrt::graph {
namespace {

tl::unexpected<GraphFileError> file_error(const std::string& path, std::string_view what) {
  return tl::unexpected(GraphFileError{fmt::format("{}: {}", path, what)});
}

tl::expected<std::string, GraphFileError> read_whole(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return file_error(path, error && error != std::errc::no_such_file_or_directory ? error.message() : "no such file");
  }
  if (std::filesystem::is_directory(status)) return file_error(path, "found a directory, expected a graph file");
  if (!std::filesystem::is_regular_file(status)) return file_error(path, "expected a regular file");
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return file_error(path, error.message());
  if (bytes == 0) return file_error(path, "the file is empty, expected an edge list or a Matrix Market file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error(path, std::strerror(errno));
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  if (static_cast<std::uintmax_t>(file.gcount()) != bytes) return file_error(path, "the file changed while being read");
  return text;
}

// What text never has: control characters other than blanks and line ends.
std::string binary_complaint(std::string_view text) {
  if (text.substr(0, 2) == "\x1f\x8b") return "the file is compressed with gzip: unpack it first (gunzip)";
  const std::string_view head = text.substr(0, 4096);
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
  };
  const auto bad = std::find_if(head.begin(), head.end(), is_control);
  if (bad == head.end()) return {};
  return fmt::format("found binary data (byte {:#04x} at offset {}), expected an edge list or a Matrix Market file",
                     static_cast<unsigned>(static_cast<unsigned char>(*bad)), bad - head.begin());
}

}  // namespace

GraphFileResult read_graph_file(const std::string& path) {
  const auto text = read_whole(path);
  if (!text) return tl::unexpected(text.error());
  if (const std::string complaint = binary_complaint(*text); !complaint.empty()) return file_error(path, complaint);
  const bool is_matrix_market = text->compare(0, 14, "%%MatrixMarket") == 0;
  return is_matrix_market ? parse_matrix_market(*text, path) : parse_edge_list(*text, path);
}

}  // namespace umrt::graph
