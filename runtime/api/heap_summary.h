// SPDX-License-Identifier: Apache-2.0
// The heap's statistics as the placement report shows them: its two zones as one.
#pragma once

#include "api/heap.h"
#include "telemetry/report_model.h"

namespace umrt {

ReportHeap heap_summary(const HeapStatistics& statistics);

}  // namespace umrt
