// SPDX-License-Identifier: Apache-2.0
#include "telemetry/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

namespace umrt {
namespace {

constexpr Ticks ms(std::uint64_t n) { return {n * 1'000'000}; }

RunFacts one_device() {
  RunFacts run;
  run.policy = "lru";
  run.device_budgets = {64_MiB};
  return run;
}

// A recorder, and the engine's side of it as plain data.
class RecorderTest : public ::testing::Test {
 protected:
  void start(RecorderLimits limits = {}, RunFacts run = one_device()) {
    snapshot_.devices.clear();
    for (std::uint32_t d = 0; d < run.device_budgets.size(); ++d) {
      snapshot_.devices.push_back({device_processor(d), run.device_budgets[d], 0_B, 0_B});
    }
    recorder_.emplace(std::move(run), limits);
  }

  Counters& create(std::uint32_t id, Bytes bytes, const std::string& name, Ticks at = {}) {
    const Address base{(1_GiB).n * id};
    Counters& counters = counters_.emplace_back();
    recorder_->range_created({{id}, base, bytes, PageClass::page_2m, name, "site.cpp:1", {}, at});
    snapshot_.ranges.push_back({{id}, base, round_up(bytes, 2_MiB), PageClass::page_2m, {}, at, &counters});
    return counters;
  }

  void retire(std::uint32_t id, Ticks at) {
    const auto view = std::find_if(snapshot_.ranges.begin(), snapshot_.ranges.end(),
                                   [id](const RangeView& v) { return v.range.n == id; });
    recorder_->range_retired(*view, at);
    snapshot_.ranges.erase(view);
  }

  ReportModel build(Ticks now) const { return recorder_->build(snapshot_, now); }

  std::optional<Recorder> recorder_;
  EngineSnapshot snapshot_;
  std::deque<Counters> counters_;
};

TEST_F(RecorderTest, a_live_range_has_its_identity_counters_and_timeline) {
  start();
  Counters& counters = create(3, 10_MiB, "edges", ms(1));
  counters.resident[1] = 4_MiB;
  recorder_->sample(snapshot_, ms(1));
  counters.resident[1] = 8_MiB;
  counters.refaults = 7;
  recorder_->sample(snapshot_, ms(3));

  const ReportModel model = build(ms(4));
  ASSERT_EQ(model.ranges.size(), 1u);
  const ReportRange& range = model.ranges[0];
  EXPECT_EQ(range.name, "edges");
  EXPECT_EQ(range.call_site, "site.cpp:1");
  EXPECT_EQ(range.bytes, 10_MiB);
  EXPECT_EQ(range.counters.refaults, 7u);
  EXPECT_TRUE(range.is_live);
  ASSERT_EQ(range.timeline.size(), 5u);
  EXPECT_FALSE(range.timeline[0].is_known);
  EXPECT_EQ(range.timeline[1].resident[1], 4_MiB);
  EXPECT_EQ(range.timeline[2].resident[1], 4_MiB) << "what is not sampled is unchanged";
  EXPECT_EQ(range.timeline[3].resident[1], 8_MiB);
}

TEST_F(RecorderTest, samples_thin_out_as_the_run_grows) {
  start();
  create(0, 2_MiB, "a");
  std::uint64_t samples = 0;
  for (std::uint64_t now = 0; now < 3'600'000; now += 10) {
    if (ms(now) < recorder_->next_sample()) continue;
    recorder_->sample(snapshot_, ms(now));
    ++samples;
  }
  EXPECT_LT(samples, 5'000u) << "of 360,000 chances";
  EXPECT_LE(build(ms(3'600'000)).ranges[0].timeline.size(), RecorderLimits{}.slots_max);
}

TEST_F(RecorderTest, a_freed_range_stays_in_the_report_with_its_last_figures) {
  start();
  Counters& counters = create(0, 4_MiB, "tmp");
  counters.resident[1] = 4_MiB;
  counters.bytes_in[0] = 12_MiB;
  recorder_->sample(snapshot_, ms(1));
  retire(0, ms(2));
  recorder_->sample(snapshot_, ms(50));
  const ReportModel model = build(ms(60));
  ASSERT_EQ(model.ranges.size(), 1u);
  EXPECT_FALSE(model.ranges[0].is_live);
  EXPECT_EQ(model.ranges[0].retired, ms(2));
  EXPECT_EQ(model.ranges[0].bytes_in_once, 4_MiB);
  EXPECT_EQ(model.ranges[0].counters.resident[1], 0_B);
  EXPECT_EQ(model.ranges[0].timeline.size(), 3u) << "ends when the range does";
  EXPECT_EQ(model.totals.bytes_in_once, 4_MiB);
}

TEST_F(RecorderTest, a_range_id_is_used_again_after_it_was_retired) {
  start();
  create(0, 4_MiB, "first");
  retire(0, ms(1));
  create(0, 2_MiB, "second", ms(2));
  const ReportModel model = build(ms(3));
  ASSERT_EQ(model.ranges.size(), 2u);
  EXPECT_EQ(model.ranges[0].name, "first");
  EXPECT_EQ(model.ranges[1].name, "second");
  EXPECT_EQ(model.totals.ranges, 2u);
}

TEST_F(RecorderTest, a_range_that_the_engine_still_releases_is_left_out) {
  start();
  create(0, 4_MiB, "gone");
  const RangeView still_there = snapshot_.ranges[0];
  retire(0, ms(1));
  snapshot_.ranges.push_back(still_there);
  recorder_->sample(snapshot_, ms(2));
  EXPECT_EQ(build(ms(3)).ranges.size(), 1u);
}

TEST_F(RecorderTest, of_retired_ranges_the_largest_stay_whole_and_the_rest_is_summed_up_by_label) {
  start({.retired_max = 2});
  for (std::uint32_t i = 0; i < 6; ++i) {
    create(i, Bytes{(1_MiB).n * (i + 1)}, i % 2 == 0 ? "even" : "odd").refaults = 1;
    retire(i, ms(i));
  }
  const ReportModel model = build(ms(9));
  std::multiset<std::string> rows;
  for (const ReportRange& range : model.ranges) {
    EXPECT_EQ(range.counters.refaults, range.count);
    rows.insert(range.name + " x " + std::to_string(range.count) + ", MiB " + std::to_string(range.bytes / 1_MiB));
  }
  EXPECT_EQ(rows,
            (std::multiset<std::string>{"even x 1, MiB 5", "even x 2, MiB 4", "odd x 1, MiB 6", "odd x 2, MiB 6"}));
}

TEST_F(RecorderTest, labels_beyond_the_limit_share_one_row) {
  start({.retired_max = 0, .labels_max = 3});
  for (std::uint32_t i = 0; i < 10; ++i) {
    create(i, 1_MiB, "name " + std::to_string(i));
    retire(i, ms(i));
  }
  const ReportModel model = build(ms(20));
  ASSERT_EQ(model.ranges.size(), 3u);
  EXPECT_EQ(model.ranges[0].name, "(other ranges)");
  EXPECT_EQ(model.ranges[0].count, 8u);
}

TEST_F(RecorderTest, a_report_of_many_live_ranges_has_the_busiest_one_by_one) {
  start({.report_ranges_max = 2});
  for (std::uint32_t i = 0; i < 5; ++i) create(i, 2_MiB, "n").bytes_in[0] = Bytes{(1_MiB).n * i};
  const ReportModel model = build(ms(1));
  ASSERT_EQ(model.ranges.size(), 3u);
  EXPECT_EQ(model.ranges[0].counters.bytes_in[0], 4_MiB);
  EXPECT_EQ(model.ranges[1].count, 3u) << "0, 1 and 2 MiB";
  EXPECT_EQ(model.ranges[2].counters.bytes_in[0], 3_MiB);
}

TEST_F(RecorderTest, a_larger_range_takes_the_timeline_of_the_smallest) {
  start({.ranges_followed_max = 1});
  create(0, 2_MiB, "small");
  create(1, 8_MiB, "large");
  create(2, 4_MiB, "middle");
  recorder_->sample(snapshot_, ms(0));
  for (const ReportRange& range : build(ms(1)).ranges) EXPECT_EQ(range.timeline.empty(), range.name != "large");
}

TEST_F(RecorderTest, launches_are_counted_and_timed_by_device) {
  RunFacts run = one_device();
  run.device_budgets = {8_MiB, 8_MiB};
  start({}, run);
  recorder_->launch_ended(device_processor(0), ms(1), ms(4), 1);
  recorder_->launch_ended(device_processor(1), ms(2), ms(7), 1);
  recorder_->launch_ended(device_processor(1), ms(8), ms(9), 2);
  const ReportModel model = build(ms(10));
  ASSERT_EQ(model.devices.size(), 2u);
  EXPECT_EQ(model.devices[0].launches, 1u);
  EXPECT_EQ(model.devices[0].kernel, ms(3));
  EXPECT_EQ(model.devices[1].launches, 2u);
  EXPECT_EQ(model.devices[1].kernel, ms(6));
  EXPECT_EQ(model.totals.launches, 3u);
  EXPECT_EQ(model.totals.kernel, ms(9));
  EXPECT_EQ(model.totals.budget, 16_MiB);
}

TEST_F(RecorderTest, knows_how_many_launches_did_not_use_a_range) {
  start();
  Counters& counters = create(0, 2_MiB, "idle");
  counters.last_use = ms(3);
  for (std::uint64_t i = 0; i < 20; ++i) recorder_->launch_ended(device_processor(0), ms(i), ms(i) + Ticks{1000}, 1);
  EXPECT_EQ(build(ms(30)).ranges[0].launches_since_use, 16u);
}

TEST_F(RecorderTest, faults_of_kernels_tell_how_a_range_is_walked_through) {
  start();
  create(0, 64_MiB, "a");
  create(1, 64_MiB, "b");
  for (std::uint64_t at = 0; at < 32; ++at) {
    recorder_->fault({ms(1), device_processor(0), Access::read, false, 0, Address{(1_GiB).n + (2_MiB).n * at}});
    recorder_->fault({ms(1), host_processor, Access::read, false, 0, Address{(2_MiB).n * at}});
  }
  recorder_->fault({ms(1), device_processor(0), Access::read, false, 0, Address{(900_MiB).n}});  // in no range
  for (const ReportRange& range : build(ms(2)).ranges) {
    EXPECT_EQ(range.walk.steps_ahead, range.name == "b" ? 31u : 0u);
    EXPECT_EQ(range.walk.steps_other, 0u);
  }
}

TEST_F(RecorderTest, remembers_the_peaks_of_footprint_and_working_set) {
  start();
  create(0, 10_MiB, "a").bytes_in[0] = 2_MiB;
  create(1, 20_MiB, "b");
  recorder_->sample(snapshot_, ms(1));
  retire(0, ms(2));
  const ReportModel model = build(ms(3));
  EXPECT_EQ(model.totals.footprint_peak, 30_MiB);
  EXPECT_EQ(model.totals.device_working_set, 10_MiB) << "no device has used b";
}

TEST_F(RecorderTest, shows_the_hints_that_were_advised_last) {
  start();
  create(0, 2_MiB, "a");
  Hints hints;
  hints.is_read_mostly = true;
  recorder_->range_advised({0}, hints);
  EXPECT_EQ(build(ms(1)).ranges[0].hints, hints);
}

TEST_F(RecorderTest, the_heap_is_in_the_report_and_findings_know_it) {
  start();
  Counters& counters = create(0, 64_KiB, "own");
  recorder_->range_created({.range = {1},
                            .base = {(1_GiB).n},
                            .bytes = 64_KiB,
                            .name = "small",
                            .call_site = {},
                            .hints = {},
                            .created = {},
                            .is_shared = true});
  counters.faults[1] = {50, 0};
  counters.stall = ms(5);
  snapshot_.ranges.push_back({{1}, {(1_GiB).n}, 64_KiB, PageClass::page_64k, {}, {}, &counters});
  ReportHeap heap;
  heap.small_allocations = 1'000;
  const ReportModel model = recorder_->build(snapshot_, ms(10), heap);
  EXPECT_EQ(model.heap.small_allocations, 1'000u);
  for (const ReportRange& range : model.ranges) EXPECT_EQ(range.is_shared, range.name == "small") << range.name;
  ASSERT_EQ(model.findings.size(), 1u);
  EXPECT_EQ(model.findings[0].rule, "small-allocations");
  EXPECT_EQ(model.findings[0].range, "small");
}

TEST_F(RecorderTest, equal_runs_give_equal_reports) {
  const auto run = [this] {
    snapshot_.ranges.clear();
    start();
    for (std::uint32_t i = 0; i < 4; ++i) create(i, 2_MiB, "same");
    std::string order;
    for (const ReportRange& range : build(ms(1)).ranges) order += range.name + std::to_string(range.created.n);
    return order;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace umrt
