// SPDX-License-Identifier: Apache-2.0
#include "telemetry/text_table.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/assert.h"

namespace umrt {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t first_column_min = 8;

// What is not to be torn apart at the end of a line: a number and its unit, a word and the separator after it.
std::vector<std::string> pieces_of(const std::string& words) {
  std::vector<std::string> pieces;
  std::istringstream stream{words};
  for (std::string word; stream >> word;) {
    const bool is_after_number = !pieces.empty() && std::isdigit(static_cast<unsigned char>(pieces.back().back())) != 0;
    if (!pieces.empty() && (word == "·" || is_after_number)) {
      pieces.back() += ' ' + word;
    } else {
      pieces.push_back(word);
    }
  }
  return pieces;
}

}  // namespace

void TextTable::add_column(std::string heading, bool is_left) { headings_.push_back({std::move(heading), is_left}); }

void TextTable::add_row(std::vector<std::string> cells, std::string below) {
  UMRT_ASSERT(cells.size() == headings_.size());
  rows_.push_back({std::move(cells), std::move(below)});
}

std::vector<std::size_t> TextTable::widths(std::size_t indent) const {
  std::vector<std::size_t> widths;
  std::size_t line = indent;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    widths.push_back(columns_of(headings_[i].text));
    for (const Row& row : rows_) widths[i] = std::max(widths[i], columns_of(row.cells[i]));
    line += widths[i] + (i > 0 ? gap : 0);
  }
  if (line > page_columns && !widths.empty()) {
    widths[0] -= std::min(line - page_columns, widths[0] - std::min(widths[0], first_column_min));
  }
  return widths;
}

std::string TextTable::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = shortened(cells[i], widths[i], *glyphs_);
    const std::string blanks(widths[i] - columns_of(cell), ' ');
    if (i > 0) text.append(gap, ' ');
    text += headings_[i].is_left ? cell + blanks : blanks + cell;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string TextTable::text(std::size_t indent) const {
  const std::string margin(indent, ' ');
  const std::vector<std::size_t> columns = widths(indent);
  std::vector<std::string> headings;
  for (const Heading& heading : headings_) headings.push_back(heading.text);
  std::string text = margin + line(headings, columns) + '\n';
  for (const Row& row : rows_) {
    text += margin + line(row.cells, columns) + '\n';
    if (!row.below.empty()) text += wrapped(row.below, margin + "  ");
  }
  return text;
}

std::string wrapped(const std::string& words, const std::string& first) {
  const std::string margin(columns_of(first), ' ');
  std::string text;
  std::string line = first;
  bool is_begun = false;
  for (const std::string& piece : pieces_of(words)) {
    if (is_begun && columns_of(line) + 1 + columns_of(piece) > page_columns) {
      text += line + '\n';
      line = margin;
      is_begun = false;
    }
    line += (is_begun ? " " : "") + piece;
    is_begun = true;
  }
  return text + line + '\n';
}

}  // namespace umrt
