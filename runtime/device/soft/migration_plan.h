// SPDX-License-Identifier: Apache-2.0
// An action as numbered steps: page-table operations in device processes, and at most one step of work on the host
// (its own page table, and copies between processes). Pure.
#pragma once

#include <array>
#include <cstdint>

#include "core/action.h"
#include "device/soft/control_block.h"

namespace umrt::soft {

struct Step {
  enum class Kind : std::uint8_t { device_pages, host };
  Kind kind = Kind::host;
  PageOperation operation = PageOperation::wake;  // device_pages
  ProcessorId device = no_processor;              // device_pages
  GranuleMask granules;
};

struct Plan {
  std::array<Step, 4> steps;
  std::uint32_t count = 0;
  void add(const Step& step) {
    if (!step.granules.empty()) steps[count++] = step;
  }
};

// `mapped_at_source`, `mapped_at_target`: which of the action's granules are mapped there now.
Plan plan_of(const BlockAction& action, GranuleMask mapped_at_source, GranuleMask mapped_at_target);

// Whether the step on the host is long enough to leave it to a copy thread.
bool is_long(const BlockAction& action);

}  // namespace umrt::soft
