// SPDX-License-Identifier: Apache-2.0
// `umrt config`: every setting of the table with its value and where that came from.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "settings_in_force.h"

namespace umrt::tool {
namespace {

void print_text(const Settings& settings) {
  std::size_t key_width = 0, value_width = 0;
  for (const SettingRow& row : setting_rows()) {
    key_width = std::max(key_width, row.key.size());
    value_width = std::max(value_width, settings.text(row.key).size());
  }
  for (const SettingRow& row : setting_rows()) {
    fmt::print("{:<{}}  {:<{}}  {}\n", row.key, key_width, settings.text(row.key), value_width,
               settings.source(row.key));
    fmt::print("{:<{}}  {} ({})\n", "", key_width, row.text, row.variable);
  }
}

void print_json(const Settings& settings) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SettingRow& row : setting_rows()) {
    rows.push_back({{"key", row.key},
                    {"value", settings.text(row.key)},
                    {"source", settings.source(row.key)},
                    {"variable", row.variable},
                    {"type", row.type},
                    {"default", row.default_text},
                    {"text", row.text}});
  }
  const nlohmann::ordered_json all{{"schema_version", 1}, {"settings", std::move(rows)}};
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

std::function<ExitCode()> declare_config(CLI::App& options) {
  const auto is_json = std::make_shared<bool>(false);
  options.add_flag("--json", *is_json, "JSON instead of text");
  options.footer(
      "A setting is taken from the program's own configuration, else from its environment variable, else from the "
      "TOML\n"
      "file (UMRT_CONFIG_FILE, $XDG_CONFIG_HOME/umrt.toml or ~/.config/umrt.toml), else it has its default.");
  return [is_json] {
    const Settings settings = settings_in_force();
    *is_json ? print_json(settings) : print_text(settings);
    return ExitCode::fine;
  };
}

}  // namespace umrt::tool
