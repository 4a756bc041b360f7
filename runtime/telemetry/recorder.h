// SPDX-License-Identifier: Apache-2.0
// Keeps what a report needs beyond the engine's counters: names, where bytes were over time, ranges that are gone,
// kernel times. Structure: live ranges by RangeId; timelines.h follows the largest of them; retired.h keeps the largest
// retired ranges whole and sums up the rest by label. Concurrency: none; the service thread owns it. Guarantee: memory
// is bounded by the number of live ranges, whatever the length of the run, and only creating and retiring a range
// allocate.
#pragma once

#include <vector>

#include "core/event.h"
#include "telemetry/engine_snapshot.h"
#include "telemetry/report_model.h"
#include "telemetry/retired.h"
#include "telemetry/timelines.h"
#include "telemetry/walk_tracker.h"

namespace umrt {

struct RangeIdentity {
  RangeId range;
  Address base;
  Bytes bytes;  // as asked
  PageClass page_class = PageClass::page_2m;
  std::string name;  // may be empty
  std::string call_site;
  Hints hints;
  Ticks created;
  bool is_shared = false;  // small allocations lie in it
};

struct RecorderLimits {
  std::uint32_t slots_max = 96;             // of a timeline; more time makes them wider
  Ticks slot_min{1'000'000};                // the width that they start with
  std::uint32_t ranges_followed_max = 256;  // live ranges with a timeline
  std::uint32_t retired_max = 32;           // kept one by one
  std::uint32_t labels_max = 64;            // for the others; further labels share one row
  std::uint32_t report_ranges_max = 64;     // live ranges that a report has one by one
};

class Recorder {
 public:
  explicit Recorder(RunFacts run, RecorderLimits limits = {});

  void range_created(RangeIdentity range);
  // Before the engine is told of RangeFreed: `last` and its counters must still be valid. Afterwards the id is unknown
  // here, and snapshots that still have the range are no error.
  void range_retired(const RangeView& last, Ticks now);
  void range_advised(RangeId range, const Hints& hints);
  // A range is used again under another name; what was counted for it so far stays with it.
  void range_renamed(RangeId range, Bytes asked, std::string name, std::string call_site);
  std::string label_of(RangeId range) const;  // name, else call site; empty for one that is unknown

  void fault(const Fault& fault);  // O(log ranges); tells sweeps from random access
  void launch_ended(ProcessorId device, Ticks began, Ticks ended, std::uint64_t phase);

  // Where bytes are now. Worth a call when `now` has reached next_sample(); the distance grows with the run, so that
  // the number of calls is logarithmic in its length. What is not sampled counts as unchanged.
  Ticks next_sample() const { return next_sample_; }
  void sample(const EngineSnapshot& snapshot, Ticks now);

  // Everything so far, with findings.
  ReportModel build(const EngineSnapshot& snapshot, Ticks now, const ReportHeap& heap = {}) const;

 private:
  struct Live {
    bool is_known = false;
    RangeIdentity identity;
    WalkTracker walk;
    TimelineId timeline = no_timeline;
  };
  struct DeviceRecord {
    std::uint64_t launches = 0;
    Ticks kernel;
  };

  const Live* live(RangeId range) const;
  std::vector<RangeId>::const_iterator after(Address address) const;
  ReportRange report(const Live& live, const RangeView& view) const;
  void follow(Live& live);
  ReportTotals totals(const EngineSnapshot& snapshot, Ticks now) const;
  std::vector<ReportDevice> devices(const EngineSnapshot& snapshot, Ticks now) const;

  RunFacts run_;
  RecorderLimits limits_;
  std::vector<Live> live_;           // by RangeId
  std::vector<RangeId> by_address_;  // live ones, by base
  std::vector<RangeId> followed_;    // those with a timeline
  std::vector<DeviceRecord> devices_;
  Timelines timelines_;
  Retired retired_;
  std::uint64_t ranges_created_ = 0;
  Bytes footprint_, footprint_peak_, working_set_peak_;
  Bytes retired_once_;
  Ticks next_sample_;
};

}  // namespace umrt
