// SPDX-License-Identifier: Apache-2.0
#include "telemetry/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "telemetry/graphs.h"
#include "telemetry/text_table.h"
#include "unit/telemetry/example_report.h"

namespace umrt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TextReport, without_measured_runs_says_how_to_get_them) {
  ReportModel model = test::example_report();
  model.comparison.clear();
  EXPECT_THAT(to_text(model), HasSubstr("`umrt demo` measures it"));
}

TEST(TextReport, without_findings_says_that_nothing_is_to_change) {
  ReportModel model = test::example_report();
  model.findings.clear();
  EXPECT_THAT(to_text(model), HasSubstr("Nothing: no finding"));
}

TEST(TextReport, of_a_run_that_did_nothing_is_whole) {
  ReportModel model;
  model.run.policy = "lru";
  const std::string text = to_text(model);
  EXPECT_THAT(text, HasSubstr("no kernel ran"));
  EXPECT_THAT(text, HasSubstr("fits in the 0 B of device memory"));
  EXPECT_THAT(text, HasSubstr("nothing copied in"));
  EXPECT_THAT(text, HasSubstr("RANGES  most bytes moved first\n  none\n"));
}

TEST(TextReport, has_the_heap_in_one_line) {
  ReportModel model;
  EXPECT_THAT(to_text(model), HasSubstr("HEAP\n  nothing allocated\n"));
  model.heap = {.used = 6_MiB, .reserved = 64_MiB, .free_run_max = 50_MiB, .fragmented = {138}};
  model.heap.small_allocations = 1'234;
  const std::string text = to_text(model);
  const std::string line = text.substr(text.rfind("\n", text.size() - 2) + 1);
  EXPECT_EQ(line, "  6.00 MiB  64.0 MiB     -          50.0 MiB        14 %  1,234           -             -\n");
}

TEST(TextReport, says_how_many_ranges_it_leaves_out) {
  EXPECT_THAT(to_text(test::example_report(), {.ranges_max = 2}), HasSubstr("and 3 more rows in the JSON report"));
}

TEST(TextReport, with_several_devices_has_a_row_for_each_that_held_part_of_a_range) {
  ReportModel model = test::example_report();
  EXPECT_THAT(to_text(model), Not(HasSubstr("on device 0")));
  model.devices.push_back(model.devices[0]);
  model.devices[1].ordinal = 1;
  for (ReportRange& range : model.ranges) {
    for (ReportSlot& slot : range.timeline) slot.resident.push_back(range.name == "edges" ? 100_MiB : 0_B);
  }
  const std::string text = to_text(model);
  EXPECT_THAT(text, HasSubstr("2 soft devices"));
  EXPECT_THAT(text, HasSubstr("    on device 0"));
  const std::size_t first = text.find("on device 1");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("on device 1", first + 1), std::string::npos) << "only edges was there";
}

TEST(TextReport, stalls_of_several_threads_are_a_share_of_their_time) {
  ReportModel model = test::example_report();
  model.totals.kernel = {1'000};
  model.totals.counters.stall = {1'000};
  model.run.workers = 4;
  EXPECT_THAT(to_text(model), HasSubstr("waited 25 % of it"));
}

TEST(TextReport, stays_within_the_page_with_large_numbers_and_long_names) {
  ReportModel model = test::example_report();
  for (ReportRange& range : model.ranges) {
    range.name = std::string(70, 'x') + range.name;
    range.bytes = 1023_MiB;
    range.counters.faults[1] = {4'000'000, 4'000'000};
    range.counters.refaults = 8'000'000;
    range.counters.bytes_in[0] = 1000_MiB;
    range.counters.bytes_out[2] = 1000_MiB;
    range.counters.prefetched_wasted = 1000_MiB;
    range.counters.stall = {123'000'000};
  }
  std::istringstream lines{to_text(model)};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), page_columns) << line;
}

TEST(TextReport, explains_each_rule_of_placement_once) {
  const std::string text = to_text(test::example_report());
  const std::string words = "device-high-performance: hot on the device\n";
  const std::size_t first = text.find(words);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(words, first + 1), std::string::npos);
}

}  // namespace
}  // namespace umrt
