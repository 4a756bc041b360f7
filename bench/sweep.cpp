// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "measurements.h"
#include "os/clock.h"
#include "peer_process.h"
#include "runtime_session.h"
#include "sweep_kernel.h"

namespace umrt::bench {
namespace {

struct SweepTimes {
  double median_ns = 0;
  bool is_correct = true;
};

// The first pass moves everything for the first time and is not timed.
SweepTimes time_sweeps(Bytes bytes, int passes) {
  const Range range(bytes.n, UMRT_PAGE_CLASS_2M, UMRT_PATTERN_UNKNOWN, "sweep");
  auto* words = range.as<std::uint64_t>();
  for (std::uint64_t i = 0; i < bytes.n / 8; ++i) words[i] = i;
  const std::uint64_t blocks = bytes / 2_MiB;
  const SweepKernel kernel{words};
  run(kernel, blocks, 1);
  std::vector<double> times;
  for (int pass = 1; pass < passes; ++pass) {
    const std::uint64_t begin = os::monotonic_ns();
    run(kernel, blocks, 1);
    times.push_back(static_cast<double>(os::monotonic_ns() - begin));
  }
  SweepTimes result{median(times), true};
  for (std::uint64_t i = 0; i < bytes.n / 8; ++i)
    result.is_correct &= words[i] == i + static_cast<std::uint64_t>(passes);
  return result;
}

}  // namespace

std::vector<Measurement> measure_sweep(const Options& options) {
  const Bytes bytes = options.is_smoke ? 128_MiB : 1_GiB;
  CopyRates rates;
  {
    PeerProcess peer(options.is_smoke ? 32_MiB : 256_MiB);
    rates = peer.measure_rates();
  }
  const RuntimeSession runtime({options.is_smoke ? "device.budget=64MiB" : "device.budget=512MiB", "policy=lru"});
  const SweepTimes times = time_sweeps(bytes, 6);
  if (!times.is_correct) throw std::runtime_error("the sweep lost a write");
  const double rate = static_cast<double>(bytes.n) / times.median_ns;
  return {
      {"sweep.lru.limit_ratio", rate / rates.limit(), "ratio", Goal::at_least, 0.6,
       fmt::format("{} MiB, budget half of it: {:.2f} GB/s; copy engine in {:.1f}, out {:.1f} GB/s, limit {:.2f} GB/s",
                   bytes / 1_MiB, rate, rates.in, rates.out, rates.limit())}};
}

}  // namespace umrt::bench
