// SPDX-License-Identifier: Apache-2.0
// Lines and fields of a text in memory, with the position that error messages need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/graph/graph_file.h"

namespace umrt::graph {

class TextLines {
 public:
  TextLines(std::string_view text, std::string_view name) : rest_{text}, name_{name} {}

  bool next();  // to the next line; false at the end
  std::string_view line() const { return line_; }
  std::uint64_t number() const { return number_; }
  std::size_t bytes_left() const { return rest_.size(); }

  std::string_view take_field();  // of the line, by blanks; empty: there is none left

  // "NAME:LINE: found FOUND, expected EXPECTED"
  tl::unexpected<GraphFileError> error(std::string_view found, std::string_view expected) const;

 private:
  std::string_view rest_, line_, fields_;
  std::string name_;
  std::uint64_t number_ = 0;
};

std::string quoted(std::string_view text);  // short and printable, whatever it holds

enum class NumberKind { whole, negative, not_whole, not_a_number, too_large };
// A whole number of at least 0 in decimal, or why it is none.
NumberKind parse_whole(std::string_view field, std::uint64_t& value);
bool is_number(std::string_view field);  // any decimal number

}  // namespace umrt::graph
