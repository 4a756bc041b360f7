// SPDX-License-Identifier: Apache-2.0
#include "core/placement.h"

namespace umrt {
namespace {

constexpr std::uint16_t hot = 4;            // touches of a block within a few 100 ms
constexpr std::uint64_t evidence_min = 16;  // faults on a range before they say something
constexpr std::uint64_t mostly_factor = 4;  // "mostly": four times as many as the others

bool prefers_here(const PlacementFacts& f) { return f.hints.preferred == f.processor; }

bool wants_remote(const PlacementFacts& f) {
  const bool is_accessed_by = (f.hints.accessed_by >> f.processor.n) & 1;
  return f.processor.is_device() && f.hints.preferred == host_processor && is_accessed_by;
}

bool may_duplicate(const PlacementFacts& f) {
  return f.hints.is_read_mostly && f.access == Access::read && !f.is_absent && f.abilities.duplicates;
}

bool is_rarely_used(const PlacementFacts& f) {
  return f.processor.is_device() && f.is_sparse && f.hotness < hot && f.faults_device >= evidence_min;
}

bool exceeds_device_touched_once(const PlacementFacts& f) {
  return f.processor.is_device() && f.range_bytes > f.device_budget && f.hints.pattern == AccessPattern::streaming;
}

// Filling a range once is no use by the CPU: it has to come back to it between kernels.
bool is_used_by_cpu(const PlacementFacts& f) {
  if (f.launches < 2 || f.returned == Bytes{}) return false;
  return f.faults_host >= evidence_min && f.faults_host >= mostly_factor * f.faults_device;
}

bool is_hot_on_device(const PlacementFacts& f) { return f.processor.is_device() && !f.is_held && f.hotness >= hot; }

bool is_shared_by_devices(const PlacementFacts& f) {
  return f.processor.is_device() && !f.is_held && f.devices_faulting >= 2;
}

bool is_intermediate(const PlacementFacts& f) {
  return f.processor.is_device() && !f.is_held && f.faults_host == 0 && f.faults_device >= 2 && f.devices_faulting == 1;
}

bool is_held(const PlacementFacts& f) { return f.is_held; }
bool always(const PlacementFacts&) { return true; }

constexpr PlacementRule rules[] = {
    {Reason::hint_preferred_location, Placement::move_here, prefers_here},
    {Reason::hint_remote, Placement::remote, wants_remote},
    {Reason::read_mostly_duplicate, Placement::duplicate, may_duplicate},
    {Reason::system_memory_low_frequency, Placement::remote, is_rarely_used},
    {Reason::system_memory_exceeds_device, Placement::remote, exceeds_device_touched_once},
    {Reason::system_memory_cpu_use, Placement::remote, is_used_by_cpu},
    {Reason::device_high_performance, Placement::move_here, is_hot_on_device},
    {Reason::device_intermediate, Placement::move_here, is_intermediate},
    {Reason::device_shared, Placement::move_here, is_shared_by_devices},
    {Reason::thrashing_hold, Placement::hold, is_held},
    {Reason::first_touch, Placement::move_here, always},
};

}  // namespace

std::span<const PlacementRule> placement_rules() { return rules; }

PlacementDecision decide_placement(const PlacementFacts& facts) {
  for (const PlacementRule& rule : rules) {
    if (!rule.applies(facts)) continue;
    PlacementDecision decision{.placement = rule.placement, .reason = rule.reason};
    const bool can_stay = facts.abilities.remote_map && facts.processor.is_device();
    if (decision.placement == Placement::remote && !can_stay) decision.placement = Placement::move_here;
    return decision;
  }
  return {};
}

}  // namespace umrt
