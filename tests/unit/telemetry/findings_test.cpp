// SPDX-License-Identifier: Apache-2.0
// For each rule a report that makes it speak, and the nearest one that does not.
#include "telemetry/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace umrt {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t demand = 0, prefetch = 1, user = 3;
constexpr Ticks second{1'000'000'000};

// A run on 1 GiB that gives no rule a reason to speak.
ReportModel quiet() {
  ReportModel model;
  model.run.fault_way = "move";
  model.run.has_huge_pages = true;
  model.devices.resize(1);
  model.totals.budget = 1_GiB;
  model.totals.elapsed = Ticks{second.n * 10};
  return model;
}

ReportRange used_range(const std::string& name, Bytes bytes) {
  ReportRange range;
  range.name = name;
  range.bytes = bytes;
  range.counters.bytes_in[demand] = bytes;
  range.bytes_in_once = bytes;
  range.counters.faults[1] = {100, 0};
  range.counters.stall = second;
  range.counters.transfer = second;
  range.counters.last_use = Ticks{second.n * 9};
  return range;
}

struct Case {
  std::string rule;
  std::function<void(ReportModel&)> speaks, then_silent;
  std::vector<std::string> words;  // in the sentence
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.rule; }

ReportRange swept(Bytes bytes) {
  ReportRange range = used_range("edges", bytes);
  range.counters.bytes_in[demand] = bytes * 5;
  range.counters.refaults = 1000;
  range.walk = {.steps_ahead = 1000, .steps_back = 4, .steps_other = 10};
  return range;
}

ReportRange shared_range(std::uint64_t faults) {
  ReportRange range = used_range("small allocations of 256 bytes", 64_KiB);
  range.page_class = PageClass::page_64k;
  range.is_shared = true;
  range.counters.faults[1] = {faults, 0};
  return range;
}

const std::vector<Case> cases{
    {"data-lost",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("ranks", 1_MiB)), m.ranges[0].counters.data_lost_granules = 3;
     },
     [](ReportModel& m) { m.ranges[0].counters.data_lost_granules = 0; },
     {"`ranks`", "3 granules", "umrt_device_reset"}},
    {"cyclic-sweep",
     [](ReportModel& m) { m.ranges.push_back(swept(1434_MiB)); },
     [](ReportModel& m) { m.ranges[0].walk = {.steps_ahead = 300, .steps_back = 4, .steps_other = 700}; },
     {"`edges` is swept cyclically and is 1.4 times the budget", "7.00 GiB", "UMRT_ADVISE_SEQUENTIAL", "410 MiB more"}},
    {"random-in-2m",
     [](ReportModel& m) {
       m.ranges.push_back(swept(600_MiB));
       m.ranges[0].walk = {.steps_ahead = 100, .steps_back = 300, .steps_other = 600};
     },
     [](ReportModel& m) { m.ranges[0].page_class = PageClass::page_64k; },
     {"`edges`", "at random", "UMRT_PAGE_CLASS_64K"}},
    {"random-in-2m",
     [](ReportModel& m) {
       m.ranges.push_back(swept(20_MiB));
       m.ranges[0].hints.pattern = AccessPattern::random;
     },
     [](ReportModel& m) { m.ranges[0].hints.pattern = AccessPattern::sequential; },
     {"`edges`", "UMRT_PAGE_CLASS_64K, so that"}},
    {"streamed-once",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("input", 800_MiB));
       m.ranges[0].walk.steps_ahead = 400;
       m.totals.counters.refaults = 10;
       m.totals.counters.stall = second;
       m.totals.counters.bytes_in[demand] = 2_GiB;
     },
     [](ReportModel& m) { m.ranges[0].hints.pattern = AccessPattern::streaming; },
     {"`input`", "once", "UMRT_ADVISE_STREAMING"}},
    {"wasted-prefetch",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("parents", 256_MiB));
       m.ranges[0].counters.prefetched = 200_MiB;
       m.ranges[0].counters.prefetched_wasted = 90_MiB;
       m.ranges[0].counters.bytes_in[prefetch] = 200_MiB;
     },
     [](ReportModel& m) { m.ranges[0].counters.prefetched_wasted = 40_MiB; },
     {"45 %", "`parents`", "90.0 MiB", "UMRT_ADVISE_RANDOM"}},
    {"ping-pong",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("ranks", 64_MiB));
       m.ranges[0].counters.bytes_in[demand] = 640_MiB;
       m.ranges[0].counters.bytes_out[demand] = 600_MiB;
       m.ranges[0].counters.faults[1] = {100, 100};
     },
     [](ReportModel& m) { m.ranges[0].counters.bytes_out[demand] = 64_MiB; },
     {"`ranks`", "640 MiB in", "600 MiB out", "umrt_prefetch_async"}},
    {"read-mostly",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("weights", 64_MiB));
       m.ranges[0].counters.faults[2] = {100, 0};
       m.ranges[0].counters.bytes_peer[demand] = 128_MiB;
     },
     [](ReportModel& m) { m.ranges[0].hints.is_read_mostly = true; },
     {"`weights`", "2 devices", "128 MiB", "UMRT_ADVISE_SET_READ_MOSTLY"}},
    {"thrashing",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("queue", 64_MiB));
       m.ranges[0].counters.thrashing_holds = 40;
     },
     [](ReportModel& m) { m.ranges[0].counters.thrashing_holds = 2; },
     {"`queue`", "40 times", "UMRT_ADVISE_SET_PREFERRED_LOCATION"}},
    {"short-budget",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("edges", 1_GiB));
       m.totals.device_working_set = 1536_MiB;
       m.totals.counters.refaults = 12'345;
     },
     [](ReportModel& m) { m.totals.counters.refaults = 0; },
     {"1.50 GiB", "512 MiB too little", "12,345", "UMRT_DEVICE_BUDGET=1552MiB"}},
    {"idle",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("input", 400_MiB));
       m.ranges[0].counters.resident[1] = 300_MiB;
       m.ranges[0].counters.last_use = second;
       m.ranges[0].counters.samples = 5;
       m.ranges[0].launches_since_use = 120;
       m.totals.launches = 132;
       m.totals.counters.refaults = 5;
     },
     [](ReportModel& m) { m.ranges[0].counters.samples_touched = 5; },
     {"`input` is idle since launch 12 of 132 at the latest", "120 launches", "300 MiB of device memory", "Free it",
      "UMRT_ADVISE_SET_DISCARDABLE"}},
    {"small-allocations",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("node", 4_MiB));
       m.ranges[0].count = 1'024;
     },
     [](ReportModel& m) { m.ranges[0].count = 32; },
     {"1,024 allocations of 4.00 KiB", "`node`", "one range"}},
    {"small-allocations",
     [](ReportModel& m) {
       m.ranges.push_back(shared_range(100));
       m.heap.small_allocations = 256;
       m.heap.small_bytes = 4_KiB;
       m.heap.small_ranges = 64_KiB;
     },
     [](ReportModel& m) { m.heap.small_allocations = 255; },
     {"256 small allocations (4.00 KiB) share 64.0 KiB of pages", "`small allocations of 256 bytes`",
      "64.0 KiB were copied, and kernels faulted 100 times", "Use one allocation"}},
    {"pinned",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("buffer", 64_MiB));
       m.ranges[0].counters.evictions_pinned = 200;
       m.totals.counters.evictions_pinned = 200;
       m.totals.counters.evictions = 1'000;
     },
     [](ReportModel& m) { m.totals.counters.evictions_pinned = 3; },
     {"200 evictions", "`buffer`", "mlock"}},
    {"system-calls",
     [](ReportModel& m) { m.run.serves_system_calls = false; },
     [](ReportModel& m) { m.run.serves_system_calls = true; },
     {"read(2)", "/dev/userfaultfd"}},
    {"no-huge-pages",
     [](ReportModel& m) {
       m.ranges.push_back(used_range("edges", 64_MiB));
       m.run.has_huge_pages = false;
     },
     [](ReportModel& m) { m.run.fault_way = "copy"; },
     {"huge pages", "transparent_hugepage"}},
};

class FindingRuleTest : public ::testing::TestWithParam<Case> {};

TEST_P(FindingRuleTest, speaks_when_it_should_and_is_silent_otherwise) {
  ReportModel model = quiet();
  EXPECT_TRUE(findings(model).empty());
  GetParam().speaks(model);
  const std::vector<Finding> found = findings(model);
  ASSERT_EQ(found.size(), 1u) << (found.size() > 1 ? found[1].text : "");
  EXPECT_EQ(found[0].rule, GetParam().rule);
  for (const std::string& word : GetParam().words) EXPECT_THAT(found[0].text, HasSubstr(word));
  GetParam().then_silent(model);
  for (const Finding& finding : findings(model)) EXPECT_NE(finding.rule, GetParam().rule) << finding.text;
}

INSTANTIATE_TEST_SUITE_P(Each, FindingRuleTest, ::testing::ValuesIn(cases), [](const auto& test) {
  std::string name = test.param.rule;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_" + std::to_string(test.index);  // a rule may have several cases
});

TEST(Findings, every_rule_has_a_case) {
  for (const FindingRule& rule : finding_rules()) {
    const auto is_it = [&rule](const Case& c) { return c.rule == rule.name; };
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), is_it)) << rule.name;
  }
}

TEST(Findings, are_at_most_five_and_the_one_that_gains_most_comes_first) {
  ReportModel model = quiet();
  for (std::uint64_t i = 1; i <= 8; ++i) {
    ReportRange range = swept(600_MiB);
    range.name = "r" + std::to_string(i);
    range.counters.stall = Ticks{second.n * i};
    model.ranges.push_back(range);
  }
  const std::vector<Finding> found = findings(model);
  ASSERT_EQ(found.size(), findings_max);
  EXPECT_EQ(found[0].range, "r8");
  EXPECT_EQ(found[4].range, "r4");
}

TEST(Findings, name_a_range_once) {
  ReportModel model = quiet();
  model.ranges.push_back(swept(1434_MiB));
  model.ranges[0].counters.thrashing_holds = 100;
  EXPECT_EQ(findings(model).size(), 1u);
}

TEST(Findings, a_sweep_that_is_hinted_already_is_not_told_to_hint) {
  ReportModel model = quiet();
  model.ranges.push_back(swept(800_MiB));
  model.ranges[0].hints.pattern = AccessPattern::sequential;
  const std::vector<Finding> found = findings(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("which it shares with others"));
  EXPECT_THAT(found[0].text, ::testing::Not(HasSubstr("UMRT_ADVISE_SEQUENTIAL")));
}

TEST(Findings, a_prefetch_that_the_application_asked_for_is_its_own_to_change) {
  ReportModel model = quiet();
  model.ranges.push_back(used_range("parents", 256_MiB));
  model.ranges[0].counters.bytes_in = {};
  model.ranges[0].counters.bytes_in[user] = 200_MiB;
  model.ranges[0].counters.prefetched = 200_MiB;
  model.ranges[0].counters.prefetched_wasted = 150_MiB;
  ASSERT_EQ(findings(model).size(), 1u);
  EXPECT_THAT(findings(model)[0].text, HasSubstr("Call umrt_prefetch_async later"));
}

TEST(Findings, read_on_both_sides_asks_for_a_copy_on_each) {
  ReportModel model = quiet();
  model.ranges.push_back(used_range("table", 64_MiB));
  model.ranges[0].counters.bytes_in[demand] = 640_MiB;
  model.ranges[0].counters.bytes_out[demand] = 640_MiB;
  model.ranges[0].counters.faults[0] = {90, 10};
  const std::vector<Finding> found = findings(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("UMRT_ADVISE_SET_READ_MOSTLY"));
}

TEST(Findings, a_range_that_no_launch_used_is_idle_since_before_the_first) {
  ReportModel model = quiet();
  model.ranges.push_back(used_range("input", 400_MiB));
  model.ranges[0].counters.last_use = second;
  model.ranges[0].launches_since_use = 40;
  model.totals.launches = 40;
  const std::vector<Finding> found = findings(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("idle since before the first launch: the last 40 launches"));
  EXPECT_THAT(found[0].text, HasSubstr("400 MiB of host memory"));
}

ReportModel with_small_allocations() {
  ReportModel model = quiet();
  model.heap.small_allocations = 10'000;
  return model;
}

TEST(Findings, small_allocations_that_no_kernel_waits_for_are_fine) {
  ReportModel model = with_small_allocations();
  EXPECT_TRUE(findings(model).empty());
  model.ranges.push_back(shared_range(0));  // copied by request
  EXPECT_TRUE(findings(model).empty());
  model.ranges[0] = shared_range(100);
  model.ranges[0].counters.stall = {};
  EXPECT_TRUE(findings(model).empty());
  model.ranges[0] = shared_range(100);
  model.ranges[0].is_shared = false;
  EXPECT_TRUE(findings(model).empty());
}

TEST(Findings, small_allocations_are_one_finding_with_the_sums_of_all_sizes) {
  ReportModel model = with_small_allocations();
  for (const std::uint64_t seconds : {2u, 2u, 3u}) {  // two ranges of one size, the other waited for more than either
    model.ranges.push_back(shared_range(100 * seconds));
    model.ranges.back().name = seconds == 2 ? "small allocations of 512 bytes" : "small allocations of 768 bytes";
    model.ranges.back().counters.stall = Ticks{second.n * seconds};
  }
  const std::vector<Finding> found = findings(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("192 KiB were copied, and kernels faulted 700 times"));
  EXPECT_THAT(found[0].text, HasSubstr("waited most for `small allocations of 512 bytes`"));
  EXPECT_EQ(found[0].gain, (Ticks{second.n * 7}));
}

TEST(Findings, many_shared_ranges_are_not_taken_for_allocations_of_their_own) {
  ReportModel model = quiet();
  model.ranges.push_back(shared_range(100));
  model.ranges[0].count = 1'000;
  EXPECT_TRUE(findings(model).empty());
}

}  // namespace
}  // namespace umrt
