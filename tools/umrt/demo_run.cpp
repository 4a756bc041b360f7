// SPDX-License-Identifier: Apache-2.0
#include "demo_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "calls.h"
#include "interrupt.h"

namespace umrt::tool {
namespace {

class Stopwatch {
 public:
  std::chrono::nanoseconds time() const { return std::chrono::steady_clock::now() - began_; }
  double seconds() const { return std::chrono::duration<double>(time()).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Of two reports. Their own times do not count: to make one, with call sites looked up, takes longer than an iteration.
ComparisonRow difference(ComparisonRow after, const ComparisonRow& before, Ticks elapsed) {
  after.elapsed = elapsed;
  after.stall = after.stall - before.stall;
  after.bytes_in -= before.bytes_in;
  after.bytes_out -= before.bytes_out;
  after.faults -= before.faults;
  return after;
}

// Iterations one by one; takes what the run is compared by along the way.
void iterate(const RunPlan& plan, DemoJob& job, Progress& progress, RunResult& result) {
  const ComparisonSpan span = comparison_span(plan.iterations);
  const Stopwatch watch;
  Stopwatch span_watch;
  ComparisonRow before;
  const bool is_timed = plan.seconds > 0;
  progress.begin(plan.label + ": PageRank", is_timed ? 100 : plan.iterations);
  while (!is_interrupted() && (is_timed ? watch.seconds() < plan.seconds : result.iterations < plan.iterations)) {
    if (result.iterations == span.first) {
      before = comparison_row(report_model(), plan.label);
      span_watch = Stopwatch();
    }
    job.iterate();
    if (++result.iterations == span.last) {
      const Ticks elapsed{static_cast<std::uint64_t>(span_watch.time().count())};
      result.compared = difference(comparison_row(report_model(), plan.label), before, elapsed);
    }
    progress.step(is_timed ? static_cast<std::uint64_t>(100 * watch.seconds() / plan.seconds) : result.iterations);
  }
  result.pagerank_s = watch.seconds();
}

void search(const graph::CsrGraph& graph, const RunPlan& plan, DemoJob& job, Progress& progress, RunResult& result) {
  const Stopwatch watch;
  result.search_start = vertex_of_most_out_edges(graph);
  job.begin_search(result.search_start);
  progress.begin(plan.label + ": breadth-first search", graph.vertex_count());
  std::uint64_t reached = 1;
  for (std::uint64_t found = 1; found != 0 && !is_interrupted(); reached += found) {
    found = job.expand();
    progress.step(reached);
  }
  result.search_s = watch.seconds();
}

}  // namespace

ComparisonSpan comparison_span(std::uint32_t iterations) {
  constexpr std::uint32_t compared_max = 3;
  const std::uint32_t first = iterations > 1 ? 1 : 0;  // the first iteration meets an empty device
  return {first, std::min(first + compared_max, iterations)};
}

RunResult run_job(const graph::CsrGraph& graph, const RunPlan& plan, Progress& progress) {
  RunResult result;
  const runtime up(plan.setup);
  check(umrt_device_count(&result.devices));
  const Stopwatch load_watch;
  progress.begin(plan.label + ": loading", (graph.edge_count() + 3 * graph.vertex_count()) * 4);
  DemoJob job(graph, result.devices, [&](std::uint64_t bytes) {
    progress.step(bytes);
    return !is_interrupted();
  });
  result.load_s = load_watch.seconds();
  iterate(plan, job, progress, result);
  if (plan.is_searching && !is_interrupted()) search(graph, plan, job, progress, result);
  progress.clear();
  result.was_interrupted = is_interrupted();
  if (!result.was_interrupted) {
    result.ranks = job.ranks();
    if (plan.is_searching) result.levels = job.levels();
  }
  result.report = report_model();
  return result;
}

}  // namespace umrt::tool
