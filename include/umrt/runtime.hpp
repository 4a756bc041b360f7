// SPDX-License-Identifier: Apache-2.0
// The runtime from init to shutdown as an object, how to start it, and its placement report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "umrt/error.hpp"

namespace umrt {

/** Receives one line of the log. Called from any thread, possibly several at once; must not call umrt or throw. */
using log_function = std::function<void(umrt_log_level level, std::string_view message)>;

/** How to start; what is not given is as the environment (UMRT_*) and the settings file say. */
class config {
 public:
  /** How many devices. */
  config& devices(std::uint32_t count) {
    devices_ = count;
    return *this;
  }
  /** Bytes of memory of each device. */
  config& budget(std::uint64_t bytes) {
    budget_ = bytes;
    return *this;
  }
  /** The name of a policy, such as "lru". */
  config& policy(std::string name) {
    policy_ = std::move(name);
    return *this;
  }
  /** Any setting that `umrt config` lists: set("evict.low", "8MiB"). */
  config& set(std::string_view key, std::string_view value) {
    settings_.push_back(std::string{key} + "=" + std::string{value});
    return *this;
  }
  /** Where log lines go instead of to standard error. */
  config& log(log_function receiver) {
    log_ = std::move(receiver);
    return *this;
  }

 private:
  friend class runtime;

  std::uint32_t devices_ = 0;
  std::uint64_t budget_ = 0;
  std::string policy_;
  std::vector<std::string> settings_;
  log_function log_;
};

/**
 * Starts the runtime and shuts it down. One at a time in a process; managed memory, streams and events must be gone
 * before it is.
 */
class runtime {
 public:
  /** Throws call_failed (what is wrong in the config, NOT_SUPPORTED, ALREADY_INITIALIZED) or out_of_memory. */
  explicit runtime(const config& how = {}) : log_{how.log_ ? std::make_unique<log_function>(how.log_) : nullptr} {
    std::vector<const char*> settings;
    for (const std::string& setting : how.settings_) settings.push_back(setting.c_str());
    umrt_config values;
    umrt_config_init(&values);
    values.device_count = how.devices_;
    values.device_budget = how.budget_;
    values.policy = how.policy_.empty() ? nullptr : how.policy_.c_str();
    values.settings = settings.data();
    values.settings_count = settings.size();
    if (log_) {
      values.log = pass_on;
      values.log_context = log_.get();
    }
    check(umrt_init(&values));
  }
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /** Waits for all streams. Ranges that were not freed are listed in the log. */
  ~runtime() { umrt_shutdown(); }

 private:
  static void pass_on(void* context, umrt_log_level level, const char* message) noexcept {
    (*static_cast<log_function*>(context))(level, message);
  }

  std::unique_ptr<log_function> log_;
};

/** The placement report so far, as text or JSON. Throws call_failed: NOT_INITIALIZED. */
inline std::string report(umrt_report_format format = UMRT_REPORT_TEXT) {
  std::string text;
  std::size_t needed = 0;  // with the terminator
  check(umrt_report(format, nullptr, 0, &needed));
  while (text.size() < needed) {  // it may grow between two calls
    text.resize(needed);
    check(umrt_report(format, text.data(), text.size(), &needed));
  }
  text.resize(needed - 1);
  return text;
}

}  // namespace umrt
