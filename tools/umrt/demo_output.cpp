// SPDX-License-Identifier: Apache-2.0
#include "demo_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "kernels/graph/references.h"
#include "telemetry/human.h"
#include "telemetry/json_report.h"
#include "telemetry/text_report.h"

namespace umrt::tool {
namespace {

template <class T>
std::uint64_t count_differing(const std::vector<T>& a, const std::vector<T>& b) {
  std::uint64_t differing = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) differing += a[i] != b[i] ? 1 : 0;
  return differing;
}

struct Search {
  std::uint32_t levels = 0;
  std::uint64_t reached = 0;
};

Search summary_of(const std::vector<std::uint32_t>& levels) {
  Search search;
  for (const std::uint32_t level : levels) {
    if (level == graph::level_unreached) continue;
    search.levels = std::max(search.levels, level + 1);
    ++search.reached;
  }
  return search;
}

std::string check_text(const DemoOutcome& outcome) {
  const DemoCheck& check = outcome.check;
  if (outcome.run->was_interrupted)
    return "Interrupted: results were not checked; the report is that of the run so far.";
  if (!check.was_done) return "Interrupted: results were not checked.";
  const std::uint64_t vertices = outcome.input->graph.vertex_count();
  if (check.is_equal()) {
    return fmt::format("Check: ranks and levels of all {} vertices equal those of plain memory, bit for bit",
                       human_count(vertices));
  }
  return fmt::format("CHECK FAILED: of {} vertices, {} ranks and {} levels differ from those of plain memory",
                     human_count(vertices), human_count(check.ranks_differing), human_count(check.levels_differing));
}

std::string budget_share(std::uint64_t budget, std::uint64_t footprint) {
  return budget >= footprint ? "all of it fits" : percent(budget, footprint) + " of it";
}

std::string job_text(const DemoOutcome& outcome) {
  const RunResult& run = *outcome.run;
  const graph::CsrGraph& graph = outcome.input->graph;
  const Bytes budget = run.report.totals.budget;
  std::string text = fmt::format("{}: {} vertices, {} edges\n", outcome.input->description,
                                 human_count(graph.vertex_count()), human_count(graph.edge_count()));
  text += fmt::format("{} of managed memory; {} of device memory on {} ({})\n", human(Bytes{outcome.footprint_bytes}),
                      human(budget), run.devices == 1 ? "1 device" : fmt::format("{} devices", run.devices),
                      budget_share(budget.n, outcome.footprint_bytes));
  text += fmt::format("Loaded in {:.2f} s; PageRank: {} iterations in {:.2f} s", run.load_s, run.iterations,
                      run.pagerank_s);
  if (!run.levels.empty()) {
    const Search search = summary_of(run.levels);
    text += fmt::format("; breadth-first search from vertex {}: {} vertices on {} levels in {:.2f} s", run.search_start,
                        human_count(search.reached), search.levels, run.search_s);
  }
  return text + "\n";
}

}  // namespace

DemoCheck check_against_references(const graph::CsrGraph& graph, const RunResult& run, unsigned threads,
                                   Progress& progress) {
  const auto began = std::chrono::steady_clock::now();
  progress.begin("checking against plain memory", 2);
  const auto ranks = graph::pagerank_reference(graph, run.iterations, threads, is_interrupted);
  progress.step(1);
  const auto levels = graph::breadth_first_reference(graph, run.search_start, is_interrupted);
  progress.clear();
  if (is_interrupted()) return {};
  DemoCheck check{.was_done = true};
  check.ranks_differing = count_differing(run.ranks, ranks);
  check.levels_differing = count_differing(run.levels, levels);
  check.reference_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return check;
}

std::string demo_text(const DemoOutcome& outcome, bool is_ascii) {
  std::string text = job_text(outcome) + check_text(outcome) + "\n";
  if (!outcome.run->report.comparison.empty()) {
    text += fmt::format("Compared below: PageRank iterations {} to {}, each row a run of its own\n",
                        outcome.compared.first + 1, outcome.compared.last);
  }
  return text + "\n" + to_text(outcome.run->report, {.is_ascii = is_ascii});
}

std::string demo_json(const DemoOutcome& outcome) {
  using Json = nlohmann::ordered_json;
  const RunResult& run = *outcome.run;
  const Search search = summary_of(run.levels);
  const DemoCheck& check = outcome.check;
  Json json{{"schema_version", 1}};
  json["graph"] = Json{{"description", outcome.input->description},
                       {"vertices", outcome.input->graph.vertex_count()},
                       {"edges", outcome.input->graph.edge_count()}};
  json["job"] = Json{{"devices", run.devices},
                     {"footprint_bytes", outcome.footprint_bytes},
                     {"budget_bytes", run.report.totals.budget.n},
                     {"iterations", run.iterations},
                     {"search_start", run.search_start},
                     {"search_levels", search.levels},
                     {"search_reached", search.reached},
                     {"load_s", run.load_s},
                     {"pagerank_s", run.pagerank_s},
                     {"search_s", run.search_s},
                     {"elapsed_s", outcome.elapsed_s},
                     {"was_interrupted", run.was_interrupted}};
  json["check"] = Json{{"was_done", check.was_done},
                       {"is_equal", check.was_done && check.is_equal()},
                       {"ranks_differing", check.ranks_differing},
                       {"levels_differing", check.levels_differing},
                       {"reference_s", check.reference_s}};
  json["compared_iterations"] = Json{{"first", outcome.compared.first}, {"last", outcome.compared.last}};
  json["report"] = Json::parse(to_json(run.report));
  return json.dump(2) + "\n";
}

}  // namespace umrt::tool
