// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <thread>

#include "measurements.h"
#include "os/clock.h"
#include "os/mapping.h"
#include "os/memory_info.h"
#include "runtime_session.h"
#include "sweep_kernel.h"

namespace umrt::bench {
namespace {

// The same kernel on as many threads over plain memory of huge pages.
double plain_pass_ns(std::uint64_t* words, std::uint64_t blocks, std::uint32_t threads) {
  const SweepKernel kernel{words};
  std::atomic<std::uint64_t> next{0};
  const std::uint64_t begin = os::monotonic_ns();
  std::vector<std::thread> workers;
  for (std::uint32_t i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::uint64_t block = next++; block < blocks; block = next++) SweepKernel::run(&kernel, block, block + 1);
    });
  }
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(os::monotonic_ns() - begin);
}

double managed_pass_ns(const SweepKernel& kernel, std::uint64_t blocks) {
  const std::uint64_t begin = os::monotonic_ns();
  run(kernel, blocks, 1);
  return static_cast<double>(os::monotonic_ns() - begin);
}

}  // namespace

std::vector<Measurement> measure_fits(const Options& options) {
  const Bytes bytes = options.is_smoke ? 32_MiB : 512_MiB;
  const std::uint64_t blocks = bytes / 2_MiB;
  auto plain = os::Mapping::reserve(bytes);
  if (!plain) throw std::runtime_error(plain.error().detail);
  if (auto done = os::advise_page_size(plain->base(), bytes, os::PageSize::huge); !done)
    throw std::runtime_error(done.error().detail);
  auto* plain_words = reinterpret_cast<std::uint64_t*>(plain->base());
  const std::uint32_t threads = os::cores_available();

  const RuntimeSession runtime({options.is_smoke ? "device.budget=64MiB" : "device.budget=640MiB"});
  const Range range(bytes.n, UMRT_PAGE_CLASS_2M, UMRT_PATTERN_UNKNOWN, "fits");
  const SweepKernel kernel{range.as<std::uint64_t>()};
  std::vector<double> plain_times, managed_times;
  for (int pass = 0; pass < 2; ++pass) {
    plain_pass_ns(plain_words, blocks, threads);
    managed_pass_ns(kernel, blocks);
  }
  for (int pass = 0; pass < 9; ++pass) {  // in turn, so that both meet the same neighbours
    plain_times.push_back(plain_pass_ns(plain_words, blocks, threads));
    managed_times.push_back(managed_pass_ns(kernel, blocks));
  }
  return {{"fits.over_plain", median(managed_times) / median(plain_times), "ratio", Goal::at_most, 1.05,
           fmt::format("{} MiB on {} threads: {:.2f} ms, plain memory {:.2f} ms", bytes / 1_MiB, threads,
                       median(managed_times) / 1e6, median(plain_times) / 1e6)}};
}

}  // namespace umrt::bench
