// SPDX-License-Identifier: Apache-2.0
// The heap and the chunk allocator alone: the backend does nothing, so that what is measured is our own work.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <vector>

#include "api/heap.h"
#include "bench/malloc_pair.h"
#include "core/chunk_allocator.h"

namespace umrt {
namespace {

class NullBackend : public RangeBackend {
 public:
  Status create(const NewRange&) override { return {}; }
  Status release(RangeId) override { return {}; }
  bool has_pending_work() const override { return pending_.load(std::memory_order_acquire) != 0; }
  void wait_for_pending_work() override {}
  std::uint64_t device_deaths() const override { return deaths_.load(); }
  void renamed(const NewRange&) override {}

 private:
  std::atomic<std::uint64_t> pending_{0}, deaths_{0};
};

struct BenchHeap {
  NullBackend backend;
  Arena arena{
      .base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 44), .bytes = 1_TiB, .huge_begin = {64ull << 30}};
  Heap heap{arena, backend};
};

BenchHeap& shared_heap() {
  static BenchHeap heap;
  return heap;
}

umrt_result pair(Bytes bytes) {
  const auto pointer = shared_heap().heap.allocate({.bytes = bytes});
  if (!pointer) return pointer.error().code;
  const Status freed = shared_heap().heap.free(*pointer);
  return freed ? UMRT_SUCCESS : freed.error().code;
}

void malloc_and_free(benchmark::State& state) {
  const Bytes bytes{static_cast<std::uint64_t>(state.range(0))};
  for (auto _ : state) {
    if (pair(bytes) != UMRT_SUCCESS) state.SkipWithError("a call failed");
  }
}
BENCHMARK(malloc_and_free)->Arg(256)->Arg(4096)->Arg(65536)->Arg(4 << 20)->ThreadRange(1, 2)->UseRealTime();

// The goals of 64 KiB: one thread at most 100 ns, two not slower in sum.
void malloc_pair_goals(benchmark::State& state) {
  for (auto _ : state) {
    const auto times = bench::malloc_pair_of([] { return pair(64_KiB); });
    if (times.result != UMRT_SUCCESS) state.SkipWithError("a call failed");
    state.counters["one_thread_ns"] = times.one_thread_ns;
    state.counters["two_threads_ns_per_pair_sum"] = times.two_threads_ns_per_pair_sum;
  }
}
BENCHMARK(malloc_pair_goals)->Iterations(1)->Unit(benchmark::kMillisecond);

void chunk_allocate_and_free(benchmark::State& state) {
  const Bytes bytes{static_cast<std::uint64_t>(state.range(0))};
  ChunkAllocator chunks{1_GiB};
  chunks.grow(1_GiB);
  std::array<Bytes, 64> offsets;
  for (auto _ : state) {
    for (Bytes& offset : offsets) offset = *chunks.allocate_run(bytes);
    for (const Bytes offset : offsets) benchmark::DoNotOptimize(chunks.free_run(offset, bytes).has_value());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(offsets.size()) * state.iterations());
}
BENCHMARK(chunk_allocate_and_free)->Arg(4096)->Arg(65536)->Arg(2 << 20);

void find(benchmark::State& state) {
  Heap& heap = shared_heap().heap;
  std::vector<void*> pointers;
  for (int i = 0; i < 1024; ++i) pointers.push_back(*heap.allocate({.bytes = 64_KiB}));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(heap.find(pointers[next++ % pointers.size()])->range.n);
  for (void* const pointer : pointers) {
    if (!heap.free(pointer)) state.SkipWithError("a free failed");
  }
}
BENCHMARK(find);

}  // namespace
}  // namespace umrt

BENCHMARK_MAIN();
