// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace umrt::graph {
namespace {

constexpr std::string_view blanks = " \t\r,";
constexpr std::size_t quoted_max = 40;

}  // namespace

bool TextLines::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  while (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  fields_ = line_;
  ++number_;
  return true;
}

std::string_view TextLines::take_field() {
  const std::size_t begin = std::min(fields_.find_first_not_of(blanks), fields_.size());
  const std::size_t end = std::min(fields_.find_first_of(blanks, begin), fields_.size());
  const std::string_view field = fields_.substr(begin, end - begin);
  fields_.remove_prefix(end);
  return field;
}

tl::unexpected<GraphFileError> TextLines::error(std::string_view found, std::string_view expected) const {
  return tl::unexpected(GraphFileError{fmt::format("{}:{}: found {}, expected {}", name_, number_, found, expected)});
}

std::string quoted(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text.substr(0, quoted_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", byte);
    }
  }
  return shown + (text.size() > quoted_max ? "\"..." : "\"");
}

NumberKind parse_whole(std::string_view field, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::result_out_of_range) return NumberKind::too_large;
  if (error == std::errc{} && end == field.data() + field.size()) return NumberKind::whole;
  if (!is_number(field)) return NumberKind::not_a_number;
  return field.front() == '-' ? NumberKind::negative : NumberKind::not_whole;
}

bool is_number(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool is_whole_field = end == field.data() + field.size() && !field.empty();
  return is_whole_field && (error == std::errc{} || error == std::errc::result_out_of_range);
}

}  // namespace umrt::graph
