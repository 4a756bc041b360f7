// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bare_fault.h"
#include "measurements.h"
#include "os/clock.h"
#include "peer_process.h"
#include "runtime_session.h"

namespace umrt::bench {
namespace {

struct TouchKernel {  // touches one word of every granule, in an order that no prefetcher follows
  std::uint64_t* words;
  std::uint64_t* times_ns;  // out
  std::uint64_t granules, words_per_granule;

  static void run(const void* arguments, std::uint64_t, std::uint64_t) {
    const TouchKernel& touch = *static_cast<const TouchKernel*>(arguments);
    for (std::uint64_t i = 0; i < touch.granules; ++i) {
      volatile std::uint64_t* word =
          touch.words + i * 7919 % touch.granules * touch.words_per_granule;  // 7919: a prime
      const std::uint64_t begin = os::monotonic_ns();                         // the vDSO's clock: no system call
      *word = *word + 1;
      touch.times_ns[i] = os::monotonic_ns() - begin;
    }
  }
};

std::vector<double> measure_runtime_ns(Bytes granule, std::uint64_t granules) {
  const auto page_class = granule == 2_MiB ? UMRT_PAGE_CLASS_2M : UMRT_PAGE_CLASS_64K;
  const Range range(granule.n * granules, page_class, UMRT_PATTERN_RANDOM, "touched");
  const Range times(granules * 8, UMRT_PAGE_CLASS_AUTO, UMRT_PATTERN_UNKNOWN, "times");
  auto* words = range.as<std::uint64_t>();
  for (std::uint64_t i = 0; i < granule.n * granules / 8; ++i) words[i] = i;
  const TouchKernel kernel{words, times.as<std::uint64_t>(), granules, granule.n / 8};
  // The first round populates the frames; then everything goes home again, and the second round is what counts.
  run(kernel, 1, 1);
  check(umrt_prefetch_async(words, granule.n * granules, {UMRT_LOCATION_HOST, 0}, nullptr));
  check(umrt_synchronize());
  for (std::uint64_t i = 0; i < granules; ++i) times.as<std::uint64_t>()[i] = 0;
  check(umrt_prefetch_async(kernel.times_ns, granules * 8, {UMRT_LOCATION_DEVICE, 0}, nullptr));
  check(umrt_synchronize());
  run(kernel, 1, 1);
  std::vector<double> result;
  for (std::uint64_t i = 0; i < granules; ++i) result.push_back(static_cast<double>(times.as<std::uint64_t>()[i]));
  return result;
}

Measurement compare(const char* name, Bytes granule, std::uint64_t granules, PeerProcess& peer) {
  const std::vector<double> bare = measure_bare_faults_ns(granule, static_cast<std::uint32_t>(granules));
  const std::vector<double> copy = peer.measure_copy_in_ns(granule);
  std::vector<double> medians, p99s;
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> times = measure_runtime_ns(granule, granules);
    medians.push_back(median(times));
    p99s.push_back(quantile(times, 0.99));
  }
  const double floor = median(bare) + median(copy);
  return {name,
          median(medians) / floor,
          "ratio",
          Goal::at_most,
          1.5,
          fmt::format("p50 {:.1f} us, p99 {:.1f} us; bare fault {:.1f} us (p99 {:.1f}), copy {:.1f} us",
                      median(medians) / 1e3, median(p99s) / 1e3, median(bare) / 1e3, quantile(bare, 0.99) / 1e3,
                      median(copy) / 1e3)};
}

}  // namespace

std::vector<Measurement> measure_faults(const Options& options) {
  const std::uint64_t granules = options.is_smoke ? 8 : 100;
  PeerProcess peer(64_MiB);
  const RuntimeSession runtime({"device.budget=512MiB", "policy=lru"});
  return {compare("fault.2m.over_bare", 2_MiB, granules, peer), compare("fault.64k.over_bare", 64_KiB, granules, peer)};
}

}  // namespace umrt::bench
