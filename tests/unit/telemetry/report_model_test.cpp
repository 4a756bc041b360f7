// SPDX-License-Identifier: Apache-2.0
#include "telemetry/report_model.h"

#include <gtest/gtest.h>

#include "telemetry/columns.h"

namespace umrt {
namespace {

// Every figure that counter_columns can write gets a number of its own.
Counters numbered(std::uint64_t first) {
  Counters counters;
  std::uint64_t n = first;
  for (const auto& column : counter_columns()) {
    std::visit(
        [&](auto get) {
          if constexpr (std::is_reference_v<decltype(get(counters))>) {
            auto& figure = get(counters);
            if constexpr (requires { figure.n; }) {
              figure.n = static_cast<decltype(figure.n)>(n++);
            } else if constexpr (std::is_integral_v<std::remove_reference_t<decltype(figure)>>) {
              figure = static_cast<std::remove_reference_t<decltype(figure)>>(n++);
            }
          }
        },
        column.get);
  }
  for (auto& by_access : counters.faults) by_access = {n, n + 1};
  for (Bytes& bytes : counters.resident) bytes = {n++};
  return counters;
}

TEST(ReportModel, adding_counters_adds_every_figure) {
  Counters sum = numbered(100);
  add(sum, numbered(100));
  const Counters one = numbered(100);
  for (const auto& column : counter_columns()) {
    if (column.key == "last_use_ms" || column.key == "placement") continue;
    std::visit(
        [&](auto get) {
          Counters once = one;
          const auto figure = get(sum);
          if constexpr (std::is_same_v<std::remove_const_t<decltype(figure)>, Permille>) {
            return;  // a ratio is none of the figures that add up
          } else if constexpr (requires { figure.n; }) {
            EXPECT_EQ(figure.n, get(once).n * 2) << column.key;
          } else if constexpr (std::is_integral_v<std::remove_const_t<decltype(figure)>>) {
            EXPECT_EQ(figure, get(once) * 2) << column.key;
          }
        },
        column.get);
  }
  for (std::uint32_t p = 0; p < processors_max; ++p) {
    EXPECT_EQ(sum.faults[p][0], one.faults[p][0] * 2);
    EXPECT_EQ(sum.faults[p][1], one.faults[p][1] * 2);
    EXPECT_EQ(sum.resident[p].n, one.resident[p].n * 2);
  }
}

TEST(ReportModel, the_later_use_decides_last_use_and_placement) {
  Counters early, late;
  early.last_use = {5};
  early.placement = Reason::first_touch;
  late.last_use = {9};
  late.placement = Reason::device_shared;
  Counters sum = late;
  add(sum, early);
  EXPECT_EQ(sum.last_use, Ticks{9});
  EXPECT_EQ(sum.placement, Reason::device_shared);
  sum = early;
  add(sum, late);
  EXPECT_EQ(sum.placement, Reason::device_shared);
}

TEST(ReportModel, a_range_is_called_by_its_name_or_else_by_its_call_site) {
  ReportRange range;
  EXPECT_EQ(label_of(range), "unnamed");
  range.call_site = "main.cpp:7";
  EXPECT_EQ(label_of(range), "main.cpp:7");
  range.name = "edges";
  EXPECT_EQ(label_of(range), "edges");
}

TEST(ReportModel, the_row_of_a_run_has_the_totals_of_its_report) {
  ReportModel model;
  model.totals.elapsed = {7};
  model.totals.counters.bytes_in = {3_B, 4_B, 0_B, 0_B};
  model.totals.counters.faults[1] = {5, 6};
  model.totals.counters.faults[0] = {100, 100};
  const ComparisonRow row = comparison_row(model, "this run");
  EXPECT_EQ(row.label, "this run");
  EXPECT_EQ(row.elapsed, Ticks{7});
  EXPECT_EQ(row.bytes_in, 7_B);
  EXPECT_EQ(row.faults, 11u);
}

TEST(ReportModel, the_error_of_sampled_use_is_wilsons_interval_at_95_percent) {
  const auto use = [](std::uint64_t samples, std::uint64_t touched) {
    Counters counters;
    counters.samples = samples;
    counters.samples_touched = touched;
    const SampledUse made = sampled_use_of(counters);
    return std::pair(made.share.n, made.error.n);
  };
  using Permilles = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(use(0, 0), Permilles(0, 0));
  EXPECT_EQ(use(50, 25), Permilles(500, 134));
  EXPECT_EQ(use(10, 0), Permilles(0, 139));
  EXPECT_EQ(use(10, 10), Permilles(1000, 139));
  EXPECT_EQ(use(10'000, 100), Permilles(10, 2));
}

}  // namespace
}  // namespace umrt
