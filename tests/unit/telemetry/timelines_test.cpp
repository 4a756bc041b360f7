// SPDX-License-Identifier: Apache-2.0
#include "telemetry/timelines.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace umrt {
namespace {

using Words = std::vector<std::uint64_t>;

Timelines eight_slots() { return Timelines{8, Ticks{10}, 1}; }

void add(Timelines& timelines, TimelineId id, std::uint64_t at, std::uint64_t value) {
  timelines.advance({at});
  timelines.add(id, {at}, Words{value});
}

TEST(Timelines, a_slot_is_the_mean_of_its_samples) {
  Timelines timelines = eight_slots();
  const TimelineId id = timelines.open();
  add(timelines, id, 1, 10);
  add(timelines, id, 9, 30);
  add(timelines, id, 15, 7);
  EXPECT_EQ(timelines.means(id, {19}), (std::vector<Words>{{20}, {7}}));
}

TEST(Timelines, slots_before_the_first_sample_are_unknown_and_gaps_repeat_what_was_before) {
  Timelines timelines = eight_slots();
  const TimelineId id = timelines.open();
  add(timelines, id, 25, 5);
  EXPECT_EQ(timelines.means(id, {45}), (std::vector<Words>{{}, {}, {5}, {5}, {5}}));
}

TEST(Timelines, each_two_slots_become_one_when_the_run_outgrows_them) {
  Timelines timelines = eight_slots();
  const TimelineId id = timelines.open();
  for (std::uint64_t slot = 0; slot < 8; ++slot) add(timelines, id, slot * 10, slot * 100);
  EXPECT_EQ(timelines.slot(), Ticks{10});
  timelines.advance({80});
  EXPECT_EQ(timelines.slot(), Ticks{20});
  EXPECT_EQ(timelines.means(id, {79}), (std::vector<Words>{{50}, {250}, {450}, {650}}));
}

TEST(Timelines, a_long_pause_widens_slots_as_often_as_needed) {
  Timelines timelines = eight_slots();
  const TimelineId id = timelines.open();
  add(timelines, id, 0, 4);
  add(timelines, id, 639, 8);
  EXPECT_EQ(timelines.slot(), Ticks{80});
  EXPECT_EQ(timelines.means(id, {639}).size(), 8u);
}

TEST(Timelines, a_closed_timeline_is_used_again_without_its_past) {
  Timelines timelines = eight_slots();
  const TimelineId id = timelines.open();
  add(timelines, id, 5, 4);
  timelines.close(id);
  EXPECT_EQ(timelines.open(), id);
  EXPECT_EQ(timelines.means(id, {5}), (std::vector<Words>{{}}));
}

TEST(Timelines, launches_since_counts_only_slots_that_began_later) {
  Timelines timelines = eight_slots();
  for (const std::uint64_t began : {5u, 15u, 16u, 35u}) timelines.count_launch({began});
  EXPECT_EQ(timelines.launches_since({0}), 3u);
  EXPECT_EQ(timelines.launches_since({12}), 1u);
  EXPECT_EQ(timelines.launches_since({79}), 0u);
}

RC_GTEST_PROP(Timelines, widening_keeps_the_mean_of_all_samples_of_a_slot,
              (std::vector<std::uint16_t> gaps, std::vector<std::uint16_t> values)) {
  Timelines timelines{4, Ticks{1}, 1};
  const TimelineId id = timelines.open();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> samples;
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < std::min(gaps.size(), values.size()); ++i) {
    now += gaps[i];
    add(timelines, id, now, values[i]);
    samples.emplace_back(now, values[i]);
  }
  const auto means = timelines.means(id, {now});
  RC_ASSERT(means.size() <= 4u);
  for (std::size_t slot = 0; slot < means.size(); ++slot) {
    std::uint64_t sum = 0, count = 0;
    for (const auto& [at, value] : samples) {
      if (at / timelines.slot().n != slot) continue;
      sum += value;
      ++count;
    }
    if (count > 0) RC_ASSERT(means[slot] == Words{sum / count});
  }
}

}  // namespace
}  // namespace umrt
