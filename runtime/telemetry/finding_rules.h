// SPDX-License-Identifier: Apache-2.0
// How a rule of findings.h speaks, and the rules that are not in findings.cpp.
#pragma once

#include <string>
#include <vector>

#include "telemetry/report_model.h"

namespace umrt {

using Found = std::vector<Finding>;

void say(Found& found, const ReportRange& range, Ticks gain, std::string text);
void say(Found& found, Ticks gain, std::string text);  // of the run as a whole

// memory_findings.cpp
void find_short_budget(const ReportModel& model, Found& found);
void find_idle(const ReportModel& model, Found& found);
void find_small_allocations(const ReportModel& model, Found& found);
void find_pinned(const ReportModel& model, Found& found);

}  // namespace umrt
