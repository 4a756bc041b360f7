// SPDX-License-Identifier: Apache-2.0
// How the text of one setting is read: words for flags, counts, sizes with units or as a percentage, choices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace umrt {

struct SettingRow;

struct SettingValue {
  std::string text;  // as it was written, without spaces around it
  bool is_auto = false;
  bool is_share = false;     // a size given as a percentage; `number` is then in millionths
  std::uint64_t number = 0;  // flag: 0 or 1; count; size in bytes
};

std::optional<bool> parse_flag(std::string_view text);
std::optional<std::uint64_t> parse_count(std::string_view text);

struct ParsedSize {
  std::uint64_t number = 0;  // bytes, or millionths of the whole
  bool is_share = false;
};
std::optional<ParsedSize> parse_size(std::string_view text);
Bytes resolve_size(ParsedSize size, Bytes whole);

std::optional<SettingValue> parse_setting(const SettingRow& row, std::string_view text);
std::string legal_values(const SettingRow& row);  // "a whole number from 1 to 8"

}  // namespace umrt
