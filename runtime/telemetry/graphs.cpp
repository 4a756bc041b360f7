// SPDX-License-Identifier: Apache-2.0
#include "telemetry/graphs.h"

#include <algorithm>

#include "base/assert.h"

namespace umrt {
namespace {

constexpr Glyphs utf8_glyphs{.full = "█",
                             .rest = "░",
                             .zero = "·",
                             .line = "─",
                             .dot = " · ",
                             .cut = "…",
                             .levels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};
constexpr Glyphs ascii_glyphs{.full = "#",
                              .rest = "-",
                              .zero = ".",
                              .line = "-",
                              .dot = "; ",
                              .cut = "~",
                              .levels = {"_", ":", "-", "=", "+", "*", "#", "@"}};

bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

const Glyphs& glyphs(bool is_ascii) { return is_ascii ? ascii_glyphs : utf8_glyphs; }

std::string repeated(std::string_view glyph, std::size_t count) {
  std::string text;
  for (; count > 0; --count) text += glyph;
  return text;
}

std::string bar(std::uint64_t part, std::uint64_t whole, std::size_t width, const Glyphs& glyphs) {
  std::size_t filled = width;
  if (part < whole) {
    const double share = static_cast<double>(part) / static_cast<double>(whole);
    filled = static_cast<std::size_t>(share * static_cast<double>(width) + 0.5);
    filled = std::clamp<std::size_t>(filled, part > 0 ? 1 : 0, width - 1);
  }
  return repeated(glyphs.full, filled) + repeated(glyphs.rest, width - filled);
}

std::string sparkline(const std::vector<std::optional<std::uint64_t>>& values, std::uint64_t full, std::size_t width,
                      const Glyphs& glyphs) {
  std::string text;
  for (std::size_t cell = 0; cell < width; ++cell) {
    const std::size_t begin = cell * values.size() / width;
    const std::size_t end = std::min(values.size(), std::max(begin + 1, (cell + 1) * values.size() / width));
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!values[i]) continue;
      sum += static_cast<double>(*values[i]);
      ++known;
    }
    if (known == 0) {
      text += ' ';
    } else if (sum == 0 || full == 0) {
      text += glyphs.zero;
    } else {
      const double share = sum / static_cast<double>(known) / static_cast<double>(full);
      text += glyphs.levels[std::min<std::size_t>(7, static_cast<std::size_t>(share * 8))];
    }
  }
  return text;
}

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), begins_code_point));
}

std::string shortened(std::string_view utf8, std::size_t columns, const Glyphs& glyphs) {
  if (columns_of(utf8) <= columns) return std::string{utf8};
  UMRT_ASSERT(columns >= 1);
  std::size_t end = 0;
  for (std::size_t left = columns; end < utf8.size(); ++end) {
    if (begins_code_point(utf8[end]) && left-- == 1) break;
  }
  return std::string{utf8.substr(0, end)} + std::string{glyphs.cut};
}

}  // namespace umrt
