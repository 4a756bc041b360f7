// SPDX-License-Identifier: Apache-2.0
#include "api/service_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "api/countdown.h"
#include "api/mailbox.h"
#include "api/report_text.h"
#include "base/log.h"
#include "os/program_name.h"

namespace umrt {
namespace {

constexpr Ticks tick_length{10'000'000};  // while a kernel runs

EngineConfig engine_config(const Device& device, const StartOptions& options) {
  EngineConfig config;
  config.device_budgets = options.device_budgets;
  config.abilities = device.abilities();
  config.policy = options.policy->make;
  config.free_low = options.free_low;
  config.free_high = options.free_high;
  config.prefetches = options.prefetches;
  return config;
}

RunFacts run_facts(const Device& device, const StartOptions& options) {
  RunFacts facts;
  facts.program = os::program_name();
  facts.policy = options.policy->name;
  facts.device_kind = options.device;
  facts.fault_way = device.facts().fault_way;
  facts.copy_way = device.facts().copy_way;
  facts.is_prefetching = options.prefetches;
  facts.has_huge_pages = device.facts().has_huge_pages;
  facts.serves_system_calls = device.facts().serves_system_calls;
  facts.workers = device.facts().workers;
  facts.host_budget = options.host_budget;
  facts.device_budgets = options.device_budgets;
  return facts;
}

// Kernel and signature of its arguments ; stable within a run.
std::uint64_t phase_of(const LaunchWork& work) {
  const auto kernel = reinterpret_cast<std::uintptr_t>(work.kernel);
  return (kernel ^ (work.arguments.size() << 48)) * 0x9e3779b97f4a7c15;
}

}  // namespace

ServiceLoop::ServiceLoop(std::unique_ptr<Device> device, const StartOptions& options)
    : device_{std::move(device)},
      engine_{engine_config(*device_, options)},
      streams_{device_->device_count(), *this},
      recorder_{run_facts(*device_, options)},
      samples_per_second_{device_->abilities().samples ? options.samples_per_second : 0},
      kernels_(device_->device_count()),
      is_lost_(device_->device_count(), false),
      resets_(device_->device_count()),
      actions_in_flight_(device_->device_count()) {}

void ServiceLoop::run(Mailbox& mailbox) {
  DeviceEvents events;
  while (!is_stopping_) {
    events.clear();
    device_->wait(events, deadline());
    handle(events);
    mailbox.run_all(*this);
    advance_landings();
    advance_resets();
    tick();
    streams_.advance();
  }
}

void ServiceLoop::handle(const DeviceEvents& events) {
  for (const Event& event : events.engine) {
    if (const auto* fault = std::get_if<Fault>(&event)) {
      if (!is_legal(*fault)) continue;
      recorder_.fault(*fault);
    } else if (const auto* lost = std::get_if<DeviceLost>(&event)) {
      device_lost(*lost);
    } else if (const auto* done = std::get_if<ActionDone>(&event)) {
      count_in_flight(done->action, false);
    }
    untold_.push_back(event);
  }
  step();
  for (const KernelEnded& ended : events.kernels) kernel_ended(ended);
}

bool ServiceLoop::is_legal(const Fault& fault) {
  const bool is_in_range = engine_.range_at(fault.address).has_value();
  if (is_in_range && !engine_.is_lost(fault.address)) return true;
  device_->reject(fault, is_in_range ? UMRT_ERROR_DATA_LOSS : UMRT_ERROR_ILLEGAL_ADDRESS);
  return false;
}

void ServiceLoop::tell(const Event& event) {
  untold_.push_back(event);
  if (!is_stepping_) step();
}

void ServiceLoop::step() {
  is_stepping_ = true;
  while (!untold_.empty()) {
    stepped_.swap(untold_);
    untold_.clear();
    actions_.clear();
    engine_.step(stepped_, actions_);
    device_->submit(actions_);
    for (const Action& action : actions_)
      if (const auto* block = std::get_if<BlockAction>(&action)) count_in_flight(*block, true);
    for (const Action& action : actions_) {  // the device has carried RangeReleased out
      if (const auto* released = std::get_if<RangeReleased>(&action)) end_request(released->request, {});
      if (const auto* done = std::get_if<RequestDone>(&action)) {
        end_request(done->request, done->is_complete ? Status{} : failure(UMRT_ERROR_NOT_READY, "given up in part"));
      }
    }
  }
  is_stepping_ = false;
}

RequestId ServiceLoop::new_request(Done done) {
  const RequestId request{++requests_made_};
  requests_.emplace(request.n, std::move(done));
  return request;
}

void ServiceLoop::end_request(RequestId request, Status status) {
  const auto found = requests_.find(request.n);
  UMRT_ASSERT(found != requests_.end());
  const Done done = std::move(found->second);
  requests_.erase(found);
  done(std::move(status));
}

Status ServiceLoop::create_range(const NewRange& range) {
  if (bases_.size() <= range.range.n) bases_.resize(range.range.n + 1);
  bases_[range.range.n] = range.base;
  recorder_.range_created({.range = range.range,
                           .base = range.base,
                           .bytes = range.asked,
                           .page_class = range.page_class,
                           .name = std::string(range.name),
                           .call_site = call_site_key(range.call_site),
                           .hints = range.hints,
                           .created = now(),
                           .is_shared = range.is_shared});
  tell(RangeCreated{now(), range.range, range.base, range.bytes, range.page_class, range.hints});
  return {};
}

void ServiceLoop::release_range(RangeId range, Done done) {
  const auto last = engine_.range_at(bases_[range.n].value());
  UMRT_ASSERT(last.has_value());
  bases_[range.n].reset();
  recorder_.range_retired(*last, now());
  lost_granules_.erase(range.n);
  tell(RangeFreed{now(), range, new_request(std::move(done))});
}

Bytes ServiceLoop::bytes_of(RangeId range) const { return engine_.range_at(bases_[range.n].value())->bytes; }

bool ServiceLoop::holds(RangeId range, Address base, Bytes end) const {
  return range.n < bases_.size() && bases_[range.n] == base && end <= bytes_of(range);
}

// False also where another thread has released the range meanwhile.
bool ServiceLoop::is_in_flight(Address address) const {
  return engine_.range_at(address) && engine_.residency(address).is_in_flight;
}

void ServiceLoop::when_landed(Address begin, Address end, Bytes granule, Done done) {
  Landing landing{{}, std::move(done)};
  for (Address at = begin; at < end; at = at + granule)
    if (is_in_flight(at)) landing.granules.push_back(at);
  landings_.push_back(std::move(landing));
}

void ServiceLoop::advance_landings() {
  std::erase_if(landings_, [&](Landing& landing) {
    std::erase_if(landing.granules, [&](Address at) { return !is_in_flight(at); });
    if (!landing.granules.empty()) return false;
    landing.done({});
    return true;
  });
}

void ServiceLoop::advise(RangeId range, Bytes begin, Bytes end, const std::function<Hints(const Hints&)>& change,
                         Done done) {
  const Address base = bases_[range.n].value();
  const Bytes block = block_bytes(engine_.range_at(base)->page_class);
  const auto all = std::make_shared<Countdown>([done = std::move(done)] { done({}); });
  for (Bytes run = round_down(begin, block); run < end;) {
    const Hints hints = engine_.hints_at(base + run);
    Bytes run_end = run + block;
    while (run_end < end && engine_.hints_at(base + run_end) == hints) run_end += block;
    const Hints changed = change(hints);
    recorder_.range_advised(range, changed);
    tell(RangeAdvised{now(), range, run, std::min(run_end, bytes_of(range)), changed,
                      new_request([all](const Status&) {})});
    run = run_end;
  }
}

void ServiceLoop::start(std::uint64_t stream, const PrefetchWork& work) {
  if (!holds(work.range, work.base, work.end)) return streams_.prefetch_ended(stream);  // freed meanwhile
  // A hint: what could not be moved stays where it is.
  const RequestId request = new_request([this, stream](const Status&) { streams_.prefetch_ended(stream); });
  tell(PrefetchRequested{now(), work.range, work.begin, work.end, work.target, request});
}

Status ServiceLoop::start(ProcessorId device, const LaunchWork& work) {
  const std::uint64_t id = ++launches_;
  const Kernel kernel{id, phase_of(work), now()};
  if (auto launched = device_->launch(
          device,
          {.id = id, .kernel = work.kernel, .arguments = work.arguments, .items = work.items, .grain = work.grain});
      !launched)
    return launched;
  kernels_[device.device()] = kernel;
  tell(LaunchBegan{kernel.began, device, kernel.phase});
  return {};
}

void ServiceLoop::kernel_ended(const KernelEnded& ended) {
  auto& running = kernels_[ended.device.device()];
  UMRT_ASSERT(running.has_value());
  tell(LaunchEnded{now(), ended.device});
  recorder_.launch_ended(ended.device, running->began, now(), running->phase);
  running.reset();
  Status status;
  if (ended.result == UMRT_ERROR_ILLEGAL_ADDRESS) {
    status = failure(ended.result, fmt::format("a kernel touched address {:#x}, which is not managed memory; "
                                               "umrt_device_reset ends the error",
                                               ended.fault_address));
  } else if (ended.result == UMRT_ERROR_DATA_LOSS) {
    status = failure(ended.result, fmt::format("a kernel touched address {:#x}, whose bytes died with a device; free "
                                               "its allocation; umrt_device_reset ends the error",
                                               ended.fault_address));
  } else if (ended.result != UMRT_SUCCESS) {
    status = failure(ended.result, fmt::format("a kernel ended by signal {} ({}); umrt_device_reset ends the error",
                                               ended.signal, ::strsignal(ended.signal)));
  }
  streams_.kernel_ended(ended.device, std::move(status));
}

std::optional<Ticks> ServiceLoop::deadline() const {
  std::optional<Ticks> next = engine_.deadline();
  if (streams_.is_running_kernel() && (!next || last_tick_ + tick_length < *next)) next = last_tick_ + tick_length;
  return next;
}

void ServiceLoop::tick() {
  const Ticks at = now();
  const bool is_kernel_running = streams_.is_running_kernel();
  const auto engine_wants = engine_.deadline();
  if (!(engine_wants && *engine_wants <= at) && (at - last_tick_).n < tick_length.n) return;
  TimePassed passed{at, 0, 0};
  if (is_kernel_running && samples_per_second_ != 0) {
    sample_debt_ns_ = std::min<std::uint64_t>(sample_debt_ns_ + (at - last_tick_).n, 1'000'000'000);
    passed.samples = static_cast<std::uint32_t>(sample_debt_ns_ * samples_per_second_ / 1'000'000'000);
    sample_debt_ns_ -= passed.samples * 1'000'000'000 / samples_per_second_;
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    passed.random = random_;
  }
  last_tick_ = at;
  tell(passed);
  if (at >= recorder_.next_sample()) recorder_.sample(snapshot_of(engine_, device_->device_count()), at);
}

ReportModel ServiceLoop::report(std::span<const RangeName> renamed, std::span<const RangeId> unused,
                                const ReportHeap& heap) {
  EngineSnapshot snapshot = snapshot_of(engine_, device_->device_count());
  for (const RangeName& name : renamed)  // some may have been freed meanwhile
    if (name.range.n < bases_.size() && bases_[name.range.n])
      recorder_.range_renamed(name.range, name.asked, name.name, name.call_site);
  std::erase_if(snapshot.ranges, [&](const RangeView& view) {
    return std::find(unused.begin(), unused.end(), view.range) != unused.end();
  });
  return recorder_.build(snapshot, now(), heap);
}

}  // namespace umrt
