// SPDX-License-Identifier: Apache-2.0
#include "measurements.h"
#include "os/clock.h"
#include "runtime_session.h"

namespace umrt::bench {

std::vector<Measurement> measure_init(const Options&) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t begin = os::monotonic_ns();
    const RuntimeSession runtime({"device.budget=512MiB"});
    times.push_back(static_cast<double>(os::monotonic_ns() - begin) / 1e6);
  }
  return {{"init.ms", median(times), "ms", Goal::at_most, 50, "median of five"}};
}

}  // namespace umrt::bench
