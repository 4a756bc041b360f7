// SPDX-License-Identifier: Apache-2.0
// What a placement report says, as plain data: filled by the recorder or read back from JSON, printed by text_report
// and json_report. Nothing here computes; columns.h names every figure, findings.h derives the sentences.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "core/counters.h"

namespace umrt {

struct RunFacts {  // what the run was started with; fixed once the runtime is up
  std::string program;
  std::string policy;
  std::string device_kind = "soft";
  std::string fault_way;  // "move", "copy"
  std::string copy_way;   // "process_vm", "staged"
  bool is_prefetching = true;
  bool has_huge_pages = false;
  bool serves_system_calls = true;  // read(2) into a managed buffer works
  std::uint64_t workers = 1;        // kernel threads a device
  Bytes host_budget;
  std::vector<Bytes> device_budgets;  // one a device
};

// Where the bytes were, slot by slot of the run; every timeline of a report has the same slots. Empty: not followed.
// A slot from before the range was created or after it was freed has `is_known` false.
struct ReportSlot {
  bool is_known = false;
  std::vector<Bytes> resident;  // [processor]; mean over the slot
  Bytes remote;
};
using Timeline = std::vector<ReportSlot>;

// How faults walked through a range, from the order of their addresses.
struct AccessWalk {
  std::uint64_t steps_ahead = 0;  // a fault a short way after the same thread's previous one
  std::uint64_t steps_back = 0;   // a jump backwards by more than that: a new pass
  std::uint64_t steps_other = 0;
};

struct ReportRange {  // one range, or several of one label together (count > 1)
  std::string name;   // of the hint; may be empty
  std::string call_site;
  Bytes bytes;  // as asked; the sum where several
  PageClass page_class = PageClass::page_2m;
  Hints hints;
  std::uint64_t count = 1;
  bool is_live = true;
  bool is_shared = false;  // many small allocations lie in it
  Ticks created, retired;
  std::uint64_t launches_since_use = 0;  // launches known to have begun after its last use
  Bytes bytes_in_once;                   // of what was copied in, each byte of the range counted once
  Counters counters;
  AccessWalk walk;
  Timeline timeline;
};

struct ReportDevice {
  std::uint64_t ordinal = 0;
  Bytes budget, in_use, peak;
  std::uint64_t launches = 0;
  Ticks kernel;  // sum over launches
  std::vector<Bytes> in_use_timeline;
};

struct ReportTotals {
  Bytes budget, peak;        // over all devices
  Bytes footprint_peak;      // most bytes allocated at one time, whole granules
  Bytes device_working_set;  // most bytes at one time of ranges that a device had used
  Bytes bytes_in_once;       // of what was copied in, each byte of every range counted once
  std::uint64_t ranges = 0;  // created
  std::uint64_t launches = 0;
  Ticks elapsed, kernel;
  Counters counters;
};

struct Permille {  // a ratio
  std::uint32_t n = 0;
};

struct ReportHeap {                     // managed memory as the application has it, when the report was made
  Bytes used{};                         // addresses handed out, in whole granules
  Bytes reserved{};                     // of the arena
  Bytes cached{};                       // of those used: freed ranges that threads keep for their next allocation
  Bytes free_run_max{};                 // the largest allocation that the reserved part has room for
  Permille fragmented{};                // external: the share of free bytes outside of the largest free runs
  std::uint64_t small_allocations = 0;  // live ones that share ranges
  Bytes small_bytes{};                  // of those, as asked for
  Bytes small_ranges{};                 // the ranges that they share
};

struct ComparisonRow {  // one run of the same job, measured
  std::string label;
  Ticks elapsed, stall;
  Bytes bytes_in, bytes_out;
  std::uint64_t faults = 0;  // on devices
};

struct Finding {
  std::string rule;   // of findings.h
  std::string range;  // its label; empty: the run as a whole
  std::string text;   // what is, and what to change
  Ticks gain;         // what the order of the findings goes by: time that the change may save
};

struct ReportModel {
  RunFacts run;
  ReportTotals totals;
  std::vector<ReportDevice> devices;
  ReportHeap heap;
  Ticks slot;                       // width of a timeline's slots
  std::vector<ReportRange> ranges;  // most bytes moved first
  std::vector<ComparisonRow> comparison;
  std::vector<Finding> findings;  // most gain first
};

// What a range is called: its name, else its call site, else "unnamed".
const std::string& label_of(const ReportRange& range);

std::uint64_t faults_of(const Counters& counters, ProcessorId processor);
std::uint64_t device_faults_of(const Counters& counters);
// The share of the sampled granules that were seen to be used, and half of its 95 % interval: Wilson's score interval
// (Journal of the American Statistical Association 22, 1927), which holds for few samples and for shares near 0 and 1.
struct SampledUse {
  Permille share{}, error{};
};
SampledUse sampled_use_of(const Counters& counters);  // zeros where nothing was sampled
Bytes total_of(const std::array<Bytes, causes>& by_cause);
bool was_used_by_device(const Counters& counters);

// Adds what was counted; points in time and decisions are the later ones.
void add(Counters& to, const Counters& more);
void add(ReportRange& to, const ReportRange& more);  // one row for both; timelines are left as they are

// The row that stands for the run of this report.
ComparisonRow comparison_row(const ReportModel& model, std::string label);
// The same report with measured runs to compare with; the first row should be that of the report itself.
ReportModel with_comparison(ReportModel model, std::vector<ComparisonRow> rows);

}  // namespace umrt
