// SPDX-License-Identifier: Apache-2.0
#include "core/engine.h"

#include <algorithm>

#include "core/completion.h"
#include "core/device_life.h"
#include "core/engine_state.h"
#include "core/eviction.h"
#include "core/faults.h"
#include "core/invariants.h"
#include "core/prefetch.h"
#include "core/range_life.h"
#include "core/remote.h"
#include "core/residency.h"
#include "core/samples.h"

namespace umrt {

EngineState::EngineState(EngineConfig configuration)
    : config{std::move(configuration)},
      blocks{static_cast<std::uint32_t>(config.device_budgets.size())},
      fetch{config.policy.make_fetch()},
      thrashing{config.policy.make_thrashing()},
      waiters{1024} {
  UMRT_ASSERT(!config.device_budgets.empty());
  UMRT_ASSERT(config.device_budgets.size() <= devices_max);
  UMRT_ASSERT(config.free_low <= config.free_high);
  for (std::uint32_t d = 0; d < config.device_budgets.size(); ++d) {
    DeviceState device;
    device.id = device_processor(d);
    device.budget = config.device_budgets[d];
    device.eviction = config.policy.make_eviction();
    devices.push_back(std::move(device));
  }
}

struct Engine::State : EngineState {
  using EngineState::EngineState;

  void take(const RangeCreated& event) { create_range(*this, event); }
  void take(const RangeFreed& event) { free_range(*this, event); }
  void take(const RangeAdvised& event) { advise_range(*this, event); }
  void take(const PrefetchRequested& event) { begin_prefetch(*this, event); }
  void take(const Fault& event) { take_fault(*this, event); }
  void take(const ActionDone& event) { complete(*this, event); }
  void take(const RemoteDone& event) { remote_done(*this, event); }
  void take(const LaunchBegan&) {}  // for logs: a phase's name beside its faults
  void take(const LaunchEnded&) { ++launches_ended; }
  void take(const TimePassed& event) {
    retry_refused(*this);
    retry_waiters(*this);
    take_samples(*this, event.random, event.samples);
  }
  void take(const DeviceLost& event) { lose_device(*this, event); }
  void take(const DeviceEvacuated& event) { evacuate_device(*this, event); }
  void take(const DeviceReady& event) { ready_device(*this, event); }

  // What nobody waits for, after all that somebody does.
  void settle() {
    advance_remote(*this);
    retry_queued(*this);
    for (DeviceState& device : devices) {
      if (device.wanted > Bytes{}) evict_for_demand(*this, device);
      evict_ahead(*this, device);
    }
    advance_prefetches(*this);
    for (DeviceState& device : devices) fetch_ahead(*this, device);
    advance_evacuations(*this);
  }
};

namespace {

Ticks time_of(const ActionDone& event) { return event.ended; }
template <class E>
Ticks time_of(const E& event) {
  return event.at;
}

}  // namespace

Engine::Engine(EngineConfig config) : state_{std::make_unique<State>(std::move(config))} {}
Engine::~Engine() = default;

void Engine::step(std::span<const Event> events, std::vector<Action>& actions) {
  state_->actions = &actions;
  for (const Event& event : events) {
    std::visit(
        [&](const auto& e) {
          state_->now = std::max(state_->now, time_of(e));
          state_->take(e);
        },
        event);
  }
  state_->settle();
  state_->actions = nullptr;
}

std::optional<Ticks> Engine::deadline() const {
  std::optional<Ticks> first = state_->retries.next();
  const auto sooner = [&](Ticks at) {
    if (!first || at < *first) first = at;
  };
  bool needs_victims = false;
  for (const DeviceState& device : state_->devices) {
    needs_victims = needs_victims || device.wanted > Bytes{} || device.evacuation.has_value();
  }
  if (needs_victims) {
    if (const auto next = state_->pinned.next(state_->now)) sooner(*next);
  }
  for (auto i = state_->waiters.oldest(); i != Waiters::none; i = state_->waiters.newer(i)) {
    if (state_->waiters.at(i).not_before > Ticks{}) sooner(state_->waiters.at(i).not_before);
  }
  for (const RangeId id : state_->gathering) {
    const Range& range = state_->ranges.at(id);
    if (range.actions_in_flight == 0 && range.gather_not_before > state_->now) sooner(range.gather_not_before);
  }
  return first;
}

const Counters& Engine::total() const { return state_->total; }

namespace {

RangeView view_of(const EngineState& state, const Range& range) {
  return {.range = range.id,
          .base = range.base,
          .bytes = range.bytes,
          .page_class = range.page_class,
          .hints = state.blocks.hints(range.first_block),
          .created = range.created,
          .counters = &range.counters};
}

}  // namespace

std::optional<RangeView> Engine::range_at(Address address) const {
  const Range* range = state_->ranges.find(address);
  if (range == nullptr) return std::nullopt;
  return view_of(*state_, *range);
}

std::vector<RangeView> Engine::ranges() const {
  std::vector<RangeView> views;
  for (RangeId id{0}; id.n < state_->ranges.ids(); ++id.n) {
    if (state_->ranges.has(id)) views.push_back(view_of(*state_, state_->ranges.at(id)));
  }
  std::sort(views.begin(), views.end(), [](const RangeView& a, const RangeView& b) { return a.base < b.base; });
  return views;
}

Hints Engine::hints_at(Address address) const {
  const Range* range = state_->ranges.find(address);
  UMRT_ASSERT(range != nullptr);
  return state_->blocks.hints(range->block_at(address - range->base));
}

Residency Engine::residency(Address address) const {
  const Range* range = state_->ranges.find(address);
  UMRT_ASSERT(range != nullptr);
  const BlockId block = range->block_at(address - range->base);
  Residency residency{.granule = range->granule_at(address)};
  std::uint32_t mapped = 0;
  state_->for_each_processor([&](ProcessorId p) {
    if (state_->presence(block, p).mapped.has(residency.granule)) mapped |= 1u << p.n;
  });
  residency.resident = holders(*state_, block, residency.granule);
  residency.mapped = static_cast<std::uint16_t>(mapped);
  residency.is_remote = state_->blocks.at(block).remote.has(residency.granule);
  residency.is_in_flight = state_->blocks.at(block).in_flight.has(residency.granule);
  return residency;
}

bool Engine::is_lost(Address address) const {
  if (state_->lost.empty()) return false;
  const Range* range = state_->ranges.find(address);
  UMRT_ASSERT(range != nullptr);
  return state_->lost.of(range->block_at(address - range->base)).has(range->granule_at(address));
}

Bytes Engine::in_use(ProcessorId device) const { return state_->device(device).in_use; }
Bytes Engine::in_use_max(ProcessorId device) const { return state_->device(device).in_use_max; }
Bytes Engine::budget(ProcessorId device) const { return state_->device(device).budget; }
void Engine::check_invariants() const { umrt::check_invariants(*state_); }
std::uint64_t Engine::digest() const { return umrt::digest(*state_); }

}  // namespace umrt
