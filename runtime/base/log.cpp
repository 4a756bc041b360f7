// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

namespace umrt::log {
namespace {

std::mutex sink_mutex;  // protects `sink` and `sink_context` against set_sink; held while a line is written
Sink sink = nullptr;
void* sink_context = nullptr;
std::atomic<int> level_max{static_cast<int>(Level::warning)};

const char* level_name(Level level) {
  switch (level) {
    case Level::error:
      return "error";
    case Level::warning:
      return "warning";
    case Level::info:
      return "info";
    case Level::debug:
      return "debug";
  }
  return "?";
}

}  // namespace

void set_sink(Sink new_sink, void* context) noexcept {
  const std::lock_guard lock(sink_mutex);
  sink = new_sink;
  sink_context = context;
}

void set_level(Level most_verbose) noexcept {
  level_max.store(static_cast<int>(most_verbose), std::memory_order_relaxed);
}

bool is_enabled(Level level) noexcept { return static_cast<int>(level) <= level_max.load(std::memory_order_relaxed); }

void write(Level level, std::string_view message) noexcept {
  const std::lock_guard lock(sink_mutex);
  if (sink != nullptr) {
    sink(sink_context, level, std::string(message).c_str());
    return;
  }
  std::fprintf(stderr, "umrt: %s: %.*s\n", level_name(level), static_cast<int>(message.size()), message.data());
}

}  // namespace umrt::log
