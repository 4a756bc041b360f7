// SPDX-License-Identifier: Apache-2.0
// The time of an allocation of 64 KiB and its free, warm: by one thread, and by two at the same time. Used by
// `umrt bench` on the C interface and by malloc_bench on the heap alone.
#pragma once

#include <umrt/umrt.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace umrt::bench {

struct MallocPair {
  double one_thread_ns = 0;                // a pair
  double two_threads_ns_per_pair_sum = 0;  // time by the pairs of both threads: half of the above when they do not
                                           // hinder each other; not slower in sum: at most the above
  umrt_result result = UMRT_SUCCESS;       // of the first call that failed; then the times mean nothing
};

// `pair` allocates and frees once; it returns an umrt_result.
template <class Pair>
double ns_per_pair(unsigned threads, std::uint64_t pairs, const Pair& pair, std::atomic<umrt_result>& result) {
  using Clock = std::chrono::steady_clock;
  std::atomic<unsigned> warm{0};
  std::vector<Clock::time_point> begins(threads), ends(threads);
  const auto run = [&](unsigned thread) {
    const auto run_pairs = [&](std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (const umrt_result code = pair(); code != UMRT_SUCCESS) result = code;
      }
    };
    run_pairs(pairs / 10);
    ++warm;
    while (warm != threads) continue;
    begins[thread] = Clock::now();
    run_pairs(pairs);
    ends[thread] = Clock::now();
  };
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread) running.emplace_back(run, thread);
  for (std::thread& thread : running) thread.join();
  Clock::time_point first = begins[0];
  Clock::time_point last = ends[0];
  for (unsigned thread = 1; thread < threads; ++thread) {
    if (begins[thread] < first) first = begins[thread];
    if (ends[thread] > last) last = ends[thread];
  }
  return std::chrono::duration<double, std::nano>(last - first).count() / static_cast<double>(pairs * threads);
}

template <class Pair>
MallocPair malloc_pair_of(const Pair& pair) {
  constexpr std::uint64_t pairs = 500'000;
  std::atomic<umrt_result> result{UMRT_SUCCESS};
  MallocPair times;
  times.one_thread_ns = ns_per_pair(1, pairs, pair, result);
  times.two_threads_ns_per_pair_sum = ns_per_pair(2, pairs, pair, result);
  times.result = result;
  return times;
}

// umrt_init() was called.
inline MallocPair malloc_pair() {
  return malloc_pair_of([] {
    void* pointer = nullptr;
    const umrt_result allocated = umrt_malloc(&pointer, std::size_t{64} << 10);
    return allocated == UMRT_SUCCESS ? umrt_free(pointer) : allocated;
  });
}

}  // namespace umrt::bench
