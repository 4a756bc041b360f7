// SPDX-License-Identifier: Apache-2.0
// `umrt bench`: the figures that umrt promises, measured on this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.h"
#include "measurements.h"
#include "telemetry/machine.h"

namespace umrt::tool {
namespace {

struct BenchOptions {
  std::vector<std::string> names;
  bool is_json = false;
  bool is_smoke = false;
};

const char* sign_of(bench::Goal goal) { return goal == bench::Goal::at_least ? ">=" : "<="; }

void print_text(const std::vector<bench::Measurement>& results) {
  std::size_t width = 0;
  for (const bench::Measurement& result : results) width = std::max(width, result.name.size());
  fmt::print("{:<{}}  {:>9} {:<5}  {:<9} {}\n", "NAME", width, "VALUE", "", "GOAL", "HOLDS");
  for (const bench::Measurement& result : results) {
    fmt::print("{:<{}}  {:>9.3g} {:<5}  {} {:<6g} {}\n", result.name, width, result.value, result.unit,
               sign_of(result.direction), result.goal, result.holds() ? "yes" : "NO");
    fmt::print("{:<{}}  {}\n", "", width, result.detail);
  }
}

void print_json(const std::vector<bench::Measurement>& results) {
  const MachineFacts machine = machine_facts();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const bench::Measurement& result : results) {
    rows.push_back({{"name", result.name},
                    {"value", result.value},
                    {"unit", result.unit},
                    {"goal", fmt::format("{} {:g}", sign_of(result.direction), result.goal)},
                    {"holds", result.holds()},
                    {"detail", result.detail}});
  }
  const nlohmann::ordered_json all{{"schema_version", 1},
                                   {"machine",
                                    {{"kernel", machine.kernel},
                                     {"cores", machine.cores},
                                     {"memory_available_bytes", machine.memory_available.n},
                                     {"huge_pages", machine.huge_pages}}},
                                   {"results", std::move(rows)}};
  fmt::print("{}\n", all.dump(2));
}

bool is_asked_for(const BenchOptions& options, std::string_view name) {
  return options.names.empty() || std::find(options.names.begin(), options.names.end(), name) != options.names.end();
}

ExitCode run(const BenchOptions& options) {
  std::vector<bench::Measurement> results;
  for (const bench::MeasurementRow& row : bench::measurement_rows()) {
    if (!is_asked_for(options, row.name)) continue;
    if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "measuring {}: {}\n", row.name, row.summary);
    try {
      for (bench::Measurement& result : row.measure({options.is_smoke})) results.push_back(std::move(result));
    } catch (const std::runtime_error& error) {
      throw CommandError(ExitCode::environment, fmt::format("{}: {}", row.name, error.what()));
    }
  }
  options.is_json ? print_json(results) : print_text(results);
  if (options.is_smoke) return ExitCode::fine;
  const bool all_hold = std::all_of(results.begin(), results.end(), [](const auto& result) { return result.holds(); });
  return all_hold ? ExitCode::fine : ExitCode::finding;
}

}  // namespace

std::function<ExitCode()> declare_bench(CLI::App& options) {
  const auto chosen = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  std::string list;
  for (const bench::MeasurementRow& row : bench::measurement_rows()) {
    names.emplace_back(row.name);
    list += fmt::format("  {:<8} {}\n", row.name, row.summary);
  }
  options.add_option("name", chosen->names, "what to measure; everything where none is named")
      ->check(CLI::IsMember(names));
  options.add_flag("--json", chosen->is_json, "JSON instead of a table");
  options.add_flag("--smoke", chosen->is_smoke, "small and short: shows that it runs; the figures mean nothing");
  options.footer("Measurements, each the median of five or more runs:\n" + list +
                 "Exit code 1: a figure misses its goal. Nothing else should run on the machine meanwhile.");
  return [chosen] { return run(*chosen); };
}

}  // namespace umrt::tool
