// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "bench/engine_event.h"

namespace umrt::bench {
namespace {

// Time of a fault event alone; arguments: MiB a range, and 1 for faults in random order.
void engine_event(benchmark::State& state) {
  EngineLoad load{{static_cast<std::uint64_t>(state.range(0)) << 20}, static_cast<Order>(state.range(1))};
  for (auto _ : state) {
    state.SetIterationTime(load.batch_ns() * 1e-9);
    load.answer_all();
  }
}
BENCHMARK(engine_event)
    ->Name("engine event")
    ->Args({1024, 0})
    ->Args({1024, 1})
    ->Args({2, 0})
    ->Args({2, 1})
    ->UseManualTime()
    ->Iterations(2000);

// Time of any event: faults, and the answers to all that they lead to.
void engine_event_with_answers(benchmark::State& state) {
  EngineLoad load{{static_cast<std::uint64_t>(state.range(0)) << 20}, static_cast<Order>(state.range(1))};
  const std::uint64_t before = load.events();
  for (auto _ : state) {
    load.batch_ns();
    load.answer_all();
  }
  state.counters["an_event"] = benchmark::Counter(static_cast<double>(load.events() - before),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(engine_event_with_answers)
    ->Name("engine event with answers")
    ->Args({1024, 0})
    ->Args({1024, 1})
    ->Iterations(2000);

}  // namespace
}  // namespace umrt::bench

BENCHMARK_MAIN();
