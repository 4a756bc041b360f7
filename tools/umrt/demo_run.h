// SPDX-License-Identifier: Apache-2.0
// One run of the demo's job, from the start of the runtime to its end, with what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <umrt/umrt.hpp>
#include <vector>

#include "demo_job.h"
#include "progress.h"
#include "telemetry/report_model.h"

namespace umrt::tool {

struct RunPlan {
  std::string label;  // of the run, in comparisons
  config setup;
  std::uint32_t iterations = 10;
  double seconds = 0;  // not 0: as many iterations as begin within this time instead
  bool is_searching = true;
};

struct RunResult {
  std::uint32_t devices = 0;
  std::uint32_t iterations = 0;  // done
  graph::VertexId search_start = 0;
  std::vector<double> ranks;
  std::vector<std::uint32_t> levels;  // empty where nothing was searched
  double load_s = 0, pagerank_s = 0, search_s = 0;
  ReportModel report;
  std::optional<ComparisonRow> compared;  // the iterations of comparison_span() alone
  bool was_interrupted = false;           // then ranks and levels are empty
};

// Iterations that runs are compared over: [first, last), some that begin with a device that is in use already.
struct ComparisonSpan {
  std::uint32_t first, last;
};
ComparisonSpan comparison_span(std::uint32_t iterations);

RunResult run_job(const graph::CsrGraph& graph, const RunPlan& plan, Progress& progress);

}  // namespace umrt::tool
