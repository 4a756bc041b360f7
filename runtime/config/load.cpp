// SPDX-License-Identifier: Apache-2.0
// Settings::load: default, file, environment, argument, each winning over the one before.
#include <fmt/format.h>

#include <algorithm>

#include "config/settings.h"

#define TOML_EXCEPTIONS 0  // a bad file is an answer, not an exception
#include <toml++/toml.h>

namespace umrt {
namespace {

std::optional<std::size_t> find_row(std::string_view key) {
  const auto rows = setting_rows();
  const auto found = std::ranges::find(rows, key, &SettingRow::key);
  if (found == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.begin());
}

Status unknown_key(std::string_view told_by, std::string_view key) {
  return failure(UMRT_ERROR_INVALID_VALUE,
                 fmt::format("{} sets \"{}\", which is no setting; `umrt config` lists the keys", told_by, key));
}

struct FileEntry {
  std::string key;
  std::optional<std::string> text;  // none: of a type that no setting has
};

// [soft] devices = 2, soft.devices = 2 and "soft.devices" = 2 are the same key.
void collect(const toml::table& table, const std::string& prefix, std::vector<FileEntry>& entries) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const toml::table* inner = node.as_table()) {
      collect(*inner, key + ".", entries);
    } else if (const auto text = node.value_exact<std::string>()) {
      entries.push_back({key, *text});
    } else if (const auto number = node.value_exact<std::int64_t>()) {
      entries.push_back({key, fmt::format("{}", *number)});
    } else if (const auto flag = node.value_exact<bool>()) {
      entries.push_back({key, *flag ? "true" : "false"});
    } else {
      entries.push_back({key, std::nullopt});
    }
  }
}

}  // namespace

Settings::Settings() {
  for (const SettingRow& row : setting_rows()) {
    const auto parsed = parse_setting(row, row.default_text);
    UMRT_ASSERT(parsed.has_value());
    held_.push_back({*parsed, "default"});
  }
}

Result<Settings> Settings::load(const SettingsInput& input) {
  Settings settings;
  if (const Status file = settings.set_from_file(input); !file) return tl::unexpected(file.error());
  if (const Status variables = settings.set_from_environment(input); !variables) {
    return tl::unexpected(variables.error());
  }
  if (const Status overrides = settings.set_from_overrides(input); !overrides) {
    return tl::unexpected(overrides.error());
  }
  return settings;
}

Status Settings::set(std::size_t row_index, std::string_view text, std::string source, std::string_view told_by) {
  const SettingRow& row = setting_rows()[row_index];
  const auto parsed = parse_setting(row, text);
  if (!parsed) {
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("{} is \"{}\"; it must be {}", told_by, text, legal_values(row)));
  }
  held_[row_index] = {*parsed, std::move(source)};
  return {};
}

Status Settings::set_from_file(const SettingsInput& input) {
  if (!input.file_text) return {};
  const std::string source = "file " + input.file_path;
  const toml::parse_result parsed = toml::parse(*input.file_text);
  if (!parsed) {
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("{}, line {}: not TOML: {}", source, parsed.error().source().begin.line,
                               parsed.error().description()));
  }
  std::vector<FileEntry> entries;
  collect(parsed.table(), "", entries);
  for (const FileEntry& entry : entries) {
    const auto row = find_row(entry.key);
    if (!row) return unknown_key(source, entry.key);
    const std::string told_by = fmt::format("{}: {}", source, entry.key);
    if (!entry.text) {
      return failure(UMRT_ERROR_INVALID_VALUE,
                     fmt::format("{} is a number with a fraction, a date or a list; it must be {}, in quotes", told_by,
                                 legal_values(setting_rows()[*row])));
    }
    if (const Status status = set(*row, *entry.text, source, told_by); !status) return status;
  }
  return {};
}

Status Settings::set_from_environment(const SettingsInput& input) {
  if (!input.environment) return {};
  const auto rows = setting_rows();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto text = input.environment(rows[row].variable);
    if (!text || text->empty()) continue;  // a variable without a value is not set
    const std::string told_by = fmt::format("environment variable {}", rows[row].variable);
    const Status status = set(row, *text, fmt::format("environment {}", rows[row].variable), told_by);
    if (!status) return status;
  }
  return {};
}

Status Settings::set_from_overrides(const SettingsInput& input) {
  for (const std::string& written : input.overrides) {
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos) {
      return failure(UMRT_ERROR_INVALID_VALUE,
                     fmt::format("the setting \"{}\" has no \"=\"; it must be key=value", written));
    }
    const std::string_view key = std::string_view(written).substr(0, equals);
    const auto row = find_row(key);
    if (!row) return unknown_key("an argument", key);
    const Status status =
        set(*row, std::string_view(written).substr(equals + 1), "argument", fmt::format("the setting {}", key));
    if (!status) return status;
  }
  return {};
}

}  // namespace umrt
