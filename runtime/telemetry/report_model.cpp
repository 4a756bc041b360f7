// SPDX-License-Identifier: Apache-2.0
#include "telemetry/report_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace umrt {
namespace {

void add(std::array<Bytes, causes>& to, const std::array<Bytes, causes>& more) {
  for (std::uint32_t cause = 0; cause < causes; ++cause) to[cause] += more[cause];
}

}  // namespace

const std::string& label_of(const ReportRange& range) {
  static const std::string unnamed = "unnamed";
  if (!range.name.empty()) return range.name;
  return range.call_site.empty() ? unnamed : range.call_site;
}

std::uint64_t faults_of(const Counters& counters, ProcessorId processor) {
  const auto& by_access = counters.faults[processor.n];
  return by_access[0] + by_access[1];
}

std::uint64_t device_faults_of(const Counters& counters) {
  std::uint64_t faults = 0;
  for (std::uint32_t d = 0; d < devices_max; ++d) faults += faults_of(counters, device_processor(d));
  return faults;
}

SampledUse sampled_use_of(const Counters& counters) {
  if (counters.samples == 0) return {};
  constexpr double z = 1.96;
  const auto n = static_cast<double>(counters.samples);
  const double share = static_cast<double>(counters.samples_touched) / n;
  const double error = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const auto permille = [](double ratio) { return Permille{static_cast<std::uint32_t>(std::lround(ratio * 1000))}; };
  return {permille(share), permille(error)};
}

Bytes total_of(const std::array<Bytes, causes>& by_cause) {
  return std::accumulate(by_cause.begin(), by_cause.end(), Bytes{});
}

bool was_used_by_device(const Counters& counters) {
  return device_faults_of(counters) > 0 || total_of(counters.bytes_in) > Bytes{};
}

void add(Counters& to, const Counters& more) {
  for (std::uint32_t p = 0; p < processors_max; ++p) {
    to.faults[p][0] += more.faults[p][0];
    to.faults[p][1] += more.faults[p][1];
    to.resident[p] += more.resident[p];
  }
  add(to.bytes_in, more.bytes_in);
  add(to.bytes_out, more.bytes_out);
  add(to.bytes_peer, more.bytes_peer);
  to.bytes_populated += more.bytes_populated;
  to.prefetched += more.prefetched;
  to.prefetched_used += more.prefetched_used;
  to.prefetched_wasted += more.prefetched_wasted;
  to.discarded_clean += more.discarded_clean;
  to.evictions += more.evictions;
  to.refaults += more.refaults;
  to.evictions_pinned += more.evictions_pinned;
  to.thrashing_holds += more.thrashing_holds;
  to.samples += more.samples;
  to.samples_touched += more.samples_touched;
  to.stall += more.stall;
  to.transfer += more.transfer;
  to.resident_remote += more.resident_remote;
  to.hotness += more.hotness;
  to.data_lost_granules += more.data_lost_granules;
  if (more.last_use >= to.last_use) to.placement = more.placement;
  to.last_use = std::max(to.last_use, more.last_use);
}

void add(ReportRange& to, const ReportRange& more) {
  to.bytes += more.bytes;
  to.count += more.count;
  to.is_live = to.is_live || more.is_live;
  to.is_shared = to.is_shared && more.is_shared;
  to.created = std::min(to.created, more.created);
  to.retired = std::max(to.retired, more.retired);
  to.launches_since_use = std::min(to.launches_since_use, more.launches_since_use);
  to.bytes_in_once += more.bytes_in_once;
  add(to.counters, more.counters);
  to.walk.steps_ahead += more.walk.steps_ahead;
  to.walk.steps_back += more.walk.steps_back;
  to.walk.steps_other += more.walk.steps_other;
}

ComparisonRow comparison_row(const ReportModel& model, std::string label) {
  const Counters& counters = model.totals.counters;
  return {.label = std::move(label),
          .elapsed = model.totals.elapsed,
          .stall = counters.stall,
          .bytes_in = total_of(counters.bytes_in),
          .bytes_out = total_of(counters.bytes_out),
          .faults = device_faults_of(counters)};
}

ReportModel with_comparison(ReportModel model, std::vector<ComparisonRow> rows) {
  model.comparison = std::move(rows);
  return model;
}

}  // namespace umrt
