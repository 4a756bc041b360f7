// SPDX-License-Identifier: Apache-2.0
// Rows of cells, aligned. The first column gives way where a line would be wider than the page. A row may have a line
// of its own below it, wrapped to the width of the page.
#pragma once

#include <string>
#include <vector>

#include "telemetry/graphs.h"

namespace umrt {

inline constexpr std::size_t page_columns = 108;

class TextTable {
 public:
  explicit TextTable(const Glyphs& glyphs) : glyphs_{&glyphs} {}
  void add_column(std::string heading, bool is_left);
  void add_row(std::vector<std::string> cells, std::string below = {});
  std::size_t columns() const { return headings_.size(); }
  bool is_empty() const { return rows_.empty(); }
  std::string text(std::size_t indent) const;

 private:
  struct Heading {
    std::string text;
    bool is_left;
  };
  struct Row {
    std::vector<std::string> cells;
    std::string below;
  };
  std::vector<std::size_t> widths(std::size_t indent) const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  const Glyphs* glyphs_;
  std::vector<Heading> headings_;
  std::vector<Row> rows_;
};

// Words broken into lines of at most `page_columns`; the first line begins with `first`, the others with blanks as
// wide.
std::string wrapped(const std::string& words, const std::string& first);

}  // namespace umrt
