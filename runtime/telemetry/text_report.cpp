// SPDX-License-Identifier: Apache-2.0
#include "telemetry/text_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "telemetry/columns.h"
#include "telemetry/graphs.h"
#include "telemetry/human.h"
#include "telemetry/text_table.h"

namespace umrt {
namespace {

constexpr std::size_t sparkline_columns = 20;
constexpr std::size_t bar_columns = 20;

using Values = std::vector<std::optional<std::uint64_t>>;

std::string plural(std::uint64_t n, const std::string& noun) {
  return human_count(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string headline(const ReportModel& model, const Glyphs& glyphs) {
  const RunFacts& run = model.run;
  std::vector<std::string> parts{"umrt placement report"};
  if (!run.program.empty()) parts.push_back(run.program);
  parts.push_back(fmt::format("{} {}", model.devices.size(), run.device_kind) +
                  (model.devices.size() == 1 ? " device" : " devices"));
  parts.push_back("policy " + run.policy);
  parts.push_back(run.is_prefetching ? "prefetch on" : "prefetch off");
  if (!run.fault_way.empty()) parts.push_back("faults by " + run.fault_way);
  if (run.copy_way == "staged") parts.push_back("copies staged");
  if (run.has_huge_pages) parts.push_back("huge pages");
  std::string words;
  for (const std::string& part : parts) words += (words.empty() ? "" : std::string{glyphs.dot}) + part;
  return wrapped(words, "") + repeated(glyphs.line, page_columns) + '\n';
}

// What to know within five seconds; the filled part of each bar is what is well.
std::string essence(const ReportModel& model, const Glyphs& glyphs) {
  const ReportTotals& totals = model.totals;
  const auto row = [&](const char* name, std::uint64_t well, std::uint64_t whole, const std::string& words) {
    return wrapped(words, fmt::format("  {:<9}{}  ", name, bar(well, whole, bar_columns, glyphs)));
  };

  std::string data = fmt::format("{} in {}: ", human(totals.footprint_peak), plural(totals.ranges, "range"));
  data += totals.footprint_peak > totals.budget
              ? fmt::format("{} the {} of device memory", times(totals.footprint_peak.n, totals.budget.n),
                            human(totals.budget))
              : fmt::format("fits in the {} of device memory", human(totals.budget));

  const std::uint64_t thread_time = totals.kernel.n * std::max<std::uint64_t>(1, model.run.workers);
  const std::uint64_t stall = std::min(totals.counters.stall.n, thread_time);
  const std::string waiting =
      totals.launches == 0 ? fmt::format("no kernel ran in {}", human(totals.elapsed))
                           : fmt::format("kernels ran {} of {} and waited {} of it for data", human(totals.kernel),
                                         human(totals.elapsed), percent(stall, thread_time));

  const Bytes in = total_of(totals.counters.bytes_in);
  const Bytes out = total_of(totals.counters.bytes_out);
  const std::string traffic =
      in == Bytes{} ? fmt::format("nothing copied in, {} out", human(out))
                    : fmt::format("{} in, {} the least (each byte once, {}); {} out", human(in),
                                  times(in.n, totals.bytes_in_once.n), human(totals.bytes_in_once), human(out));

  return row("data", std::min(totals.budget.n, totals.footprint_peak.n), totals.footprint_peak.n, data) +
         row("waiting", thread_time - stall, thread_time, waiting) +
         row("traffic", totals.bytes_in_once.n, in.n, traffic) + '\n';
}

std::string what_to_change(const ReportModel& model) {
  std::string text = "WHAT TO CHANGE\n";
  if (model.findings.empty()) text += "  Nothing: no finding in these figures.\n";
  for (std::size_t i = 0; i < model.findings.size(); ++i) {
    text += wrapped(model.findings[i].text, fmt::format("  {}. ", i + 1));
  }
  return text + '\n';
}

template <class T>
void add_columns(TextTable& table, std::span<const Column<T>> columns) {
  for (const Column<T>& column : columns) {
    if (column.shown == Shown::table) table.add_column(std::string{column.heading}, is_text(column));
  }
}

template <class T>
void add_cells(std::vector<std::string>& cells, std::span<const Column<T>> columns, const T& subject) {
  for (const Column<T>& column : columns) {
    if (column.shown != Shown::table) continue;
    const std::string text = cell(column, subject);
    cells.push_back(text.empty() ? "-" : text);
  }
}

template <class T>
void add_details(std::string& line, std::span<const Column<T>> columns, const T& subject, const Glyphs& glyphs) {
  for (const Column<T>& column : columns) {
    if (column.shown != Shown::detail) continue;
    const std::string text = cell(column, subject);
    if (!text.empty()) line += (line.empty() ? "" : std::string{glyphs.dot}) + std::string{column.heading} + " " + text;
  }
}

std::string comparison(const ReportModel& model, const Glyphs& glyphs) {
  if (model.comparison.empty()) {
    return "COMPARISON\n  With prefetch off and with policy uvm: not measured here; `umrt demo` measures it.\n\n";
  }
  TextTable table{glyphs};
  add_columns(table, comparison_columns());
  table.add_column("", true);
  Ticks longest;
  for (const ComparisonRow& run : model.comparison) longest = std::max(longest, run.elapsed);
  for (const ComparisonRow& run : model.comparison) {
    std::vector<std::string> cells;
    add_cells(cells, comparison_columns(), run);
    const Ticks base = model.comparison.front().elapsed;
    cells.push_back(bar(run.elapsed.n, longest.n, sparkline_columns, glyphs) + "  " +
                    fmt::format("{:.2f} x", static_cast<double>(run.elapsed.n) /
                                                static_cast<double>(std::max<std::uint64_t>(1, base.n))));
    table.add_row(std::move(cells));
  }
  return "COMPARISON  the same job, measured\n" + table.text(2) + '\n';
}

std::string devices(const ReportModel& model, const Glyphs& glyphs) {
  TextTable table{glyphs};
  add_columns(table, device_columns());
  table.add_column("IN USE OVER TIME", true);
  for (const ReportDevice& device : model.devices) {
    std::vector<std::string> cells;
    add_cells(cells, device_columns(), device);
    Values values;
    for (const Bytes in_use : device.in_use_timeline) values.emplace_back(in_use.n);
    cells.push_back(sparkline(values, device.budget.n, sparkline_columns, glyphs));
    table.add_row(std::move(cells));
  }
  return "DEVICES\n" + table.text(2) + '\n';
}

constexpr std::size_t all_devices = ~std::size_t{0};

// The bytes of a range that a device, or all of them, held; slot by slot of the whole run.
Values on_device(const ReportRange& range, std::size_t device, std::size_t slots) {
  Values values(range.timeline.empty() ? 0 : slots);
  for (std::size_t i = 0; i < range.timeline.size(); ++i) {
    const ReportSlot& slot = range.timeline[i];
    if (!slot.is_known) continue;
    std::uint64_t sum = 0;
    for (std::size_t p = 1; p < slot.resident.size(); ++p) {
      if (device == all_devices || device + 1 == p) sum += slot.resident[p].n;
    }
    values[i] = sum;
  }
  return values;
}

// With several devices: a row of each that ever held part of the range.
void add_rows_by_device(TextTable& table, const ReportModel& model, const ReportRange& range, std::size_t slots,
                        std::size_t sparkline_column, const Glyphs& glyphs) {
  for (std::size_t d = 0; model.devices.size() > 1 && d < model.devices.size(); ++d) {
    const Values values = on_device(range, d, slots);
    const auto holds = [](std::optional<std::uint64_t> value) { return value.value_or(0) > 0; };
    if (std::none_of(values.begin(), values.end(), holds)) continue;
    std::vector<std::string> cells(table.columns());
    cells[0] = fmt::format("  on device {}", model.devices[d].ordinal);
    cells[sparkline_column] = sparkline(values, range.bytes.n, sparkline_columns, glyphs);
    table.add_row(std::move(cells));
  }
}

// The rules that placed the ranges of the table, in words.
std::string placements(const ReportModel& model, const TextStyle& style) {
  std::vector<Reason> reasons;
  std::string text;
  for (std::size_t i = 0; i < model.ranges.size() && i < style.ranges_max; ++i) {
    const Reason reason = model.ranges[i].counters.placement;
    if (reason == Reason::none || std::ranges::find(reasons, reason) != reasons.end()) continue;
    reasons.push_back(reason);
    text += wrapped(reason_text(reason), fmt::format("  {}: ", reason_name(reason)));
  }
  return text;
}

std::string ranges(const ReportModel& model, const TextStyle& style, const Glyphs& glyphs) {
  std::size_t slots = 0;
  for (const ReportRange& range : model.ranges) slots = std::max(slots, range.timeline.size());

  TextTable table{glyphs};
  add_columns(table, range_columns());
  const std::size_t sparkline_column = table.columns();
  table.add_column("ON DEVICE OVER TIME", true);
  add_columns(table, counter_columns());
  for (std::size_t i = 0; i < model.ranges.size() && i < style.ranges_max; ++i) {
    const ReportRange& range = model.ranges[i];
    std::vector<std::string> cells;
    add_cells(cells, range_columns(), range);
    cells.push_back(sparkline(on_device(range, all_devices, slots), range.bytes.n, sparkline_columns, glyphs));
    add_cells(cells, counter_columns(), range.counters);
    std::string below;
    add_details(below, range_columns(), range, glyphs);
    add_details(below, counter_columns(), range.counters, glyphs);
    table.add_row(std::move(cells), std::move(below));
    add_rows_by_device(table, model, range, slots, sparkline_column, glyphs);
  }
  std::string text = "RANGES  most bytes moved first\n";
  text += table.is_empty() ? "  none\n" : table.text(2);
  if (model.ranges.size() > style.ranges_max) {
    text += fmt::format("  and {} more rows in the JSON report\n", model.ranges.size() - style.ranges_max);
  }
  text += fmt::format("\n  Over time: {} from left to right; {} none, {} to {} part to all of it on a device.\n",
                      human(model.totals.elapsed), glyphs.zero, glyphs.levels[0], glyphs.levels[7]);
  return text + placements(model, style);
}

std::string heap(const ReportModel& model, const Glyphs& glyphs) {
  if (model.heap.reserved == Bytes{}) return "\nHEAP\n  nothing allocated\n";
  TextTable table{glyphs};
  add_columns(table, heap_columns());
  std::vector<std::string> cells;
  add_cells(cells, heap_columns(), model.heap);
  table.add_row(std::move(cells));
  return "\nHEAP  addresses of managed memory\n" + table.text(2);
}

}  // namespace

std::string to_text(const ReportModel& model, const TextStyle& style) {
  const Glyphs& set = glyphs(style.is_ascii);
  return headline(model, set) + essence(model, set) + what_to_change(model) + comparison(model, set) +
         devices(model, set) + ranges(model, style, set) + heap(model, set);
}

}  // namespace umrt
