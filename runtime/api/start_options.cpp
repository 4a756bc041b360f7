// SPDX-License-Identifier: Apache-2.0
#include "api/start_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/devices.h"
#include "config/process_input.h"
#include "os/memory_info.h"
#include "policy/policies.h"

namespace umrt {
namespace {

Result<std::vector<std::string>> overrides_of(const umrt_config& config) {
  std::vector<std::string> overrides;
  if (config.version != UMRT_CONFIG_VERSION) {
    return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("config.version is {}: this library knows {}; start from "
                                                         "umrt_config_init()",
                                                         config.version, UMRT_CONFIG_VERSION));
  }
  if (config.settings_count != 0 && config.settings == nullptr)
    return failure(UMRT_ERROR_INVALID_VALUE, "config.settings is NULL, but settings_count is not 0");
  for (std::size_t i = 0; i < config.settings_count; ++i) {
    if (config.settings[i] == nullptr)
      return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("config.settings[{}] is NULL", i));
    overrides.emplace_back(config.settings[i]);
  }
  // Fields win over strings: they come last.
  if (config.device_count != 0) overrides.push_back(fmt::format("soft.devices={}", config.device_count));
  if (config.device_budget != 0) overrides.push_back(fmt::format("device.budget={}", config.device_budget));
  if (config.policy != nullptr) overrides.push_back(fmt::format("policy={}", config.policy));
  return overrides;
}

std::string policy_names() {
  std::vector<std::string_view> names;
  for (const PolicyRow& row : policies()) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Room for what is about to be fetched while evictions are under way; small budgets cannot spare it.
struct WaterMarks {
  Bytes low, high;
};
WaterMarks default_water_marks(Bytes budget) {
  if (budget < 32_MiB) return {};
  const Bytes low = std::min(Bytes{budget.n / 16}, 16_MiB);
  return {low, low + 4_MiB};
}

log::Level level_of(const std::string& name) {
  if (name == "error") return log::Level::error;
  if (name == "info") return log::Level::info;
  return name == "debug" ? log::Level::debug : log::Level::warning;
}

std::uint32_t count_or_auto(const Settings& settings, std::string_view key) {
  return settings.is_auto(key) ? 0 : static_cast<std::uint32_t>(settings.count(key));
}

Status read_memory(const Settings& settings, StartOptions& options) {
  const DeviceRow* device = find_device(options.device);
  UMRT_ASSERT(device != nullptr);  // a choice of the settings' table
  const Bytes available = os::memory_available();
  const Bytes budget =
      settings.is_auto("device.budget") ? device->default_budget() : settings.size("device.budget", available);
  if (const Bytes least = device->budget_min(options); budget < least) {
    return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("device.budget is {} bytes: this device needs at least {} MiB",
                                                         budget.n, least / 1_MiB));
  }
  options.device_budgets.assign(settings.count("soft.devices"), round_down(budget, 2_MiB));
  options.host_budget = settings.size("host.budget", available);
  options.arena_bytes = settings.size("arena.bytes", available);
  const WaterMarks marks = default_water_marks(budget);
  options.free_low = settings.is_auto("evict.low") ? marks.low : settings.size("evict.low", budget);
  options.free_high =
      settings.is_auto("evict.high") ? std::max(marks.high, options.free_low) : settings.size("evict.high", budget);
  if (options.free_high < options.free_low || options.free_high >= budget) {
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("evict.low is {} bytes and evict.high {}: low must not be above high, and high must be "
                               "below the device budget of {}",
                               options.free_low.n, options.free_high.n, budget.n));
  }
  return {};
}

}  // namespace

Result<StartOptions> load_start_options(const umrt_config* config) {
  auto overrides = config != nullptr ? overrides_of(*config) : Result<std::vector<std::string>>();
  if (!overrides) return tl::unexpected(overrides.error());
  const auto input = process_settings_input(std::move(*overrides));
  if (!input) return tl::unexpected(input.error());
  const auto settings = Settings::load(*input);
  if (!settings) return tl::unexpected(settings.error());

  StartOptions options;
  options.is_disabled = settings->flag("disable");
  options.device = settings->text("device");
  options.policy = find_policy(settings->text("policy"));
  if (options.policy == nullptr) {
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("policy is \"{}\" ({}): it can be {}", settings->text("policy"),
                               settings->source("policy"), policy_names()));
  }
  options.prefetches = settings->flag("prefetch");
  options.fault_way = settings->text("soft.fault_way");
  options.copy_way = settings->text("soft.copy_way");
  options.huge_pages = settings->flag("soft.huge_pages");
  options.workers = count_or_auto(*settings, "soft.workers");
  options.copy_threads = count_or_auto(*settings, "soft.copy_threads");
  if (auto read = read_memory(*settings, options); !read) return tl::unexpected(read.error());
  options.samples_per_second = settings->count("samples.per_second");
  options.log_level = level_of(settings->text("log.level"));
  options.report_file = settings->text("report.file");
  options.report_format = settings->text("report.format") == "json" ? UMRT_REPORT_JSON : UMRT_REPORT_TEXT;
  return options;
}

}  // namespace umrt
