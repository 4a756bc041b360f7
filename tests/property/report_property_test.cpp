// SPDX-License-Identifier: Apache-2.0
// The report of a real engine's run: sums that agree, and findings that name what the program did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "policy/policies.h"
#include "support/model_device.h"
#include "telemetry/json_report.h"
#include "telemetry/recorder.h"

namespace umrt {
namespace {

using ::testing::HasSubstr;

RunFacts run_facts(Bytes budget, const PolicyRow& policy) {
  RunFacts run;
  run.policy = policy.name;
  run.fault_way = "move";
  run.copy_way = "process_vm";
  run.has_huge_pages = true;
  run.device_budgets = {budget};
  return run;
}

// A program on the model device, watched by a recorder as the service thread does it.
class WatchedRun {
 public:
  WatchedRun(Bytes budget, const PolicyRow& policy, std::uint64_t seed = 1)
      : recorder_{run_facts(budget, policy)}, model_{config(budget, policy), seed} {}

  RangeCreated create(const std::string& name, Bytes bytes, PageClass page_class = PageClass::page_2m) {
    RangeCreated created;
    created.at = model_.now();
    created.range = {next_};
    created.base = {(1_GiB).n * (1 + next_++)};
    created.bytes = bytes;
    created.page_class = page_class;
    recorder_.range_created({created.range, created.base, bytes, page_class, name, "main.cpp:1", {}, created.at});
    model_.create(created);
    return created;
  }

  void access(ProcessorId processor, Address address, Access access) {
    model_.access(processor, 0, address, access);
    model_.run();
    for (; seen_ < model_.events().size(); ++seen_) {
      if (const auto* fault = std::get_if<Fault>(&model_.events()[seen_])) recorder_.fault(*fault);
    }
    const Ticks now = model_.now();
    if (now >= recorder_.next_sample()) recorder_.sample(snapshot_of(model_.engine(), 1), now);
  }

  void free(const RangeCreated& range) {
    recorder_.range_retired(*model_.engine().range_at(range.base), model_.now());
    model_.free(range.range);
    model_.run();
  }

  ReportModel report() { return recorder_.build(snapshot_of(model_.engine(), 1), model_.now()); }

 private:
  static EngineConfig config(Bytes budget, const PolicyRow& policy) {
    EngineConfig config;
    config.device_budgets = {budget};
    config.policy = policy.make;
    return config;
  }

  Recorder recorder_;
  model::ModelDevice model_;
  std::uint32_t next_ = 0;
  std::size_t seen_ = 0;
};

const PolicyRow& lru() { return *find_policy("lru"); }

TEST(ReportOfARun, names_the_range_that_is_swept_cyclically) {
  WatchedRun run{40_MiB, lru()};
  const RangeCreated edges = run.create("edges", 56_MiB);
  for (Bytes at; at < edges.bytes; at += 2_MiB) run.access(host_processor, edges.base + at, Access::write);
  for (int pass = 0; pass < 4; ++pass) {
    for (Bytes at; at < edges.bytes; at += 2_MiB) run.access(device_processor(0), edges.base + at, Access::read);
  }
  const ReportModel report = run.report();
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].rule, "cyclic-sweep");
  EXPECT_THAT(report.findings[0].text, HasSubstr("Range `edges` is swept cyclically and is 1.4 times the budget"));
  EXPECT_EQ(report.totals.bytes_in_once, 56_MiB);
  EXPECT_EQ(report.totals.device_working_set, 56_MiB);
  EXPECT_LE(report.devices[0].peak, 40_MiB);
}

TEST(ReportOfARun, that_fits_has_nothing_to_change) {
  WatchedRun run{40_MiB, lru()};
  const RangeCreated edges = run.create("edges", 32_MiB);
  for (int pass = 0; pass < 4; ++pass) {
    for (Bytes at; at < edges.bytes; at += 2_MiB) run.access(device_processor(0), edges.base + at, Access::write);
  }
  const ReportModel report = run.report();
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].text;
  ASSERT_FALSE(report.ranges[0].timeline.empty());
  EXPECT_EQ(report.ranges[0].timeline.back().resident[0], 0_B);
}

TEST(ReportOfARun, names_the_range_that_goes_to_and_fro) {
  WatchedRun run{40_MiB, lru()};
  const RangeCreated ranks = run.create("ranks", 8_MiB);
  for (int turn = 0; turn < 8; ++turn) {
    for (const ProcessorId processor : {host_processor, device_processor(0)}) {
      for (Bytes at; at < ranks.bytes; at += 2_MiB) run.access(processor, ranks.base + at, Access::write);
    }
  }
  const std::vector<Finding> found = run.report().findings;
  const auto is_it = [](const Finding& finding) { return finding.rule == "ping-pong" && finding.range == "ranks"; };
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), is_it));
}

RC_GTEST_PROP(ReportOfARun, its_ranges_add_up_to_its_totals_and_it_survives_json, (std::uint64_t seed)) {
  std::mt19937_64 random{seed};
  const PolicyRow& policy = policies()[random() % policies().size()];
  WatchedRun run{8_MiB, policy, seed};
  std::vector<RangeCreated> live;
  for (int step = 0; step < 60; ++step) {
    if (live.size() < 3) {
      constexpr PageClass classes[] = {PageClass::page_4k, PageClass::page_64k, PageClass::page_2m};
      live.push_back(run.create("r" + std::to_string(random() % 4), 4_MiB, classes[random() % 3]));
    }
    const std::size_t chosen = random() % live.size();
    const RangeCreated& range = live[chosen];
    if (random() % 20 == 0) {
      run.free(range);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(chosen));
      continue;
    }
    const ProcessorId processor = random() % 3 == 0 ? host_processor : device_processor(0);
    run.access(processor, range.base + Bytes{random() % range.bytes.n},
               random() % 2 == 0 ? Access::read : Access::write);
  }

  const ReportModel report = run.report();
  Counters sum;
  for (const ReportRange& range : report.ranges) add(sum, range.counters);
  const Counters& total = report.totals.counters;
  RC_ASSERT(total_of(sum.bytes_in) == total_of(total.bytes_in));
  RC_ASSERT(total_of(sum.bytes_out) == total_of(total.bytes_out));
  RC_ASSERT(device_faults_of(sum) == device_faults_of(total));
  RC_ASSERT(sum.refaults == total.refaults);
  RC_ASSERT(sum.stall == total.stall);
  RC_ASSERT(sum.resident[1] == total.resident[1]);
  RC_ASSERT(report.totals.bytes_in_once <= total_of(total.bytes_in));
  const Result<ReportModel> again = report_from_json(to_json(report));
  RC_ASSERT(again.has_value());
  RC_ASSERT(to_json(*again) == to_json(report));
}

}  // namespace
}  // namespace umrt
