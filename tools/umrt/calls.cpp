// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <umrt/umrt.hpp>

#include "telemetry/json_report.h"

namespace umrt::tool {

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

ReportModel report_model() {
  auto model = report_from_json(umrt::report(UMRT_REPORT_JSON));
  if (!model) throw CommandError(ExitCode::finding, "the report cannot be read: " + model.error().detail);
  return *std::move(model);
}

}  // namespace umrt::tool
