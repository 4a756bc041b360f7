// SPDX-License-Identifier: Apache-2.0
// What the command adds to umrt.hpp: failed calls as exit codes, and the placement report as data.
#pragma once

#include <umrt/umrt.h>

#include "commands.h"
#include "telemetry/report_model.h"

namespace umrt::tool {

ExitCode exit_code_of(umrt_result result);

ReportModel report_model();  // of the runtime that is up

}  // namespace umrt::tool
