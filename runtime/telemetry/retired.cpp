// SPDX-License-Identifier: Apache-2.0
#include "telemetry/retired.h"

#include <algorithm>

namespace umrt {
namespace {

// What stands for ranges whose label found no room.
constexpr const char* other_ranges = "(other ranges)";

}  // namespace

void RangesByLabel::add(const ReportRange& range) {
  const bool has_place = by_label_.contains(label_of(range)) || by_label_.size() + 1 < labels_max_;
  const std::string label = has_place ? label_of(range) : other_ranges;
  const auto [place, is_new] = by_label_.try_emplace(label, range);
  if (!is_new) {
    umrt::add(place->second, range);
    return;
  }
  place->second.timeline.clear();
  if (!has_place) place->second.name = other_ranges;
}

std::vector<ReportRange> RangesByLabel::ranges() const {
  std::vector<ReportRange> ranges;
  for (const auto& [label, range] : by_label_) ranges.push_back(range);
  return ranges;
}

TimelineId Retired::add(Whole range) {
  whole_.push_back(std::move(range));
  if (whole_.size() <= whole_max_) return no_timeline;
  const auto smallest = std::min_element(whole_.begin(), whole_.end(),
                                         [](const Whole& a, const Whole& b) { return a.range.bytes < b.range.bytes; });
  const TimelineId timeline = smallest->timeline;
  others_.add(smallest->range);
  whole_.erase(smallest);
  return timeline;
}

}  // namespace umrt
