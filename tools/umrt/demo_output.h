// SPDX-License-Identifier: Apache-2.0
// What the demo says: on the job, on the check against plain memory, then the placement report; as text or as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "demo_input.h"
#include "demo_run.h"

namespace umrt::tool {

struct DemoCheck {  // against the references in plain memory
  bool was_done = false;
  std::uint64_t ranks_differing = 0;
  std::uint64_t levels_differing = 0;
  double reference_s = 0;
  bool is_equal() const { return ranks_differing == 0 && levels_differing == 0; }
};

DemoCheck check_against_references(const graph::CsrGraph& graph, const RunResult& run, unsigned threads,
                                   Progress& progress);

struct DemoOutcome {
  const Input* input = nullptr;
  std::uint64_t footprint_bytes = 0;
  const RunResult* run = nullptr;  // its report has the comparison
  DemoCheck check;
  ComparisonSpan compared{0, 0};
  double elapsed_s = 0;
};

std::string demo_text(const DemoOutcome& outcome, bool is_ascii);
std::string demo_json(const DemoOutcome& outcome);

}  // namespace umrt::tool
