// SPDX-License-Identifier: Apache-2.0
#include "device/soft/migration_plan.h"

namespace umrt::soft {
namespace {

Step pages(ProcessorId device, PageOperation operation, GranuleMask granules) {
  return {Step::Kind::device_pages, operation, device, granules};
}

Step host_step(GranuleMask granules) { return {Step::Kind::host, PageOperation::wake, no_processor, granules}; }

// Operations that concern the target alone.
Step step_at_target(const BlockAction& action, PageOperation operation, GranuleMask granules) {
  return action.target.is_host() ? host_step(granules) : pages(action.target, operation, granules);
}

}  // namespace

Plan plan_of(const BlockAction& action, GranuleMask mapped_at_source, GranuleMask mapped_at_target) {
  Plan plan;
  const GranuleMask all = action.granules;
  switch (action.operation) {
    case Operation::populate:
      plan.add(step_at_target(action, action.is_mapped ? PageOperation::zero_and_map : PageOperation::zero, all));
      break;
    case Operation::migrate:
      if (action.source.is_device()) plan.add(pages(action.source, PageOperation::unmap, mapped_at_source));
      plan.add(host_step(all));
      if (action.target.is_device() && action.is_mapped) plan.add(pages(action.target, PageOperation::map, all));
      break;
    case Operation::duplicate:
      if (action.source.is_device()) {
        plan.add(pages(action.source, PageOperation::protect, mapped_at_source));
        plan.add(pages(action.source, PageOperation::map_protected, all - mapped_at_source));
      }
      plan.add(host_step(all));
      if (action.target.is_device()) plan.add(pages(action.target, PageOperation::map_protected, all));
      break;
    case Operation::discard:
      plan.add(step_at_target(action, PageOperation::unmap, action.target.is_host() ? all : mapped_at_target));
      break;
    case Operation::map:
      plan.add(step_at_target(action, PageOperation::map, all));
      break;
    case Operation::unmap:
      plan.add(step_at_target(action, PageOperation::unmap, all));
      break;
    case Operation::unprotect:
      plan.add(step_at_target(action, PageOperation::unprotect, all));
      break;
    case Operation::wake:
      plan.add(step_at_target(action, PageOperation::wake, all));
      break;
  }
  return plan;
}

bool is_long(const BlockAction& action) {
  const bool moves_bytes = action.operation == Operation::migrate || action.operation == Operation::duplicate ||
                           action.operation == Operation::populate;
  return moves_bytes && granule_bytes(action.page_class) * action.granules.count() > 64_KiB;
}

}  // namespace umrt::soft
