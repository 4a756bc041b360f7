// SPDX-License-Identifier: Apache-2.0
#include "config/setting_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "config/settings.h"

namespace umrt {
namespace {

constexpr std::uint64_t millionths = 1'000'000;
constexpr std::size_t fraction_digits_max = 6;  // millionths: exact in 64 bits for every unit

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_same_word(std::string_view a, std::string_view b) {  // ASCII, whatever the locale
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_one_of(std::string_view text, std::string_view choices) {
  while (true) {
    const std::size_t bar = choices.find('|');
    if (is_same_word(text, choices.substr(0, bar))) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

// The number of `text` in millionths of `unit`-sized steps, that is number * unit, or nothing on overflow or rubbish.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t unit) {
  const std::size_t dot = number.find('.');
  const auto whole = parse_count(number.substr(0, dot));
  if (!whole) return std::nullopt;
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(*whole, unit, &result)) return std::nullopt;
  if (dot == std::string_view::npos) return result;

  const std::string_view digits = number.substr(dot + 1);
  const auto fraction = parse_count(digits);
  if (!fraction || digits.size() > fraction_digits_max) return std::nullopt;
  std::uint64_t divisor = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) divisor *= 10;
  if (__builtin_add_overflow(result, *fraction * unit / divisor, &result)) return std::nullopt;
  return result;
}

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr Unit units[] = {{"B", 1},
                          {"KiB", std::uint64_t{1} << 10},
                          {"MiB", std::uint64_t{1} << 20},
                          {"GiB", std::uint64_t{1} << 30},
                          {"TiB", std::uint64_t{1} << 40}};

}  // namespace

std::optional<bool> parse_flag(std::string_view text) {
  if (is_one_of(text, "1|on|true|yes")) return true;
  if (is_one_of(text, "0|off|false|no")) return false;
  return std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<ParsedSize> parse_size(std::string_view text) {
  const std::size_t digits_end = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, digits_end);
  const std::string_view unit = digits_end == std::string_view::npos ? "" : trimmed(text.substr(digits_end));

  if (unit == "%") {
    const auto share = scaled(number, millionths / 100);
    if (!share || *share > millionths) return std::nullopt;
    return ParsedSize{*share, true};
  }
  if (unit.empty()) {
    const auto bytes = parse_count(number);
    if (!bytes) return std::nullopt;
    return ParsedSize{*bytes, false};
  }
  for (const Unit& known : units) {
    if (!is_same_word(unit, known.name)) continue;
    const auto bytes = scaled(number, known.bytes);
    if (!bytes) return std::nullopt;
    return ParsedSize{*bytes, false};
  }
  return std::nullopt;
}

Bytes resolve_size(ParsedSize size, Bytes whole) {
  if (!size.is_share) return {size.number};
  // In two parts, so that a share of any whole fits 64 bits.
  return {whole.n / millionths * size.number + whole.n % millionths * size.number / millionths};
}

std::optional<SettingValue> parse_setting(const SettingRow& row, std::string_view written) {
  const std::string_view text = trimmed(written);
  SettingValue value{.text = std::string(text)};
  if (row.type == "text") return value;
  if (row.default_text == "auto" && is_same_word(text, "auto")) {
    value.is_auto = true;
    return value;
  }
  if (row.type == "choice") {
    if (!is_one_of(text, row.choices)) return std::nullopt;
    std::ranges::transform(value.text, value.text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return value;
  }
  if (row.type == "flag") {
    const auto flag = parse_flag(text);
    if (!flag) return std::nullopt;
    value.number = *flag ? 1 : 0;
    return value;
  }
  if (row.type == "count") {
    const auto count = parse_count(text);
    if (!count || *count < row.count_min || *count > row.count_max) return std::nullopt;
    value.number = *count;
    return value;
  }
  UMRT_ASSERT(row.type == "size");
  const auto size = parse_size(text);
  if (!size) return std::nullopt;
  value.number = size->number;
  value.is_share = size->is_share;
  return value;
}

std::string legal_values(const SettingRow& row) {
  std::string legal;
  if (row.type == "flag") {
    legal = "1, on, true, yes or 0, off, false, no";
  } else if (row.type == "count") {
    legal = fmt::format("a whole number from {} to {}", row.count_min, row.count_max);
  } else if (row.type == "size") {
    legal = "a size such as 512MiB, 1.5GiB, 1048576 (bytes) or 25%";
  } else if (row.type == "choice") {
    legal = "one of " + std::string(row.choices);
  } else {
    legal = "any text";
  }
  if (row.default_text == "auto" && row.type != "choice") legal += ", or auto";
  return legal;
}

}  // namespace umrt
