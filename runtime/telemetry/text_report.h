// SPDX-License-Identifier: Apache-2.0
// The placement report for people: at most 108 columns wide.
#pragma once

#include <string>

#include "telemetry/report_model.h"

namespace umrt {

struct TextStyle {
  bool is_ascii = false;          // no bars and lines beyond ASCII
  std::uint32_t ranges_max = 12;  // rows of the table of ranges; the rest is summed up in one line
};

std::string to_text(const ReportModel& model, const TextStyle& style = {});

}  // namespace umrt
