// SPDX-License-Identifier: Apache-2.0
// A fixed run, told to a recorder: PageRank and a breadth-first search over a graph of twice the device's budget. The
// golden reports and docs/report.md are made of it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "telemetry/recorder.h"

namespace umrt::test {

inline RunFacts example_run() {
  RunFacts run;
  run.program = "umrt demo";
  run.policy = "lru";
  run.fault_way = "move";
  run.copy_way = "process_vm";
  run.has_huge_pages = true;
  run.serves_system_calls = false;
  run.workers = 2;
  run.host_budget = 8_GiB;
  run.device_budgets = {1_GiB};
  return run;
}

class ExampleRun {
 public:
  ExampleRun() : recorder_{example_run()} {
    edges_ = &create("edges", 1400_MiB, PageClass::page_2m);
    offsets_ = &create("offsets", 256_MiB, PageClass::page_2m);
    ranks_ = &create("ranks", 128_MiB, PageClass::page_2m);
    next_ = &create("", 128_MiB, PageClass::page_2m);
    distances_ = &create("distances", 64_MiB, PageClass::page_64k);
    snapshot_.devices = {{device_processor(0), 1_GiB, 0_B, 0_B}};
    for (std::uint64_t ms = 5; ms <= elapsed_ms; ms += 5) pass_to(ms);
    sum_up();
  }

  ReportModel report() const { return recorder_.build(snapshot_, at(elapsed_ms), heap_); }

 private:
  static constexpr std::uint64_t elapsed_ms = 18'400;
  static constexpr std::uint64_t search_begin_ms = 15'000;
  static constexpr Ticks at(std::uint64_t ms) { return {ms * 1'000'000}; }
  static constexpr std::size_t demand = 0, prefetch = 1, eviction = 2;

  struct Part {
    RangeView view;
    Counters counters;
  };

  Part& create(const std::string& name, Bytes bytes, PageClass page_class) {
    const RangeId id{static_cast<std::uint32_t>(parts_.size())};
    Part& part = parts_.emplace_back();
    part.view = {id, base_, bytes, page_class, {}, {}, &part.counters};
    recorder_.range_created({id, base_, bytes, page_class, name, "pagerank.cpp:87", {}, {}});
    base_ = base_ + round_up(bytes, 2_MiB);
    return part;
  }

  // The sweep over `edges` moves through device memory; the vectors stay; the search wants `distances` at the end.
  void pass_to(std::uint64_t ms) {
    const bool is_search = ms > search_begin_ms;
    const std::uint64_t ramp = std::min<std::uint64_t>(ms, 1'000);
    auto on_device = [](Part& part) -> Bytes& { return part.counters.resident[1]; };
    on_device(*edges_) = Bytes{(is_search ? 580_MiB : 512_MiB).n * ramp / 1'000};
    on_device(*offsets_) = Bytes{(256_MiB).n * ramp / 1'000};
    on_device(*ranks_) = is_search ? Bytes{(128_MiB).n * (elapsed_ms - ms) / 3'400} : 128_MiB;
    on_device(*next_) = is_search ? Bytes{} : 120_MiB;
    on_device(*distances_) = is_search ? 60_MiB : Bytes{};
    Bytes in_use;
    snapshot_.ranges.clear();
    for (Part& part : parts_) {
      in_use += on_device(part);
      part.counters.resident[0] = part.view.bytes - std::min(part.view.bytes, on_device(part));
      part.counters.bytes_in[demand] = on_device(part);  // so that the working set is seen
      snapshot_.ranges.push_back(part.view);
    }
    snapshot_.devices[0].in_use = in_use;
    snapshot_.devices[0].in_use_max = std::max(snapshot_.devices[0].in_use_max, in_use);
    if (at(ms) >= recorder_.next_sample()) recorder_.sample(snapshot_, at(ms));
    if (ms % 200 == 0) {
      recorder_.launch_ended(device_processor(0), at(ms - 185), at(ms), 1);
      for (std::uint64_t step = 0; step < 70; ++step) {
        recorder_.fault({at(ms), device_processor(0), umrt::Access::read, false, 0, edges_->view.base + 20_MiB * step});
        recorder_.fault({at(ms), device_processor(0), umrt::Access::write, false, 1,
                         distances_->view.base + 64_KiB * (step * 677 % 1024)});
      }
    }
  }

  void sum_up() {
    fill(*edges_, 17'200, 16'400, 21'800_MiB, 5'400_MiB, 0_MiB, 6'020);
    edges_->counters.discarded_clean = 26'400_MiB;
    edges_->counters.placement = Reason::first_touch;
    fill(*offsets_, 1'410, 1'150, 2'300_MiB, 512_MiB, 0_MiB, 610);
    fill(*ranks_, 420, 352, 704_MiB, 96_MiB, 640_MiB, 280);
    ranks_->counters.bytes_out[demand] = 480_MiB;
    ranks_->counters.faults[0] = {220, 20};
    ranks_->counters.samples = 40;
    ranks_->counters.samples_touched = 37;
    fill(*next_, 402, 330, 660_MiB, 0_MiB, 704_MiB, 240);
    fill(*distances_, 8'214, 210, 74_MiB, 430_MiB, 12_MiB, 410);
    distances_->counters.prefetched_wasted = 388_MiB;
    snapshot_.total = {};
    for (Part& part : parts_) add(snapshot_.total, part.counters);
  }

  void fill(Part& part, std::uint64_t faults, std::uint64_t refaults, Bytes in, Bytes ahead, Bytes out,
            std::uint64_t stall_ms) {
    Counters& counters = part.counters;
    counters.faults[1] = {faults - faults / 8, faults / 8};
    counters.refaults = refaults;
    counters.bytes_in[demand] = in;
    counters.bytes_in[prefetch] = ahead;
    counters.bytes_out[eviction] = out;
    counters.prefetched = ahead;
    counters.prefetched_used = ahead;
    counters.evictions = (in + ahead) / 2_MiB;
    counters.stall = at(stall_ms);
    counters.transfer = at(stall_ms * 3 / 4);
    counters.last_use = at(elapsed_ms - 40);
    counters.placement = Reason::device_high_performance;
  }

  Recorder recorder_;
  std::deque<Part> parts_;
  EngineSnapshot snapshot_;
  ReportHeap heap_{.used = 1976_MiB,
                   .reserved = 2_GiB,
                   .cached = 0_B,
                   .free_run_max = 62_MiB,
                   .fragmented = {139},
                   .small_allocations = 12,
                   .small_bytes = 768_B,
                   .small_ranges = 64_KiB};
  Address base_;
  Part *edges_ = nullptr, *offsets_ = nullptr, *ranks_ = nullptr, *next_ = nullptr, *distances_ = nullptr;
};

inline ReportModel example_report() {
  ReportModel model = ExampleRun{}.report();
  ComparisonRow this_run = comparison_row(model, "this run");
  const ComparisonRow no_prefetch{"no prefetch", {25'100'000'000}, {11'900'000'000}, 31'700_MiB, 1'900_MiB, 41'300};
  const ComparisonRow uvm{"policy uvm", {21'800'000'000}, {9'600'000'000}, 34'100_MiB, 2'060_MiB, 33'800};
  return with_comparison(std::move(model), {this_run, no_prefetch, uvm});
}

}  // namespace umrt::test
