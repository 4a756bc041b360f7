// SPDX-License-Identifier: Apache-2.0
#include "config/process_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace umrt {
namespace {

std::optional<std::string> environment(std::string_view variable) {
  const char* text = std::getenv(std::string(variable).c_str());
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return text;
}

std::string default_path() {
  if (const auto folder = environment("XDG_CONFIG_HOME")) return *folder + "/umrt.toml";
  if (const auto home = environment("HOME")) return *home + "/.config/umrt.toml";
  return {};
}

}  // namespace

Result<SettingsInput> process_settings_input(std::vector<std::string> overrides) {
  SettingsInput input{.environment = environment, .file_path = {}, .file_text = {}, .overrides = std::move(overrides)};
  const auto named = environment("UMRT_CONFIG_FILE");
  input.file_path = named ? *named : default_path();
  if (input.file_path.empty()) return input;
  errno = 0;
  input.file_text = read_file(input.file_path);
  if (named && !input.file_text) {
    const int reason = errno;
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("environment variable UMRT_CONFIG_FILE is \"{}\", which cannot be read ({}); it must be "
                               "a TOML file",
                               *named, std::strerror(reason)),
                   reason);
  }
  return input;
}

}  // namespace umrt
