// SPDX-License-Identifier: Apache-2.0
// The sentences on what to change. A rule looks at the figures of a report and says what is and what to do about it,
// naming range, figure and API call. To add one: a function and a row in findings.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "telemetry/report_model.h"

namespace umrt {

struct FindingRule {
  std::string_view name;
  std::string_view text;  // when it speaks, for docs/report.md
  void (*find)(const ReportModel& model, std::vector<Finding>& found);
};

std::span<const FindingRule> finding_rules();

inline constexpr std::size_t findings_max = 5;

// The findings that may save most time, one a range, at most `findings_max`.
std::vector<Finding> findings(const ReportModel& model);

}  // namespace umrt
