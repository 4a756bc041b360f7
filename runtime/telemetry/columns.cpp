// SPDX-License-Identifier: Apache-2.0
#include "telemetry/columns.h"

#include <fmt/format.h>

#include "telemetry/human.h"

namespace umrt {
namespace {

std::string words_of(const SampledUse& use) {
  constexpr std::uint32_t error_max = 200;  // beyond it there were too few samples to say a thing
  if (use.error.n == 0 || use.error.n > error_max) return "";
  return fmt::format("{} give or take {}", percent(use.share.n, 1000), percent(use.error.n, 1000));
}

constexpr auto demand = static_cast<std::size_t>(Cause::demand);
constexpr auto prefetch = static_cast<std::size_t>(Cause::prefetch);
constexpr auto eviction = static_cast<std::size_t>(Cause::eviction);
constexpr auto user = static_cast<std::size_t>(Cause::user);

using Range = ReportRange;

const Column<Range> range_rows[] = {
    {"name", Shown::json, "", "the name that a hint gave it; empty without one",
     [](Range& r) -> std::string& { return r.name; }},
    {"call_site", Shown::json, "", "where it was allocated", [](Range& r) -> std::string& { return r.call_site; }},
    {"label", Shown::table, "RANGE", "its name, or else its call site; `× N` after it: N ranges together",
     [](const Range& r) { return label_of(r) + (r.count > 1 ? " × " + human_count(r.count) : ""); }},
    {"bytes", Shown::table, "SIZE", "as asked for; the sum where one row stands for several ranges",
     [](Range& r) -> Bytes& { return r.bytes; }},
    {"page_class_bytes", Shown::detail, "class", "the granule that it migrates in: 4K, 64K or 2M",
     [](Range& r) -> PageClass& { return r.page_class; }},
    {"count", Shown::json, "", "ranges that this row stands for", [](Range& r) -> std::uint64_t& { return r.count; }},
    {"is_live", Shown::json, "", "false: freed before the report", [](Range& r) -> bool& { return r.is_live; }},
    {"is_shared", Shown::json, "", "small allocations share it: `bytes` is the sum of those that live",
     [](Range& r) -> bool& { return r.is_shared; }},
    {"created_ms", Shown::json, "", "when, from the start of the run", [](Range& r) -> Ticks& { return r.created; }},
    {"freed_ms", Shown::detail, "freed after", "when, from the start of the run; 0 while it is live",
     [](Range& r) -> Ticks& { return r.retired; }},
    {"launches_since_use", Shown::json, "", "kernel launches known to have begun after its last use",
     [](Range& r) -> std::uint64_t& { return r.launches_since_use; }},
    {"bytes_in_once", Shown::json, "", "of the bytes copied in, each byte of the range counted once: the least traffic",
     [](Range& r) -> Bytes& { return r.bytes_in_once; }},
    {"walk_steps_ahead", Shown::json, "", "device faults shortly after their thread's previous one: a sweep",
     [](Range& r) -> std::uint64_t& { return r.walk.steps_ahead; }},
    {"walk_steps_back", Shown::json, "", "device faults far before their thread's previous one: a new pass",
     [](Range& r) -> std::uint64_t& { return r.walk.steps_back; }},
    {"walk_steps_other", Shown::json, "", "all other device faults: no order to be seen",
     [](Range& r) -> std::uint64_t& { return r.walk.steps_other; }},
    {"hints", Shown::detail, "hints", "what the application said of it", [](const Range& r) { return human(r.hints); }},
};

const Column<Counters> counter_rows[] = {
    {"faults_device", Shown::table, "FAULTS", "faults of kernels, on all devices; hits are not seen",
     [](const Counters& c) { return device_faults_of(c); }},
    {"refaults", Shown::table, "RE-FAULTS", "faults on granules that had been evicted from that device before",
     [](Counters& c) -> std::uint64_t& { return c.refaults; }},
    {"bytes_in", Shown::table, "IN", "copied into devices from the host",
     [](const Counters& c) { return total_of(c.bytes_in); }},
    {"bytes_out", Shown::table, "OUT", "copied from devices to the host",
     [](const Counters& c) { return total_of(c.bytes_out); }},
    {"prefetched_wasted_bytes", Shown::table, "WASTED", "fetched ahead and left the device untouched",
     [](Counters& c) -> Bytes& { return c.prefetched_wasted; }},
    {"stall_ms", Shown::table, "STALL", "time that kernel threads waited for data, summed over the threads",
     [](Counters& c) -> Ticks& { return c.stall; }},
    {"placement", Shown::detail, "placed by", "the rule that decided its last placement",
     [](Counters& c) -> Reason& { return c.placement; }},
    {"bytes_in_demand", Shown::detail, "in by fault", "copied in because a kernel waited for it",
     [](Counters& c) -> Bytes& { return c.bytes_in[demand]; }},
    {"bytes_in_prefetch", Shown::detail, "in ahead", "copied in ahead of use by the runtime",
     [](Counters& c) -> Bytes& { return c.bytes_in[prefetch]; }},
    {"bytes_in_user", Shown::detail, "in by request", "copied in by umrt_prefetch_async or an advice",
     [](Counters& c) -> Bytes& { return c.bytes_in[user]; }},
    {"bytes_in_eviction", Shown::json, "", "copied in by an eviction elsewhere",
     [](Counters& c) -> Bytes& { return c.bytes_in[eviction]; }},
    {"bytes_out_demand", Shown::detail, "out by fault", "copied out because the host touched it",
     [](Counters& c) -> Bytes& { return c.bytes_out[demand]; }},
    {"bytes_out_eviction", Shown::detail, "evicted", "copied out to make room",
     [](Counters& c) -> Bytes& { return c.bytes_out[eviction]; }},
    {"bytes_out_user", Shown::detail, "out by request", "copied out by umrt_prefetch_async or an advice",
     [](Counters& c) -> Bytes& { return c.bytes_out[user]; }},
    {"bytes_out_prefetch", Shown::json, "", "copied out ahead of use by the host",
     [](Counters& c) -> Bytes& { return c.bytes_out[prefetch]; }},
    {"discarded_clean_bytes", Shown::detail, "evicted clean", "evicted without a copy, the host's bytes being valid",
     [](Counters& c) -> Bytes& { return c.discarded_clean; }},
    {"bytes_peer_demand", Shown::detail, "peer by fault", "copied from device to device by faults",
     [](Counters& c) -> Bytes& { return c.bytes_peer[demand]; }},
    {"bytes_peer_prefetch", Shown::json, "", "copied from device to device ahead of use",
     [](Counters& c) -> Bytes& { return c.bytes_peer[prefetch]; }},
    {"bytes_peer_eviction", Shown::json, "", "copied from device to device to make room",
     [](Counters& c) -> Bytes& { return c.bytes_peer[eviction]; }},
    {"bytes_peer_user", Shown::detail, "peer by request", "copied from device to device by request",
     [](Counters& c) -> Bytes& { return c.bytes_peer[user]; }},
    {"populated_bytes", Shown::detail, "first touched", "zeros made on first touch, nothing copied",
     [](Counters& c) -> Bytes& { return c.bytes_populated; }},
    {"faults_host", Shown::detail, "host faults", "faults of the application's own threads",
     [](const Counters& c) { return faults_of(c, host_processor); }},
    {"prefetched_bytes", Shown::json, "", "fetched ahead of a fault, whatever the cause",
     [](Counters& c) -> Bytes& { return c.prefetched; }},
    {"prefetched_used_bytes", Shown::json, "", "fetched ahead and touched afterwards",
     [](Counters& c) -> Bytes& { return c.prefetched_used; }},
    {"evictions", Shown::json, "", "blocks evicted", [](Counters& c) -> std::uint64_t& { return c.evictions; }},
    {"evictions_pinned", Shown::json, "", "victims passed over because the kernel held a page of theirs",
     [](Counters& c) -> std::uint64_t& { return c.evictions_pinned; }},
    {"thrashing_holds", Shown::json, "", "times a block that two processors wanted in turn was held where it was",
     [](Counters& c) -> std::uint64_t& { return c.thrashing_holds; }},
    {"samples", Shown::json, "", "resident granules unmapped to see whether they are still used",
     [](Counters& c) -> std::uint64_t& { return c.samples; }},
    {"samples_touched", Shown::json, "", "of those, seen to be used",
     [](Counters& c) -> std::uint64_t& { return c.samples_touched; }},
    {"sampled_use", Shown::detail, "sampled use",
     "the two ratios that follow, in words; empty where the error is above 20 %",
     [](const Counters& c) { return words_of(sampled_use_of(c)); }},
    {"sampled_use_ratio", Shown::json, "", "the share of the samples that was seen to be used",
     [](const Counters& c) { return sampled_use_of(c).share; }},
    {"sampled_use_error_ratio", Shown::json, "", "its sampling error: half of the 95 % interval (Wilson's)",
     [](const Counters& c) { return sampled_use_of(c).error; }},
    {"transfer_ms", Shown::json, "", "time spent copying, summed over the copies",
     [](Counters& c) -> Ticks& { return c.transfer; }},
    {"last_use_ms", Shown::json, "", "when it was last seen to be used",
     [](Counters& c) -> Ticks& { return c.last_use; }},
    {"resident_remote_bytes", Shown::detail, "remote now", "one shared mapping of system memory now (zero-copy)",
     [](Counters& c) -> Bytes& { return c.resident_remote; }},
    {"hotness", Shown::json, "", "touches, halved every 100 ms",
     [](Counters& c) -> std::uint32_t& { return c.hotness; }},
    {"data_lost_granules", Shown::detail, "granules lost", "granules whose only copy died with a device's process",
     [](Counters& c) -> std::uint32_t& { return c.data_lost_granules; }},
};

const Column<ReportTotals> total_rows[] = {
    {"budget_bytes", Shown::json, "", "device memory that the run may use, over all devices",
     [](ReportTotals& t) -> Bytes& { return t.budget; }},
    {"peak_bytes", Shown::json, "", "most device memory in use at one time, over all devices",
     [](ReportTotals& t) -> Bytes& { return t.peak; }},
    {"footprint_peak_bytes", Shown::json, "", "most bytes allocated at one time",
     [](ReportTotals& t) -> Bytes& { return t.footprint_peak; }},
    {"device_working_set_bytes", Shown::json, "", "most bytes at one time of ranges that kernels had used",
     [](ReportTotals& t) -> Bytes& { return t.device_working_set; }},
    {"bytes_in_once", Shown::json, "", "of the bytes copied in, each byte of every range counted once",
     [](ReportTotals& t) -> Bytes& { return t.bytes_in_once; }},
    {"ranges", Shown::json, "", "ranges created", [](ReportTotals& t) -> std::uint64_t& { return t.ranges; }},
    {"launches", Shown::json, "", "kernel launches", [](ReportTotals& t) -> std::uint64_t& { return t.launches; }},
    {"elapsed_ms", Shown::json, "", "from the start of the runtime to the report",
     [](ReportTotals& t) -> Ticks& { return t.elapsed; }},
    {"kernel_ms", Shown::json, "", "time in kernels, summed over the launches",
     [](ReportTotals& t) -> Ticks& { return t.kernel; }},
};

const Column<ReportDevice> device_rows[] = {
    {"device", Shown::json, "", "its ordinal", [](ReportDevice& d) -> std::uint64_t& { return d.ordinal; }},
    {"name", Shown::table, "DEVICE", "as findings name it",
     [](const ReportDevice& d) { return human(device_processor(static_cast<std::uint32_t>(d.ordinal))); }},
    {"budget_bytes", Shown::table, "BUDGET", "memory that it may use",
     [](ReportDevice& d) -> Bytes& { return d.budget; }},
    {"peak_bytes", Shown::table, "PEAK", "most memory in use at one time",
     [](ReportDevice& d) -> Bytes& { return d.peak; }},
    {"in_use_bytes", Shown::json, "", "memory in use now", [](ReportDevice& d) -> Bytes& { return d.in_use; }},
    {"launches", Shown::table, "LAUNCHES", "kernel launches",
     [](ReportDevice& d) -> std::uint64_t& { return d.launches; }},
    {"kernel_ms", Shown::table, "KERNELS", "time in kernels, summed over the launches",
     [](ReportDevice& d) -> Ticks& { return d.kernel; }},
};

const Column<ReportHeap> heap_rows[] = {
    {"used_bytes", Shown::table, "USED", "addresses handed out, in whole granules",
     [](ReportHeap& h) -> Bytes& { return h.used; }},
    {"reserved_bytes", Shown::table, "RESERVED", "addresses that the heap has taken from the arena so far",
     [](ReportHeap& h) -> Bytes& { return h.reserved; }},
    {"cached_bytes", Shown::table, "KEPT", "of those used: freed ranges that threads keep for their next allocation",
     [](ReportHeap& h) -> Bytes& { return h.cached; }},
    {"largest_free_run_bytes", Shown::table, "LARGEST FREE RUN",
     "the largest allocation that the reserved addresses have room for",
     [](ReportHeap& h) -> Bytes& { return h.free_run_max; }},
    {"external_fragmentation_ratio", Shown::table, "FRAGMENTED",
     "external: the share of free bytes outside of the largest free runs, one of 2M ranges and one of all others",
     [](ReportHeap& h) -> Permille& { return h.fragmented; }},
    {"small_allocations", Shown::table, "SMALL", "live allocations of up to 2 KiB, which share ranges",
     [](ReportHeap& h) -> std::uint64_t& { return h.small_allocations; }},
    {"small_allocations_bytes", Shown::table, "THEIR SIZE", "of those, as asked for",
     [](ReportHeap& h) -> Bytes& { return h.small_bytes; }},
    {"small_ranges_bytes", Shown::table, "IN RANGES OF", "the ranges that they share",
     [](ReportHeap& h) -> Bytes& { return h.small_ranges; }},
};

const Column<ComparisonRow> comparison_rows[] = {
    {"label", Shown::table, "RUN", "how the run differed", [](ComparisonRow& r) -> std::string& { return r.label; }},
    {"elapsed_ms", Shown::table, "TIME", "measured time of the job",
     [](ComparisonRow& r) -> Ticks& { return r.elapsed; }},
    {"faults_device", Shown::table, "FAULTS", "faults of kernels",
     [](ComparisonRow& r) -> std::uint64_t& { return r.faults; }},
    {"stall_ms", Shown::table, "STALL", "time that kernel threads waited for data",
     [](ComparisonRow& r) -> Ticks& { return r.stall; }},
    {"bytes_in", Shown::table, "IN", "copied into devices", [](ComparisonRow& r) -> Bytes& { return r.bytes_in; }},
    {"bytes_out", Shown::table, "OUT", "copied out of devices", [](ComparisonRow& r) -> Bytes& { return r.bytes_out; }},
};

const Column<RunFacts> run_rows[] = {
    {"program", Shown::json, "", "what ran", [](RunFacts& f) -> std::string& { return f.program; }},
    {"policy", Shown::json, "", "the policy in charge", [](RunFacts& f) -> std::string& { return f.policy; }},
    {"device_kind", Shown::json, "", "the mechanism", [](RunFacts& f) -> std::string& { return f.device_kind; }},
    {"fault_way", Shown::json, "", "how faults are taken", [](RunFacts& f) -> std::string& { return f.fault_way; }},
    {"copy_way", Shown::json, "", "how bytes get from process to process",
     [](RunFacts& f) -> std::string& { return f.copy_way; }},
    {"is_prefetching", Shown::json, "", "false: only what was faulted on was fetched",
     [](RunFacts& f) -> bool& { return f.is_prefetching; }},
    {"has_huge_pages", Shown::json, "", "whether device memory has huge pages",
     [](RunFacts& f) -> bool& { return f.has_huge_pages; }},
    {"serves_system_calls", Shown::json, "", "whether system calls on managed buffers work",
     [](RunFacts& f) -> bool& { return f.serves_system_calls; }},
    {"workers", Shown::json, "", "kernel threads a device", [](RunFacts& f) -> std::uint64_t& { return f.workers; }},
    {"host_budget_bytes", Shown::json, "", "host memory that the run may use",
     [](RunFacts& f) -> Bytes& { return f.host_budget; }},
};

std::string text_of(Bytes bytes) { return bytes == Bytes{} ? "" : human(bytes); }
std::string text_of(std::uint32_t count) { return count == 0 ? "" : human_count(count); }
std::string text_of(std::uint64_t count) { return count == 0 ? "" : human_count(count); }
std::string text_of(Ticks time) { return time == Ticks{} ? "" : human(time); }
std::string text_of(Permille ratio) { return ratio.n == 0 ? "" : percent(ratio.n, 1000); }
std::string text_of(const std::string& words) { return words; }
std::string text_of(bool is_so) { return is_so ? "yes" : ""; }
std::string text_of(PageClass page_class) { return human(page_class); }
std::string text_of(Reason reason) { return reason == Reason::none ? "" : reason_name(reason); }

}  // namespace

std::span<const Column<ReportRange>> range_columns() { return range_rows; }
std::span<const Column<Counters>> counter_columns() { return counter_rows; }
std::span<const Column<ReportTotals>> total_columns() { return total_rows; }
std::span<const Column<ReportDevice>> device_columns() { return device_rows; }
std::span<const Column<ReportHeap>> heap_columns() { return heap_rows; }
std::span<const Column<ComparisonRow>> comparison_columns() { return comparison_rows; }
std::span<const Column<RunFacts>> run_columns() { return run_rows; }

template <class T>
std::string cell(const Column<T>& column, const T& subject) {
  return with_figure(column, subject, [](const auto& figure) { return text_of(figure); });
}

template <class T>
bool is_text(const Column<T>& column) {
  return std::holds_alternative<std::string& (*)(T&)>(column.get) ||
         std::holds_alternative<std::string (*)(const T&)>(column.get) ||
         std::holds_alternative<PageClass& (*)(T&)>(column.get);
}

template std::string cell(const Column<ReportRange>&, const ReportRange&);
template std::string cell(const Column<Counters>&, const Counters&);
template std::string cell(const Column<ReportDevice>&, const ReportDevice&);
template std::string cell(const Column<ReportHeap>&, const ReportHeap&);
template std::string cell(const Column<ComparisonRow>&, const ComparisonRow&);
template bool is_text(const Column<ReportRange>&);
template bool is_text(const Column<Counters>&);
template bool is_text(const Column<ReportDevice>&);
template bool is_text(const Column<ReportHeap>&);
template bool is_text(const Column<ComparisonRow>&);

}  // namespace umrt
