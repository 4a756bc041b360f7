// SPDX-License-Identifier: Apache-2.0
// A report as umrt_report gives it. The service thread knows call sites as code addresses only; what they are called
// is found out here, on the thread that asks.
#pragma once

#include <umrt/umrt.h>

#include <string>

#include "telemetry/report_model.h"

namespace umrt {

std::string call_site_key(const void* call_site);  // how the recorder names it; empty for null
std::string report_text(ReportModel model, umrt_report_format format);

}  // namespace umrt
