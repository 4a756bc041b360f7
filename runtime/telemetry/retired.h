// SPDX-License-Identifier: Apache-2.0
// Ranges that were freed: the largest ones whole, the others summed up by label. Bounded, however many there were.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "telemetry/report_model.h"
#include "telemetry/timelines.h"

namespace umrt {

// Ranges summed up by label; beyond `labels_max` labels the rest shares one row.
class RangesByLabel {
 public:
  explicit RangesByLabel(std::uint32_t labels_max) : labels_max_{labels_max} {}
  void add(const ReportRange& range);
  std::vector<ReportRange> ranges() const;  // by label

 private:
  std::uint32_t labels_max_;
  std::map<std::string, ReportRange> by_label_;
};

class Retired {
 public:
  struct Whole {
    ReportRange range;  // without its timeline
    TimelineId timeline = no_timeline;
  };

  Retired(std::uint32_t whole_max, std::uint32_t labels_max) : whole_max_{whole_max}, others_{labels_max} {}

  // The answer: a timeline that nobody needs any more, or no_timeline.
  [[nodiscard]] TimelineId add(Whole range);
  const std::vector<Whole>& whole() const { return whole_; }
  const RangesByLabel& others() const { return others_; }

 private:
  std::uint32_t whole_max_;
  std::vector<Whole> whole_;
  RangesByLabel others_;
};

}  // namespace umrt
