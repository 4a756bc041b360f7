// SPDX-License-Identifier: Apache-2.0
#include "telemetry/recorder.h"

#include <algorithm>

#include "telemetry/findings.h"

namespace umrt {
namespace {

// The first timeline is that of the run: host bytes, each device's frames in use, remote bytes.
constexpr TimelineId run_timeline = 0;

// Samples a slot, so that its mean stands for more than one moment.
constexpr std::uint64_t samples_per_slot = 4;

Bytes moved(const ReportRange& range) {
  const Counters& counters = range.counters;
  return total_of(counters.bytes_in) + total_of(counters.bytes_out) + total_of(counters.bytes_peer);
}

// Most bytes moved first; then the larger, then the older, so that equal runs give equal reports.
bool stands_before(const ReportRange& a, const ReportRange& b) {
  if (moved(a) != moved(b)) return moved(a) > moved(b);
  if (a.bytes != b.bytes) return a.bytes > b.bytes;
  if (a.created != b.created) return a.created < b.created;
  return label_of(a) < label_of(b);
}

Timeline timeline_of(const Timelines& timelines, TimelineId id, Ticks until) {
  Timeline timeline;
  if (id == no_timeline) return timeline;
  for (const auto& values : timelines.means(id, until)) {
    ReportSlot& slot = timeline.emplace_back();
    if (values.empty()) continue;
    slot.is_known = true;
    for (std::size_t p = 0; p + 1 < values.size(); ++p) slot.resident.push_back({values[p]});
    slot.remote = {values.back()};
  }
  return timeline;
}

}  // namespace

Recorder::Recorder(RunFacts run, RecorderLimits limits)
    : run_{std::move(run)},
      limits_{limits},
      devices_(run_.device_budgets.size()),
      timelines_{limits.slots_max, limits.slot_min, static_cast<std::uint32_t>(run_.device_budgets.size()) + 2},
      retired_{limits.retired_max, limits.labels_max} {
  UMRT_ASSERT(run_.device_budgets.size() <= devices_max);
  const TimelineId first = timelines_.open();
  UMRT_ASSERT(first == run_timeline);
}

const Recorder::Live* Recorder::live(RangeId range) const {
  return range.n < live_.size() && live_[range.n].is_known ? &live_[range.n] : nullptr;
}

// The first live range that begins after an address.
std::vector<RangeId>::const_iterator Recorder::after(Address address) const {
  return std::upper_bound(by_address_.begin(), by_address_.end(), address,
                          [this](Address at, RangeId id) { return at < live_[id.n].identity.base; });
}

void Recorder::range_created(RangeIdentity range) {
  if (live_.size() <= range.range.n) live_.resize(range.range.n + 1);
  Live& entry = live_[range.range.n];
  UMRT_ASSERT(!entry.is_known);
  entry = Live{.is_known = true, .identity = std::move(range), .walk = {}, .timeline = no_timeline};
  by_address_.insert(after(entry.identity.base), entry.identity.range);
  follow(entry);
  ranges_created_ += 1;
  footprint_ += entry.identity.bytes;
  footprint_peak_ = std::max(footprint_peak_, footprint_);
}

// Gives the range a timeline, if need be that of a smaller one.
void Recorder::follow(Live& entry) {
  if (limits_.ranges_followed_max == 0) return;
  if (followed_.size() == limits_.ranges_followed_max) {
    const auto smallest = std::min_element(followed_.begin(), followed_.end(), [this](RangeId a, RangeId b) {
      return live_[a.n].identity.bytes < live_[b.n].identity.bytes;
    });
    Live& loser = live_[smallest->n];
    if (loser.identity.bytes >= entry.identity.bytes) return;
    timelines_.close(loser.timeline);
    loser.timeline = no_timeline;
    followed_.erase(smallest);
  }
  entry.timeline = timelines_.open();
  followed_.push_back(entry.identity.range);
}

void Recorder::range_advised(RangeId range, const Hints& hints) {
  UMRT_ASSERT(live(range) != nullptr);
  live_[range.n].identity.hints = hints;
}

void Recorder::range_renamed(RangeId range, Bytes asked, std::string name, std::string call_site) {
  UMRT_ASSERT(live(range) != nullptr);
  RangeIdentity& identity = live_[range.n].identity;
  identity.bytes = asked;
  identity.name = std::move(name);
  identity.call_site = std::move(call_site);
}

std::string Recorder::label_of(RangeId range) const {
  const Live* entry = live(range);
  if (entry == nullptr) return {};
  return entry->identity.name.empty() ? entry->identity.call_site : entry->identity.name;
}

void Recorder::range_retired(const RangeView& last, Ticks now) {
  UMRT_ASSERT(live(last.range) != nullptr);
  Live& entry = live_[last.range.n];
  ReportRange range = report(entry, last);
  range.is_live = false;
  range.retired = now;
  range.counters.resident = {};
  range.counters.resident_remote = {};
  retired_once_ += range.bytes_in_once;
  footprint_ -= entry.identity.bytes;
  const TimelineId unneeded = retired_.add({std::move(range), entry.timeline});
  if (unneeded != no_timeline) timelines_.close(unneeded);
  std::erase(followed_, last.range);
  by_address_.erase(after(entry.identity.base) - 1);
  entry = Live{};
}

void Recorder::fault(const Fault& fault) {
  const auto next = after(fault.address);
  if (next == by_address_.begin()) return;
  Live& entry = live_[(next - 1)->n];
  const Bytes offset = fault.address - entry.identity.base;
  if (fault.processor.is_device() && offset < entry.identity.bytes) {
    // Threads are numbered on each device; half of a tracker's places keep two devices apart.
    entry.walk.fault(fault.processor.device() * 4 + fault.thread, offset, entry.identity.bytes);
  }
}

void Recorder::launch_ended(ProcessorId device, Ticks began, Ticks ended, [[maybe_unused]] std::uint64_t phase) {
  UMRT_ASSERT(device.is_device() && device.device() < devices_.size());
  DeviceRecord& record = devices_[device.device()];
  record.launches += 1;
  record.kernel += ended - began;
  timelines_.advance(ended);
  timelines_.count_launch(began);
}

void Recorder::sample(const EngineSnapshot& snapshot, Ticks now) {
  UMRT_ASSERT(snapshot.devices.size() == devices_.size());
  timelines_.advance(now);
  next_sample_ = now + Ticks{timelines_.slot().n / samples_per_slot};
  const auto places = static_cast<std::uint32_t>(devices_.size()) + 2;
  std::array<std::uint64_t, processors_max + 1> values{};
  Bytes working_set;
  for (const RangeView& view : snapshot.ranges) {
    const Live* entry = live(view.range);
    if (entry == nullptr) continue;
    if (was_used_by_device(*view.counters)) working_set += view.bytes;
    if (entry->timeline == no_timeline) continue;
    for (std::uint32_t p = 0; p + 1 < places; ++p) values[p] = view.counters->resident[p].n;
    values[places - 1] = view.counters->resident_remote.n;
    timelines_.add(entry->timeline, now, {values.data(), places});
  }
  working_set_peak_ = std::max(working_set_peak_, working_set);
  values[0] = snapshot.total.resident[host_processor.n].n;
  for (const DeviceView& device : snapshot.devices) values[device.device.n] = device.in_use.n;
  values[places - 1] = snapshot.total.resident_remote.n;
  timelines_.add(run_timeline, now, {values.data(), places});
}

ReportRange Recorder::report(const Live& entry, const RangeView& view) const {
  const Counters& counters = *view.counters;
  const RangeIdentity& identity = entry.identity;
  ReportRange range;
  range.name = identity.name;
  range.call_site = identity.call_site;
  range.bytes = identity.bytes;
  range.page_class = identity.page_class;
  range.hints = identity.hints;
  range.is_shared = identity.is_shared;
  range.created = identity.created;
  range.launches_since_use = timelines_.launches_since(std::max(counters.last_use, identity.created));
  range.bytes_in_once = std::min(total_of(counters.bytes_in), view.bytes);
  range.counters = counters;
  range.walk = entry.walk.walk();
  return range;
}

ReportTotals Recorder::totals(const EngineSnapshot& snapshot, Ticks now) const {
  ReportTotals totals;
  totals.footprint_peak = footprint_peak_;
  totals.device_working_set = working_set_peak_;
  totals.bytes_in_once = retired_once_;
  totals.ranges = ranges_created_;
  totals.elapsed = now;
  totals.counters = snapshot.total;
  for (const DeviceView& device : snapshot.devices) {
    totals.budget += device.budget;
    totals.peak += device.in_use_max;
  }
  for (const DeviceRecord& record : devices_) {
    totals.launches += record.launches;
    totals.kernel += record.kernel;
  }
  Bytes working_set;
  for (const RangeView& view : snapshot.ranges) {
    const Live* entry = live(view.range);
    if (entry == nullptr) continue;
    totals.bytes_in_once += std::min(total_of(view.counters->bytes_in), view.bytes);
    if (was_used_by_device(*view.counters)) working_set += view.bytes;
  }
  totals.device_working_set = std::max(totals.device_working_set, working_set);
  return totals;
}

std::vector<ReportDevice> Recorder::devices(const EngineSnapshot& snapshot, Ticks now) const {
  const auto in_use = timelines_.means(run_timeline, now);
  std::vector<ReportDevice> devices;
  for (const DeviceView& view : snapshot.devices) {
    const std::uint32_t ordinal = view.device.device();
    ReportDevice& device = devices.emplace_back();
    device.ordinal = ordinal;
    device.budget = view.budget;
    device.in_use = view.in_use;
    device.peak = view.in_use_max;
    device.launches = devices_[ordinal].launches;
    device.kernel = devices_[ordinal].kernel;
    for (const auto& values : in_use) {
      device.in_use_timeline.push_back(values.empty() ? Bytes{} : Bytes{values[view.device.n]});
    }
  }
  return devices;
}

ReportModel Recorder::build(const EngineSnapshot& snapshot, Ticks now, const ReportHeap& heap) const {
  UMRT_ASSERT(snapshot.devices.size() == devices_.size());
  ReportModel model;
  model.run = run_;
  model.totals = totals(snapshot, now);
  model.devices = devices(snapshot, now);
  model.heap = heap;
  model.slot = timelines_.slot();
  std::vector<std::pair<ReportRange, TimelineId>> whole;
  for (const RangeView& view : snapshot.ranges) {
    if (const Live* entry = live(view.range)) whole.emplace_back(report(*entry, view), entry->timeline);
  }
  for (const Retired::Whole& gone : retired_.whole()) whole.emplace_back(gone.range, gone.timeline);
  std::stable_sort(whole.begin(), whole.end(),
                   [](const auto& a, const auto& b) { return stands_before(a.first, b.first); });

  RangesByLabel others = retired_.others();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto& [range, timeline] = whole[i];
    if (i >= limits_.report_ranges_max) {
      others.add(range);
      continue;
    }
    range.timeline = timeline_of(timelines_, timeline, range.is_live ? now : range.retired);
    model.ranges.push_back(std::move(range));
  }
  for (ReportRange& range : others.ranges()) model.ranges.push_back(std::move(range));
  std::stable_sort(model.ranges.begin(), model.ranges.end(), stands_before);
  model.findings = findings(model);
  return model;
}

}  // namespace umrt
