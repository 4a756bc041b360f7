// SPDX-License-Identifier: Apache-2.0
// Log lines go to standard error, or to the application's callback. Never to standard output.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace umrt::log {

enum class Level : int { error = 0, warning = 1, info = 2, debug = 3 };  // the numbers of umrt_log_level

using Sink = void (*)(void* context, Level level, const char* message);  // one line, no newline

// Any thread. A null sink is standard error.
void set_sink(Sink sink, void* context) noexcept;
void set_level(Level most_verbose) noexcept;
bool is_enabled(Level level) noexcept;
void write(Level level, std::string_view message) noexcept;

template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
  if (is_enabled(Level::error)) write(Level::error, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> text, Args&&... args) {
  if (is_enabled(Level::warning)) write(Level::warning, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  if (is_enabled(Level::info)) write(Level::info, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  if (is_enabled(Level::debug)) write(Level::debug, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace umrt::log
