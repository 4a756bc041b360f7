// SPDX-License-Identifier: Apache-2.0
#include "telemetry/text_table.h"

#include <algorithm>
#include <sstream>

#include "base/assert.h"
#include "telemetry/graphs.h"

namespace umrt {
namespace {

constexpr std::size_t gap = 2;

}  // namespace

void TextTable::add_column(std::string heading, bool is_left) { headings_.push_back({std::move(heading), is_left}); }

void TextTable::add_row(std::vector<std::string> cells, std::string below) {
  UMRT_ASSERT(cells.size() == headings_.size());
  rows_.push_back({std::move(cells), std::move(below)});
}

std::string TextTable::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths[i] - columns_of(cells[i]), ' ');
    if (i > 0) text.append(gap, ' ');
    text += headings_[i].is_left ? cells[i] + blanks : blanks + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::string> headings;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    headings.push_back(headings_[i].text);
    widths.push_back(columns_of(headings_[i].text));
    for (const Row& row : rows_) widths[i] = std::max(widths[i], columns_of(row.cells[i]));
  }
  const std::string margin(indent, ' ');
  std::string text = margin + line(headings, widths) + '\n';
  for (const Row& row : rows_) {
    text += margin + line(row.cells, widths) + '\n';
    if (!row.below.empty()) text += wrapped(row.below, margin + "  ");
  }
  return text;
}

std::string wrapped(const std::string& words, const std::string& first) {
  std::string text;
  std::string line = first;
  std::size_t length = columns_of(first);
  const std::size_t indent = length;
  bool is_begun = false;
  std::istringstream stream{words};
  for (std::string word; stream >> word;) {
    const std::size_t more = columns_of(word);
    if (is_begun && length + 1 + more > page_columns) {
      text += line + '\n';
      line.assign(indent, ' ');
      length = indent;
      is_begun = false;
    }
    if (is_begun) line += ' ';
    length += more + (is_begun ? 1 : 0);
    line += word;
    is_begun = true;
  }
  return text + line + '\n';
}

}  // namespace umrt
