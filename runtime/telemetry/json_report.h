// SPDX-License-Identifier: Apache-2.0
// The placement report for programs: numbers under keys that end in their unit; schema_version 1.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "telemetry/report_model.h"

namespace umrt {

inline constexpr int report_schema_version = 1;

std::string to_json(const ReportModel& model);

// What to_json wrote, of this schema version. Errors: INVALID_VALUE, naming what is wrong with the text.
Result<ReportModel> report_from_json(std::string_view text);

}  // namespace umrt
