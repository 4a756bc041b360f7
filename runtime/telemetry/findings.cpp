// SPDX-License-Identifier: Apache-2.0
#include "telemetry/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "telemetry/evidence.h"
#include "telemetry/finding_rules.h"
#include "telemetry/human.h"

namespace umrt {

void say(Found& found, const ReportRange& range, Ticks gain, std::string text) {
  found.push_back({.rule = {}, .range = label_of(range), .text = std::move(text), .gain = gain});
}

void say(Found& found, Ticks gain, std::string text) {
  found.push_back({.rule = {}, .range = {}, .text = std::move(text), .gain = gain});
}

namespace {

constexpr auto demand = static_cast<std::size_t>(Cause::demand);

// A change to one range that would save less than this part of the run is not worth a line.
constexpr std::uint64_t least_gain = 200;

// In fewer granules than these the order of faults is chance: some are resident and passed over.
constexpr std::uint64_t granules_of_a_walk = 16;

// ---- what was lost

void find_data_lost(const ReportModel& model, Found& found) {
  for (const ReportRange& range : model.ranges) {
    if (range.counters.data_lost_granules == 0) continue;
    say(found, range, model.totals.elapsed,
        fmt::format("{} lost {} granules of {} when a device's process died: these bytes were nowhere else. Compute "
                    "them again after umrt_device_reset.",
                    quoted(range), range.counters.data_lost_granules, human(range.page_class)));
  }
}

// ---- how ranges are walked through

void find_cyclic_sweep(const ReportModel& model, Found& found) {
  const Bytes budget = model.totals.budget;
  for (const ReportRange& range : model.ranges) {
    const std::uint64_t passes = range.bytes.n == 0 ? 0 : bytes_in(range).n / range.bytes.n;
    if (range.count > 1 || passes < 2 || range.counters.refaults == 0) continue;
    if (!is_swept(range.walk) || range.walk.steps_back == 0 || range.bytes.n * 2 < budget.n) continue;
    const bool is_hinted = range.hints.pattern != AccessPattern::unknown;
    const bool is_larger = range.bytes > budget;
    say(found, range, stall_again(range),
        fmt::format("Range {} is swept cyclically and is {} the budget{}: each pass fetches it again, {} for its {}. "
                    "Do more work on a piece of it before the next one (pieces of {} at most){}{}.",
                    quoted(range), times(range.bytes.n, budget.n), is_larger ? "" : ", which it shares with others",
                    human(bytes_in(range)), human(range.bytes), human(Bytes{budget.n / 4 * 3}),
                    is_hinted ? "" : ", or hide the copies with UMRT_ADVISE_SEQUENTIAL, which fetches ahead",
                    is_larger ? fmt::format("; {} more budget would hold it", human(range.bytes - budget)) : ""));
  }
}

void find_random_in_large_granules(const ReportModel& model, Found& found) {
  for (const ReportRange& range : model.ranges) {
    if (range.page_class != PageClass::page_2m || is_swept(range.hints.pattern)) continue;
    const bool is_hinted = range.hints.pattern == AccessPattern::random;
    if (!is_hinted && (!is_random(range.walk) || range.bytes.n < granules_of_a_walk * (2_MiB).n)) continue;
    if (range.counters.refaults == 0 || bytes_in_again(range) < range.bytes) continue;
    say(found, range, stall_again(range),
        fmt::format("Range {} is touched at random, and every fault brings 2 MiB: {} in for its {}. Allocate it with "
                    "page_class UMRT_PAGE_CLASS_64K{}, so that a fault brings 64 KiB.",
                    quoted(range), human(bytes_in(range)), human(range.bytes),
                    is_hinted ? "" : " and UMRT_PATTERN_RANDOM"));
  }
}

void find_streamed_once(const ReportModel& model, Found& found) {
  const ReportTotals& totals = model.totals;
  for (const ReportRange& range : model.ranges) {
    if (range.count > 1 || range.hints.pattern == AccessPattern::streaming || totals.counters.refaults == 0) continue;
    if (!is_swept(range.walk) || range.walk.steps_back > 0 || range.counters.refaults > 0) continue;
    if (range.bytes.n * 4 < totals.budget.n || bytes_in(range).n * 2 < range.bytes.n) continue;
    say(found, range, share_of(totals.counters.stall, bytes_in(range).n, total_of(totals.counters.bytes_in).n),
        fmt::format("Range {} was walked through once and pushed up to {} of others out of the device. Advise "
                    "UMRT_ADVISE_STREAMING: it is fetched ahead and is the first to leave.",
                    quoted(range), human(std::min(range.bytes, totals.budget))));
  }
}

void find_wasted_prefetches(const ReportModel& model, Found& found) {
  for (const ReportRange& range : model.ranges) {
    const Counters& counters = range.counters;
    const Bytes wasted = counters.prefetched_wasted;
    if (wasted < 2_MiB || wasted.n * 4 < counters.prefetched.n) continue;
    const Bytes moved = total_of(counters.bytes_in) + total_of(counters.bytes_out);
    const bool is_users =
        total_of(counters.bytes_in).n < counters.bytes_in[static_cast<std::size_t>(Cause::user)].n * 2;
    say(found, range, share_of(counters.transfer, wasted.n, moved.n),
        fmt::format("{} of what was fetched ahead for {} ({} of {}) left the device untouched. {}",
                    percent(wasted.n, counters.prefetched.n), quoted(range), human(wasted), human(counters.prefetched),
                    is_users ? "Call umrt_prefetch_async later, or for less: what the next launch needs."
                             : "Advise UMRT_ADVISE_RANDOM, so that only what is touched comes."));
  }
}

// ---- who wants a range

void find_ping_pong(const ReportModel& model, Found& found) {
  for (const ReportRange& range : model.ranges) {
    const Counters& counters = range.counters;
    if (!goes_to_and_fro(range)) continue;
    const Bytes in = counters.bytes_in[demand];
    const Bytes out = counters.bytes_out[demand];
    const bool is_read = is_mostly_read_by_host(counters) && is_mostly_read_by_devices(counters);
    say(found, range, share_of(counters.stall + counters.transfer, out.n, in.n + out.n),
        fmt::format("Range {} goes to and fro: kernels faulted {} in and the host {} out, for its {}. {}",
                    quoted(range), human(in), human(out), human(range.bytes),
                    is_read ? "Both sides mostly read it: UMRT_ADVISE_SET_READ_MOSTLY keeps a copy on each."
                            : "Move it whole with umrt_prefetch_async when its turn changes, or keep it on the host "
                              "(UMRT_ADVISE_SET_PREFERRED_LOCATION) and map it for kernels "
                              "(UMRT_ADVISE_SET_ACCESSED_BY)."));
  }
}

void find_read_by_devices(const ReportModel& model, Found& found) {
  for (const ReportRange& range : model.ranges) {
    const Counters& counters = range.counters;
    const std::uint32_t readers = reading_devices(counters);
    const Bytes peer = total_of(counters.bytes_peer);
    if (readers < 2 || range.hints.is_read_mostly || !is_mostly_read_by_devices(counters)) continue;
    if (peer < range.bytes) continue;
    say(found, range, share_of(counters.stall, peer.n, (peer + bytes_in(range)).n),
        fmt::format("Range {} is only read by {} devices and moved between them, {} for its {}. "
                    "UMRT_ADVISE_SET_READ_MOSTLY keeps a copy on each.",
                    quoted(range), readers, human(peer), human(range.bytes)));
  }
}

void find_thrashing(const ReportModel& model, Found& found) {
  for (const ReportRange& range : model.ranges) {
    const std::uint64_t holds = range.counters.thrashing_holds;
    if (holds < 16 || goes_to_and_fro(range)) continue;
    say(found, range, share_of(range.counters.stall, holds, device_faults_of(range.counters)),
        fmt::format("Two processors want the same blocks of {} in turn: they were held in place {} times. Give each "
                    "processor a part of its own, aligned to 2 MiB, or one place to all with "
                    "UMRT_ADVISE_SET_PREFERRED_LOCATION.",
                    quoted(range), human_count(holds)));
  }
}

// ---- the machine

void find_system_calls(const ReportModel& model, Found& found) {
  if (model.run.serves_system_calls) return;
  say(found, {},
      "System calls on managed buffers, such as read(2) into one, fail with EFAULT here where the bytes are not on the "
      "host. Run as root, give access to /dev/userfaultfd, or set sysctl vm.unprivileged_userfaultfd=1.");
}

void find_no_huge_pages(const ReportModel& model, Found& found) {
  if (model.run.has_huge_pages || model.run.fault_way != "move") return;
  const bool is_large = std::any_of(model.ranges.begin(), model.ranges.end(),
                                    [](const ReportRange& range) { return range.page_class == PageClass::page_2m; });
  if (!is_large) return;
  say(found, {},
      "Device memory has no huge pages: the first use of each 4 KiB costs as much as a fault on 2 MiB. Write madvise "
      "to /sys/kernel/mm/transparent_hugepage/enabled, or leave soft.huge_pages at its default.");
}

constexpr FindingRule rules[] = {
    {"data-lost", "bytes of a range died with a device's process", find_data_lost},
    {"cyclic-sweep", "a large range is walked through in order, again and again, and does not stay", find_cyclic_sweep},
    {"random-in-2m", "a 2M range is touched in no order and more than its size comes in again",
     find_random_in_large_granules},
    {"streamed-once", "a large range is walked through once while others are evicted", find_streamed_once},
    {"wasted-prefetch", "a quarter or more of what was fetched ahead is never touched", find_wasted_prefetches},
    {"ping-pong", "host and device take a range from each other by faults", find_ping_pong},
    {"read-mostly", "several devices read a range and take it from each other", find_read_by_devices},
    {"thrashing", "blocks were held because two processors want them in turn", find_thrashing},
    {"short-budget", "kernels use more than the budget and fault on what was evicted", find_short_budget},
    {"idle", "a range that kernels used once is not used any more, for 8 launches and half of the run", find_idle},
    {"small-allocations",
     "64 or more allocations of at most 64 KiB have one label, or 256 or more share pages and kernels wait for those",
     find_small_allocations},
    {"pinned", "evictions are skipped because the kernel holds pages", find_pinned},
    {"system-calls", "system calls on managed buffers cannot be served", find_system_calls},
    {"no-huge-pages", "device memory of 2M ranges is made of 4 KiB pages", find_no_huge_pages},
};

}  // namespace

std::span<const FindingRule> finding_rules() { return rules; }

std::vector<Finding> findings(const ReportModel& model) {
  Found found;
  for (const FindingRule& rule : rules) {
    const std::size_t before = found.size();
    rule.find(model, found);
    for (std::size_t i = before; i < found.size(); ++i) found[i].rule = rule.name;
  }
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.gain > b.gain; });

  Found chosen;  // a range is named once, with what would gain most
  for (Finding& finding : found) {
    const bool is_named = !finding.range.empty() && std::any_of(chosen.begin(), chosen.end(), [&](const Finding& c) {
      return c.range == finding.range;
    });
    const bool is_trifle =
        !finding.range.empty() && finding.gain > Ticks{} && finding.gain.n < model.totals.elapsed.n / least_gain;
    if (!is_named && !is_trifle && chosen.size() < findings_max) chosen.push_back(std::move(finding));
  }
  return chosen;
}

}  // namespace umrt
