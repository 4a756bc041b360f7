// SPDX-License-Identifier: Apache-2.0
#include "demo_input.h"

#include <fmt/format.h>

#include "commands.h"
#include "kernels/graph/graph_file.h"
#include "kernels/graph/rmat.h"
#include "telemetry/machine.h"

namespace umrt::tool {
namespace {

constexpr unsigned scale_of_20_seconds = 22;
constexpr unsigned scale_of_2_seconds = 18;
constexpr unsigned scale_min = 10;

// Edge list and CSR while it is built; later CSR, managed memory with its frames, the reference's transposed graph.
constexpr std::uint64_t bytes_per_vertex_at_peak = 400;

graph::EdgeList read_or_throw(const std::string& file) {
  auto list = graph::read_graph_file(file);
  if (!list) throw CommandError(ExitCode::usage, list.error().message);
  return *std::move(list);
}

graph::EdgeList generate(unsigned scale, std::uint64_t seed, unsigned threads) {
  const std::uint64_t needed = bytes_per_vertex_at_peak << scale;
  const std::uint64_t available = machine_facts().memory_available.n;
  if (needed > available) {
    throw CommandError(ExitCode::environment,
                       fmt::format("--scale {} needs about {} MiB of memory, and {} MiB are available; --scale {} fits",
                                   scale, needed >> 20, available >> 20, default_scale(available, false)));
  }
  return graph::make_rmat({.scale = scale, .seed = seed}, threads);
}

}  // namespace

unsigned default_scale(std::uint64_t memory_available, bool is_quick) {
  unsigned scale = is_quick ? scale_of_2_seconds : scale_of_20_seconds;
  while (scale > scale_min && bytes_per_vertex_at_peak << scale > memory_available / 2) --scale;
  return scale;
}

Input make_input(const InputChoice& choice, unsigned threads, Progress& progress) {
  Input input;
  graph::EdgeList list;
  if (!choice.file.empty()) {
    progress.begin("reading " + choice.file, 2);
    input.description = choice.file;
    list = read_or_throw(choice.file);
  } else {
    const unsigned scale =
        choice.scale != 0 ? choice.scale : default_scale(machine_facts().memory_available.n, choice.is_quick);
    progress.begin("generating the graph", 2);
    input.description = fmt::format("R-MAT graph of scale {}, seed {}", scale, choice.seed);
    list = generate(scale, choice.seed, threads);
  }
  progress.step(1);
  input.graph = graph::make_csr(list, threads);
  progress.clear();
  return input;
}

}  // namespace umrt::tool
