// SPDX-License-Identifier: Apache-2.0
// The settings: one table, and the values that are in force with where each came from. An "API" string wins over the
// environment, the environment over the TOML file, the file over the default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/setting_value.h"

namespace umrt {

struct SettingRow {
  std::string_view name;      // for people: "budget of a device"
  std::string_view variable;  // "UMRT_DEVICE_BUDGET"
  std::string_view key;       // "device.budget": in the file and in the API's strings
  std::string_view type;      // "flag", "count", "size", "choice" or "text"
  std::string_view default_text;
  std::string_view text;        // one sentence: what it does
  std::string_view choices{};   // of a choice: "auto|move|copy"
  std::uint64_t count_min = 0;  // of a count
  std::uint64_t count_max = 0;
};

std::span<const SettingRow> setting_rows();

struct SettingsInput {
  std::function<std::optional<std::string>(std::string_view)> environment;  // null: no environment
  std::string file_path;                                                    // for messages
  std::optional<std::string> file_text;                                     // none: no file
  std::vector<std::string> overrides;                                       // "key=value"; the last one of a key counts
};

class Settings {
 public:
  // Errors: INVALID_VALUE, naming the key or variable, the value, and what would have been right.
  static Result<Settings> load(const SettingsInput& input);

  // By key. A key that is not in the table, or of another type, is a mistake of ours.
  bool flag(std::string_view key) const;
  std::uint64_t count(std::string_view key) const;        // not when it is auto
  bool is_auto(std::string_view key) const;               // left to umrt
  Bytes size(std::string_view key, Bytes whole) const;    // a percentage is one of `whole`; not when it is auto
  const std::string& text(std::string_view key) const;    // as it was written
  const std::string& source(std::string_view key) const;  // "default", "environment UMRT_X", "file PATH", "argument"

 private:
  Settings();
  Status set(std::size_t row, std::string_view text, std::string source, std::string_view told_by);
  Status set_from_file(const SettingsInput& input);
  Status set_from_environment(const SettingsInput& input);
  Status set_from_overrides(const SettingsInput& input);
  const SettingValue& value(std::string_view key, std::string_view type) const;

  struct Held {
    SettingValue value;
    std::string source;
  };
  std::vector<Held> held_;  // one a row of the table
};

}  // namespace umrt
