// SPDX-License-Identifier: Apache-2.0
#include "runtime_session.h"

#include <fmt/format.h>

#include "telemetry/json_report.h"

namespace umrt::tool {

void check(umrt_result result, const char* call) {
  if (result == UMRT_SUCCESS) return;
  const std::string detail = umrt_error_detail();
  throw CallError(result, fmt::format("{}: {}: {}", call, umrt_error_name(result),
                                      detail.empty() ? umrt_error_string(result) : detail));
}

ExitCode exit_code_of(umrt_result result) {
  switch (result) {
    case UMRT_SUCCESS:
      return ExitCode::fine;
    case UMRT_ERROR_INVALID_VALUE:
    case UMRT_ERROR_INVALID_DEVICE:
    case UMRT_ERROR_SIZE_OVERFLOW:
      return ExitCode::usage;
    case UMRT_ERROR_OUT_OF_MEMORY:
    case UMRT_ERROR_NOT_INITIALIZED:
    case UMRT_ERROR_NO_DEVICE:
    case UMRT_ERROR_NOT_SUPPORTED:
    case UMRT_ERROR_SYSTEM:
      return ExitCode::environment;
    default:
      return ExitCode::finding;
  }
}

RuntimeSession::RuntimeSession(const SessionSetup& setup) {
  std::vector<const char*> settings;
  for (const std::string& setting : setup.settings) settings.push_back(setting.c_str());
  umrt_config config;
  umrt_config_init(&config);
  config.device_count = setup.devices;
  config.device_budget = setup.device_budget;
  config.policy = setup.policy.empty() ? nullptr : setup.policy.c_str();
  config.settings = settings.data();
  config.settings_count = settings.size();
  check(umrt_init(&config), "umrt_init");
}

std::uint32_t RuntimeSession::device_count() const {
  std::uint32_t count = 0;
  check(umrt_device_count(&count), "umrt_device_count");
  return count;
}

ReportModel RuntimeSession::report() const {
  std::string text;
  std::size_t needed = 1;
  while (text.size() < needed) {  // the report may grow between two calls
    text.resize(needed);
    check(umrt_report(UMRT_REPORT_JSON, text.data(), text.size(), &needed), "umrt_report");
  }
  text.resize(needed - 1);
  auto model = report_from_json(text);
  if (!model) throw CommandError(ExitCode::finding, "umrt_report: " + model.error().detail);
  return *std::move(model);
}

}  // namespace umrt::tool
