// SPDX-License-Identifier: Apache-2.0
#include "bare_fault.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "os/clock.h"
#include "os/event_counter.h"
#include "os/mapping.h"
#include "os/userfaultfd.h"

namespace umrt::bench {
namespace {

os::Mapping reserve(Bytes bytes, os::PageSize size) {
  auto mapping = os::Mapping::reserve(round_up(bytes, 2_MiB));
  if (!mapping) throw std::runtime_error(mapping.error().detail);
  if (auto done = os::advise_page_size(mapping->base(), mapping->bytes(), size); !done)
    throw std::runtime_error(done.error().detail);
  return std::move(*mapping);
}

}  // namespace

std::vector<double> measure_bare_faults_ns(Bytes granule, std::uint32_t count) {
  const os::PageSize size = granule >= 2_MiB ? os::PageSize::huge : os::PageSize::small;
  const os::Mapping view = reserve(granule * count, size);
  const os::Mapping pool = reserve(granule * count, size);
  std::memset(pool.base(), 1, pool.bytes().n);
  bool moves = true;
  auto faults = os::Userfaultfd::open({.move = true});
  if (!faults) {
    moves = false;
    faults = os::Userfaultfd::open({.move = false});
  }
  if (!faults) throw std::runtime_error(faults.error().detail);
  if (auto done = faults->watch(view.base(), view.bytes(), os::Userfaultfd::Watch::missing_and_protected); !done)
    throw std::runtime_error(done.error().detail);

  std::thread handler([&] {
    const int descriptor = faults->fd();
    for (std::uint32_t served = 0; served < count;) {
      os::wait_readable({&descriptor, 1}, std::nullopt);
      os::PageFault fault;
      if (faults->read_faults({&fault, 1}) == 0) continue;
      const auto offset = static_cast<std::uint64_t>(fault.address - view.base()) / granule.n * granule.n;
      Bytes done;
      if (moves)
        faults->move(view.base() + offset, pool.base() + offset, granule, done, true);
      else
        faults->copy(view.base() + offset, pool.base() + offset, granule, done, false, true);
      ++served;
    }
  });
  std::vector<double> times;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto* word = reinterpret_cast<std::uint64_t*>(view.base() + granule.n * i);
    const std::uint64_t begin = os::monotonic_ns();
    std::atomic_ref(*word).fetch_add(1);
    times.push_back(static_cast<double>(os::monotonic_ns() - begin));
  }
  handler.join();
  return times;
}

}  // namespace umrt::bench
