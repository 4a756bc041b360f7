// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/block_state.h"
#include "engine_event.h"
#include "measurements.h"

namespace umrt::bench {

std::vector<Measurement> measure_engine(const Options& options) {
  std::vector<double> times;
  for (int i = 0; i < (options.is_smoke ? 1 : 5); ++i) times.push_back(engine_event_ns(Order::sweep, 1_GiB));
  // At random the tables come from memory, not from a cache.
  return {{"engine.event_ns", median(times), "ns", Goal::at_most, 200,
           fmt::format("1 TiB in ranges of 1 GiB, swept, eviction with every fault; at random {:.0f}; ranges of 2 MiB: "
                       "swept {:.0f}, at random {:.0f}; {} bytes a block",
                       engine_event_ns(Order::random, 1_GiB), engine_event_ns(Order::sweep, 2_MiB),
                       engine_event_ns(Order::random, 2_MiB), sizeof(BlockState))}};
}

}  // namespace umrt::bench
