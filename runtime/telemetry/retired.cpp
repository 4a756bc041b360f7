// SPDX-License-Identifier: Apache-2.0
#include "telemetry/retired.h"

#include <algorithm>

namespace umrt {
namespace {

// What stands for ranges whose label found no room.
constexpr const char* other_ranges = "(other ranges)";

}  // namespace

void RangesByLabel::add(const ReportRange& range) {
  const std::string& label = label_of(range);
  auto found = by_label_.find(label);
  if (found == by_label_.end()) {
    const bool has_room = by_label_.size() + 1 < labels_max_;
    found = by_label_.try_emplace(has_room ? label : other_ranges).first;
    ReportRange& sum = found->second;
    if (sum.count == 1 && sum.bytes == Bytes{}) {
      sum = range;
      sum.timeline.clear();
      if (!has_room) sum.name = other_ranges;
      return;
    }
  }
  umrt::add(found->second, range);
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
