// SPDX-License-Identifier: Apache-2.0
// Findings about memory: too little of it, held for nothing, in too small pieces, or not to be moved.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "telemetry/evidence.h"
#include "telemetry/finding_rules.h"
#include "telemetry/human.h"

namespace umrt {
namespace {

// Free memory below which blocks are evicted ahead of need, by default (evict.low).
constexpr Bytes water_mark = 16_MiB;

// 256 of the smallest fill one granule of 64 KiB: fewer come with one fault or a few, and one allocation could not do
// much better. Whether they cost anything is for the stall time to say: without it there is no finding, and where it is
// a trifle of the run it is left out as any other.
constexpr std::uint64_t small_allocations_min = 256;

// No more is known than that these launches began after the last use, so the launch before them is the latest possible.
std::string last_launch(std::uint64_t launches, std::uint64_t launches_since_use) {
  if (launches <= launches_since_use) return "since before the first launch";
  return fmt::format("since launch {} of {} at the latest", human_count(launches - launches_since_use),
                     human_count(launches));
}

// One row a label, of the ranges that small allocations share or of all others.
std::map<std::string, ReportRange> by_label(const ReportModel& model, bool is_shared) {
  std::map<std::string, ReportRange> rows;
  for (const ReportRange& range : model.ranges) {
    if (range.is_shared != is_shared) continue;
    const auto [place, is_new] = rows.try_emplace(label_of(range), range);
    if (!is_new) add(place->second, range);
  }
  return rows;
}

// Allocations that have ranges of their own, each at least one granule.
void find_small_ranges(const ReportModel& model, Found& found) {
  for (const auto& [label, range] : by_label(model, false)) {
    const Bytes mean{range.bytes.n / std::max<std::uint64_t>(1, range.count)};
    if (range.count < 64 || mean > 64_KiB) continue;
    say(found, range, range.counters.stall,
        fmt::format("{} allocations of {} on average at {}: allocate one range and divide it, so that neighbours "
                    "come with one fault.",
                    human_count(range.count), human(mean), quoted(range)));
  }
}

// Allocations that the heap puts together by their size, whoever uses them.
void find_shared_pages(const ReportModel& model, Found& found) {
  const ReportHeap& heap = model.heap;
  if (heap.small_allocations < small_allocations_min) return;
  const auto rows = by_label(model, true);
  const auto most = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.counters.stall < b.second.counters.stall;
  });
  Counters all;
  for (const auto& [label, range] : rows) add(all, range.counters);
  if (device_faults_of(all) == 0 || all.stall == Ticks{}) return;
  const Bytes moved = total_of(all.bytes_in) + total_of(all.bytes_out) + total_of(all.bytes_peer);
  say(found, most->second, all.stall,
      fmt::format("{} small allocations ({}) share {} of pages: {} were copied, and kernels faulted {} times and "
                  "waited most for {}. Use one allocation for what is used together and divide it, so that "
                  "neighbours come with one fault.",
                  human_count(heap.small_allocations), human(heap.small_bytes), human(heap.small_ranges), human(moved),
                  human_count(device_faults_of(all)), quoted(most->second)));
}

}  // namespace

void find_short_budget(const ReportModel& model, Found& found) {
  const ReportTotals& totals = model.totals;
  if (totals.counters.refaults == 0 || totals.device_working_set <= totals.budget) return;
  Ticks again;
  for (const ReportRange& range : model.ranges) again += stall_again(range);
  const std::uint64_t devices = std::max<std::size_t>(1, model.devices.size());
  const Bytes each = round_up({totals.device_working_set.n / devices}, 1_MiB) + water_mark;
  // Counted half: more memory is seldom to be had.
  say(found, {again.n / 2},
      fmt::format("Kernels use {} and the budget is {}, {} too little: {} faults were on bytes evicted before. With "
                  "UMRT_DEVICE_BUDGET={}MiB{} they vanish.",
                  human(totals.device_working_set), human(totals.budget),
                  human(totals.device_working_set - totals.budget), human_count(totals.counters.refaults), each.n >> 20,
                  devices > 1 ? " (each device)" : ""));
}

void find_idle(const ReportModel& model, Found& found) {
  const ReportTotals& totals = model.totals;
  for (const ReportRange& range : model.ranges) {
    const Counters& counters = range.counters;
    const Bytes held = bytes_on_devices(range);
    // What is resident shows no use by itself; a sampled granule that nobody came back to does.
    const bool is_seen = held == Bytes{} || counters.samples > counters.samples_touched;
    if (range.count > 1 || !range.is_live || !is_seen || !was_used_by_device(counters)) continue;
    if (range.launches_since_use < 8 || counters.last_use.n * 2 > totals.elapsed.n) continue;
    if (range.bytes.n * 16 < totals.budget.n) continue;
    const bool is_on_device = held > Bytes{};
    say(found, range,
        totals.counters.refaults == 0 ? Ticks{} : share_of(totals.counters.stall, held.n, totals.budget.n),
        fmt::format(
            "Range {} is idle {}: the last {} launches did not use it, and it holds {} of {} memory. Free it{}{}.",
            quoted(range), last_launch(totals.launches, range.launches_since_use),
            human_count(range.launches_since_use), human(is_on_device ? held : range.bytes),
            is_on_device ? "device" : "host", is_on_device ? ", or umrt_prefetch_async it to the host" : "",
            range.hints.is_discardable ? ""
                                       : ", or advise UMRT_ADVISE_SET_DISCARDABLE if its contents are not needed"));
  }
}

void find_small_allocations(const ReportModel& model, Found& found) {
  find_small_ranges(model, found);
  find_shared_pages(model, found);
}

void find_pinned(const ReportModel& model, Found& found) {
  const Counters& totals = model.totals.counters;
  if (totals.evictions_pinned < 16 || totals.evictions_pinned * 100 < totals.evictions) return;
  const auto most = std::max_element(model.ranges.begin(), model.ranges.end(), [](const auto& a, const auto& b) {
    return a.counters.evictions_pinned < b.counters.evictions_pinned;
  });
  const std::string where = most == model.ranges.end() ? "" : ", most of them in " + quoted(*most);
  say(found, share_of(totals.stall, totals.evictions_pinned, totals.evictions + totals.evictions_pinned),
      fmt::format("{} evictions were skipped because the kernel held the pages{}: I/O in flight, mlock, io_uring "
                  "buffers. Do the I/O from memory outside of umrt_malloc, or end it before the launch.",
                  human_count(totals.evictions_pinned), where));
}

}  // namespace umrt
