// SPDX-License-Identifier: Apache-2.0
// Where bytes were over time, in bounded memory: each followed subject has the same number of slots over the whole run.
// A slot sums up the samples that fall into it; when the run outgrows the slots, each two become one and new slots are
// twice as wide, so nothing sampled is lost but resolution.
#pragma once

#include <span>
#include <vector>

#include "base/units.h"

namespace umrt {

using TimelineId = std::uint32_t;
inline constexpr TimelineId no_timeline = ~0u;

class Timelines {
 public:
  Timelines(std::uint32_t slots_max, Ticks slot_min, std::uint32_t values);  // values a sample

  TimelineId open();  // allocates, or takes one that was closed
  void close(TimelineId id);

  void advance(Ticks now);  // makes room for a sample at `now`; widens the slots when needed
  void add(TimelineId id, Ticks at, std::span<const std::uint64_t> values);
  void count_launch(Ticks began);

  Ticks slot() const { return slot_; }
  // The means of a timeline: one row a slot up to `now`, empty where nothing is known yet; gaps repeat what was before.
  std::vector<std::vector<std::uint64_t>> means(TimelineId id, Ticks now) const;
  std::uint64_t launches_since(Ticks when) const;  // known to have begun after the slot of `when`

 private:
  std::uint32_t index(Ticks at) const;
  void halve();

  std::uint32_t slots_max_, values_;
  Ticks slot_;
  std::vector<std::vector<std::uint64_t>> sums_;  // [timeline][slot * (values + 1)]: samples, then their sums
  std::vector<TimelineId> closed_;
  std::vector<std::uint64_t> launches_;  // begun, by slot
};

}  // namespace umrt
