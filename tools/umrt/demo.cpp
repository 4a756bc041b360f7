// SPDX-License-Identifier: Apache-2.0
// `umrt demo`: the main job. Makes a graph, runs PageRank and breadth-first search on it in managed memory with a
// device budget of half of that memory, checks the results against plain memory, runs part of the job again without
// prefetch and with the driver's policy, and ends with the placement report.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "commands.h"
#include "demo_input.h"
#include "demo_output.h"
#include "demo_run.h"
#include "interrupt.h"
#include "output.h"
#include "settings_in_force.h"

namespace umrt::tool {
namespace {

struct DemoOptions {
  InputChoice input;
  std::string budget, policy, report_file;
  std::uint32_t devices = 0;
  std::uint32_t iterations = 0;  // 0: chosen
  double seconds = 0;
  bool is_json = false, is_ascii = false, is_comparing = true;
};

constexpr std::uint32_t iterations_default = 20;
constexpr std::uint32_t iterations_quick = 4;

unsigned host_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

// A budget below which the software device does not start: two blocks a worker, for an access across a border, and two
// to evict with. Small graphs fit into it.
std::uint64_t budget_floor(const Settings& settings) {
  const std::uint64_t workers = settings.is_auto("soft.workers") ? host_threads() : settings.count("soft.workers");
  return (std::uint64_t{2} << 20) * (2 * workers + 2);
}

config main_setup(const DemoOptions& options, const Settings& settings, std::uint64_t footprint_bytes) {
  config setup;
  setup.devices(options.devices).policy(options.policy);
  if (!options.budget.empty()) {
    const auto budget = parse_size(options.budget);
    if (!budget || budget->number == 0) {
      throw CommandError(
          ExitCode::usage,
          fmt::format("--budget {}: expected a size such as 256MiB or a percentage of what the job takes, "
                      "such as 50%",
                      options.budget));
    }
    const Bytes bytes = resolve_size(*budget, {footprint_bytes});
    setup.budget(budget->is_share ? bytes.n / options.devices : bytes.n);
  } else if (settings.source("device.budget") == "default") {
    setup.budget(std::max(footprint_bytes / 2 / options.devices, budget_floor(settings)));
  }
  return setup;
}

// The same job, as far as the comparison looks, on other terms.
std::vector<RunPlan> plans_to_compare(const RunPlan& main, const std::string& policy) {
  RunPlan plan = main;
  plan.iterations = comparison_span(main.iterations).last;
  plan.seconds = 0;
  plan.is_searching = false;
  RunPlan no_prefetch = plan, uvm = plan;
  no_prefetch.label = "no prefetch";
  no_prefetch.setup.set("prefetch", "off");
  uvm.label = "policy uvm";
  uvm.setup.policy("uvm");
  if (policy == "uvm") return {no_prefetch};
  return {no_prefetch, uvm};
}

void compare(const graph::CsrGraph& graph, const RunPlan& main, RunResult& run, Progress& progress) {
  std::vector<ComparisonRow> rows{*run.compared};
  for (const RunPlan& plan : plans_to_compare(main, run.report.run.policy)) {
    const RunResult other = run_job(graph, plan, progress);
    if (other.was_interrupted || !other.compared) break;
    rows.push_back(*other.compared);
  }
  if (rows.size() > 1) run.report = with_comparison(std::move(run.report), std::move(rows));
}

void print(const DemoOptions& options, const DemoOutcome& outcome) {
  const bool is_json_file = options.report_file.ends_with(".json");
  const std::string text = demo_text(outcome, options.is_ascii);
  const std::string json = options.is_json || is_json_file ? demo_json(outcome) : "";
  fmt::print("{}", options.is_json ? json : text);
  std::fflush(stdout);  // seen even where the file cannot be written
  if (!options.report_file.empty()) write_output_file("--report", options.report_file, is_json_file ? json : text);
}

ExitCode run_demo(DemoOptions options) {
  const auto began = std::chrono::steady_clock::now();
  const Settings settings = settings_in_force();
  if (options.devices == 0) options.devices = static_cast<std::uint32_t>(settings.count("soft.devices"));
  Progress progress;
  const Input input = make_input(options.input, host_threads(), progress);
  const InterruptWatch watch;  // before there is anything to report on, a signal ends the process at once

  const std::uint32_t chosen = options.input.is_quick ? iterations_quick : iterations_default;
  DemoOutcome outcome;
  outcome.input = &input;
  outcome.footprint_bytes = job_footprint_bytes(input.graph.vertex_count(), input.graph.edge_count(), options.devices);
  const RunPlan plan{.label = "this run",
                     .setup = main_setup(options, settings, outcome.footprint_bytes),
                     .iterations = options.iterations != 0 ? options.iterations : chosen,
                     .seconds = options.seconds};
  outcome.compared = comparison_span(plan.iterations);
  RunResult run = run_job(input.graph, plan, progress);
  if (options.is_comparing && run.compared && !is_interrupted()) compare(input.graph, plan, run, progress);
  if (!is_interrupted()) outcome.check = check_against_references(input.graph, run, host_threads(), progress);
  outcome.run = &run;
  outcome.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  progress.clear();
  print(options, outcome);
  if (is_interrupted()) return ExitCode::interrupted;
  return outcome.check.is_equal() ? ExitCode::fine : ExitCode::finding;
}

}  // namespace

std::function<ExitCode()> declare_demo(CLI::App& app) {
  const auto options = std::make_shared<DemoOptions>();
  DemoOptions& o = *options;
  app.add_option("--graph", o.input.file, "edge list (SNAP) or Matrix Market file; else a graph is generated")
      ->type_name("FILE");
  app.add_option("--scale", o.input.scale, "generate 2^N vertices with 16 edges each")
      ->check(CLI::Range(1u, 30u))
      ->type_name("N")
      ->excludes("--graph");
  app.add_option("--seed", o.input.seed, "of the generated graph (1)")->type_name("N")->excludes("--graph");
  app.add_option("--budget", o.budget,
                 "device memory: a size such as 256MiB for each device, or % of what the job takes (50%)")
      ->type_name("SIZE|%");
  app.add_option("--devices", o.devices, "software devices to share the work")
      ->check(CLI::Range(1u, 8u))
      ->type_name("N");
  app.add_option("--policy", o.policy, "policy of placement, prefetch and eviction (see umrt config)");
  app.add_option("--iterations", o.iterations, "of PageRank (20; 4 with --quick)")
      ->check(CLI::Range(1u, 1'000'000u))
      ->type_name("N");
  app.add_option("--seconds", o.seconds, "as many PageRank iterations as begin within this time")
      ->check(CLI::PositiveNumber)
      ->excludes("--iterations");
  app.add_flag("--quick", o.input.is_quick, "a job of about 2 s");
  app.add_flag("!--no-compare", o.is_comparing, "do not run the job again without prefetch and with policy uvm");
  app.add_flag("--json", o.is_json, "JSON instead of text");
  app.add_flag("--ascii", o.is_ascii, "no characters beyond ASCII in the report");
  app.add_option("--report", o.report_file, "also write what is printed to a file; JSON where it ends in .json")
      ->type_name("FILE");
  app.footer(
      "Ctrl-C ends the job at the next iteration and prints the report so far; a second one ends it at once.\n"
      "Exit codes: 0 fine, 1 results differ from those of plain memory or a kernel failed, 2 wrong usage or graph "
      "file,\n"
      "3 the machine lacks something, 130 interrupted.");
  return [options] { return run_demo(*options); };
}

}  // namespace umrt::tool
