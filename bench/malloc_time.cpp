// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "malloc_pair.h"
#include "measurements.h"
#include "runtime_session.h"

namespace umrt::bench {

std::vector<Measurement> measure_malloc(const Options& options) {
  const RuntimeSession runtime({"device.budget=64MiB"});
  std::vector<double> alone, together;
  for (int i = 0; i < (options.is_smoke ? 1 : 5); ++i) {
    const MallocPair times = malloc_pair();
    check(times.result);
    alone.push_back(times.one_thread_ns);
    together.push_back(times.two_threads_ns_per_pair_sum);
  }
  return {{"malloc.pair_ns", median(alone), "ns", Goal::at_most, 100,
           fmt::format("umrt_malloc and umrt_free of 64 KiB, one thread; two threads {:.1f} ns a pair in sum",
                       median(together))},
          {"malloc.two_over_one", median(together) / median(alone), "ratio", Goal::at_most, 1,
           "time by the pairs of both threads, over that of one thread alone: at most 1 is not slower in sum"}};
}

}  // namespace umrt::bench
