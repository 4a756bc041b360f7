// SPDX-License-Identifier: Apache-2.0
// Bars and sparklines of the text report, in UTF-8 or ASCII.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umrt {

struct Glyphs {
  std::string_view full, rest, zero, line, dot, cut;
  std::string_view levels[8];  // of a sparkline, lowest first
};
const Glyphs& glyphs(bool is_ascii);

// `part` of `whole` as `width` cells. A part that is neither none nor all shows as neither.
std::string bar(std::uint64_t part, std::uint64_t whole, std::size_t width, const Glyphs& glyphs);

// Values over time as `width` cells, each the mean of the known values under it; blank where none is known.
std::string sparkline(const std::vector<std::optional<std::uint64_t>>& values, std::uint64_t full, std::size_t width,
                      const Glyphs& glyphs);

std::string repeated(std::string_view glyph, std::size_t count);
std::size_t columns_of(std::string_view utf8);  // on a terminal: one a code point
// Cut to at most `columns`, with a sign that it was.
std::string shortened(std::string_view utf8, std::size_t columns, const Glyphs& glyphs);

}  // namespace umrt
