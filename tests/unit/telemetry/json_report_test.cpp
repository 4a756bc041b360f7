// SPDX-License-Identifier: Apache-2.0
#include "telemetry/json_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "telemetry/columns.h"
#include "telemetry/text_report.h"
#include "unit/telemetry/example_report.h"

namespace umrt {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json example() { return Json::parse(to_json(test::example_report())); }

std::string problem_of(const Json& json) {
  const Result<ReportModel> model = report_from_json(json.dump());
  if (model) return "";
  EXPECT_EQ(model.error().code, UMRT_ERROR_INVALID_VALUE);
  return model.error().detail;
}

TEST(JsonReport, comes_back_as_it_was_written) {
  const ReportModel model = test::example_report();
  const std::string json = to_json(model);
  const Result<ReportModel> again = report_from_json(json);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(to_json(*again), json);
  EXPECT_EQ(to_text(*again), to_text(model));
}

TEST(JsonReport, keeps_every_hint) {
  ReportModel model = test::example_report();
  Hints& hints = model.ranges[0].hints;
  hints.preferred = host_processor;
  hints.preferred_node = 1;
  hints.accessed_by = 2;
  hints.pattern = AccessPattern::streaming;
  hints.is_read_mostly = true;
  hints.is_discardable = true;
  const Result<ReportModel> again = report_from_json(to_json(model));
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->ranges[0].hints, hints);
  EXPECT_EQ(again->ranges[1].hints, Hints{});
}

TEST(JsonReport, totals_have_the_agreed_keys_as_numbers) {
  const Json totals = example().at("totals");
  for (const char* key : {"budget_bytes",       "peak_bytes",
                          "faults_host",        "faults_device",
                          "bytes_in",           "bytes_out",
                          "bytes_in_demand",    "bytes_in_prefetch",
                          "bytes_in_user",      "bytes_out_demand",
                          "bytes_out_eviction", "bytes_out_user",
                          "prefetched_bytes",   "prefetched_wasted_bytes",
                          "refaults",           "evictions",
                          "stall_ms",           "transfer_ms",
                          "kernel_ms",          "elapsed_ms"}) {
    ASSERT_TRUE(totals.contains(key)) << key;
    EXPECT_TRUE(totals.at(key).is_number()) << key;
  }
}

TEST(JsonReport, has_schema_version_1_and_all_parts) {
  const Json json = example();
  EXPECT_EQ(json.at("schema_version"), 1);
  EXPECT_TRUE(json.at("run").is_object());
  EXPECT_TRUE(json.at("totals").is_object());
  for (const char* list : {"devices", "ranges", "comparison", "findings"}) {
    EXPECT_TRUE(json.at(list).is_array()) << list;
    EXPECT_FALSE(json.at(list).empty()) << list;
  }
  for (const Json& range : json.at("ranges")) {
    for (const auto& column : range_columns()) EXPECT_TRUE(range.contains(column.key)) << column.key;
    for (const auto& column : counter_columns()) EXPECT_TRUE(range.contains(column.key)) << column.key;
    for (const Json& slot : range.at("timeline_bytes")) EXPECT_TRUE(slot.is_null() || slot.size() == 3) << slot;
  }
}

TEST(JsonReport, has_the_heap_as_bytes_counts_and_a_ratio) {
  ReportModel model;
  model.heap = {.used = 6_MiB,
                .reserved = 64_MiB,
                .cached = 1_MiB,
                .free_run_max = 50_MiB,
                .fragmented = {138},
                .small_allocations = 300,
                .small_bytes = 5_KiB,
                .small_ranges = 128_KiB};
  const Json wanted = {{"used_bytes", (6_MiB).n},
                       {"reserved_bytes", (64_MiB).n},
                       {"cached_bytes", (1_MiB).n},
                       {"largest_free_run_bytes", (50_MiB).n},
                       {"external_fragmentation_ratio", 0.138},
                       {"small_allocations", 300},
                       {"small_allocations_bytes", (5_KiB).n},
                       {"small_ranges_bytes", (128_KiB).n}};
  EXPECT_EQ(Json::parse(to_json(model)).at("heap"), wanted);
}

TEST(JsonReport, an_empty_run_has_empty_lists) {
  const Json json = Json::parse(to_json(ReportModel{}));
  for (const char* list : {"devices", "ranges", "comparison", "findings"}) EXPECT_EQ(json.at(list), Json::array());
  EXPECT_TRUE(report_from_json(to_json(ReportModel{})));
}

TEST(JsonReport, survives_a_name_that_is_no_utf8) {
  ReportModel model;
  model.ranges.emplace_back().name = "bad \xff name";
  EXPECT_THAT(to_json(model), HasSubstr("bad \xEF\xBF\xBD name"));
}

TEST(JsonReport, says_what_is_wrong_with_a_text) {
  EXPECT_THAT(report_from_json("{").error().detail, HasSubstr("not a placement report"));
  EXPECT_THAT(problem_of(Json::array()), HasSubstr("not a placement report"));

  Json json = example();
  json["schema_version"] = 2;
  EXPECT_THAT(problem_of(json), HasSubstr("schema_version is 2"));

  json = example();
  json["totals"].erase("refaults");
  EXPECT_THAT(problem_of(json), HasSubstr("refaults"));

  json = example();
  json["totals"]["evictions"] = -3;
  EXPECT_THAT(problem_of(json), HasSubstr("-3"));

  json = example();
  json["totals"]["stall_ms"] = -0.5;
  EXPECT_THAT(problem_of(json), HasSubstr("-0.5"));

  json = example();
  json["ranges"][0]["page_class_bytes"] = 5;
  EXPECT_THAT(problem_of(json), HasSubstr("65536"));

  json = example();
  json["heap"]["external_fragmentation_ratio"] = 1.5;
  EXPECT_THAT(problem_of(json), HasSubstr("1.5"));

  json = example();
  json["ranges"][0]["placement"] = "by-magic";
  EXPECT_THAT(problem_of(json), HasSubstr("by-magic"));

  json = example();
  json["ranges"][0]["hint_values"]["preferred_processor"] = 300;
  EXPECT_THAT(problem_of(json), HasSubstr("preferred_processor"));

  json = example();
  json["ranges"][0]["timeline_bytes"][0] = Json::array({1});
  EXPECT_NE(problem_of(json), "");
}

}  // namespace
}  // namespace umrt
