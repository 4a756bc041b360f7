// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/block_state.h"
#include "engine_event.h"
#include "measurements.h"

namespace umrt::bench {

std::vector<Measurement> measure_engine(const Options& options) {
  std::vector<double> times;
  for (int i = 0; i < (options.is_smoke ? 1 : 5); ++i) times.push_back(engine_event_ns());
  return {{"engine.event_ns", median(times), "ns", Goal::at_most, 200,
           fmt::format("1 TiB of ranges, eviction with every fault; {} bytes a block", sizeof(BlockState))}};
}

}  // namespace umrt::bench
