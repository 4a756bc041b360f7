// SPDX-License-Identifier: Apache-2.0
#include "telemetry/evidence.h"

#include <algorithm>

namespace umrt {
namespace {

constexpr auto read = static_cast<std::size_t>(Access::read);
constexpr auto write = static_cast<std::size_t>(Access::write);

// Below this many steps an order may be chance.
constexpr std::uint64_t steps_min = 16;

std::uint64_t steps(const AccessWalk& walk) { return walk.steps_ahead + walk.steps_back + walk.steps_other; }

}  // namespace

std::string quoted(const ReportRange& range) { return "`" + label_of(range) + "`"; }

bool is_swept(const AccessWalk& walk) { return steps(walk) >= steps_min && walk.steps_ahead * 4 >= steps(walk) * 3; }

bool is_random(const AccessWalk& walk) { return steps(walk) >= steps_min && walk.steps_other * 3 >= steps(walk); }

Bytes bytes_in(const ReportRange& range) { return total_of(range.counters.bytes_in); }

Bytes bytes_in_again(const ReportRange& range) {
  return bytes_in(range) - std::min(range.bytes_in_once, bytes_in(range));
}

Bytes bytes_on_devices(const ReportRange& range) {
  Bytes sum;
  for (std::uint32_t d = 0; d < devices_max; ++d) sum += range.counters.resident[device_processor(d).n];
  return sum;
}

std::uint32_t reading_devices(const Counters& counters) {
  std::uint32_t devices = 0;
  for (std::uint32_t d = 0; d < devices_max; ++d) devices += counters.faults[device_processor(d).n][read] > 0 ? 1 : 0;
  return devices;
}

bool is_mostly_read_by_devices(const Counters& counters) {
  std::uint64_t writes = 0;
  for (std::uint32_t d = 0; d < devices_max; ++d) writes += counters.faults[device_processor(d).n][write];
  return writes * 20 <= device_faults_of(counters);
}

bool is_mostly_read_by_host(const Counters& counters) {
  const auto& host = counters.faults[host_processor.n];
  return host[write] * 4 <= host[read];
}

bool goes_to_and_fro(const ReportRange& range) {
  const Bytes in = range.counters.bytes_in[static_cast<std::size_t>(Cause::demand)];
  const Bytes out = range.counters.bytes_out[static_cast<std::size_t>(Cause::demand)];
  return range.bytes > Bytes{} && in >= range.bytes * 2 && out >= range.bytes * 2;
}

Ticks share_of(Ticks duration, std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  const double share = std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  return {static_cast<std::uint64_t>(static_cast<double>(duration.n) * share)};
}

Ticks stall_again(const ReportRange& range) {
  return share_of(range.counters.stall, bytes_in_again(range).n, bytes_in(range).n);
}

}  // namespace umrt
