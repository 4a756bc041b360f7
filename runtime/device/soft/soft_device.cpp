// SPDX-License-Identifier: Apache-2.0
#include "device/soft/soft_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/log.h"
#include "device/soft/device_unit.h"
#include "device/soft/host_view.h"
#include "device/soft/migrations.h"
#include "device/soft/spin_history.h"
#include "os/clock.h"
#include "os/event_counter.h"
#include "os/memory_info.h"

namespace umrt {
namespace soft {
namespace {

constexpr std::uint64_t spin_ns_max = 50'000;  // longer than most page operations take

class SoftDevice final : public Device {
 public:
  SoftDevice(std::unique_ptr<HostView> host, os::EventCounter bell, DeviceFacts facts, std::uint32_t cores)
      : host_{std::move(host)},
        bell_{std::move(bell)},
        facts_{std::move(facts)},
        cores_{cores},
        start_ns_{os::monotonic_ns()} {
    abilities_ = {.duplicates = true, .remote_map = host_->can_share(), .samples = true};
  }

  Status start(const DeviceUnitConfig& common, const std::vector<Bytes>& budgets, std::uint32_t copy_threads) {
    DeviceUnitConfig config = common;
    config.arena = host_->arena();
    config.bell = bell_.fd();
    for (const Bytes budget : budgets) {
      config.budget = budget;
      auto unit = DeviceUnit::start(config);
      if (!unit) return tl::unexpected(unit.error());
      units_.push_back(std::move(*unit));
      facts_.processes.push_back(units_.back()->pid());
    }
    facts_.copy_way = copy_way_name(units_.front()->copies().way());
    migrations_.emplace(
        *host_, units_, copy_threads, [this] { return now(); }, [this] { ring(); });
    return {};
  }

  const Arena& arena() const override { return host_->arena(); }
  const DeviceAbilities& abilities() const override { return abilities_; }
  const DeviceFacts& facts() const override { return facts_; }
  std::uint32_t device_count() const override { return static_cast<std::uint32_t>(units_.size()); }
  Ticks now() const override { return {os::monotonic_ns() - start_ns_}; }

  void submit(std::span<const Action> actions) override;
  void wait(DeviceEvents& events, std::optional<Ticks> deadline) override;
  void poke() override {
    is_poked_.store(true);
    ring();
  }
  void reject(const Fault& fault, umrt_result why) override;
  Status can_run(ProcessorId device, umrt_kernel kernel) const override {
    return units_[device.device()]->can_run(kernel);
  }
  Status launch(ProcessorId device, const Launch& order) override { return unit(device).launch(order); }
  Status reset(ProcessorId device) override;

 private:
  DeviceUnit& unit(ProcessorId device) { return *units_[device.device()]; }
  void ring() {
    if (sleeps_.load()) os::signal_event(bell_.fd());
  }
  void collect(DeviceEvents& events);
  void collect_host_faults(DeviceEvents& events);
  void collect_deaths(DeviceEvents& events);
  bool has_news() const;
  bool may_spin() const;
  void sleep(std::optional<Ticks> deadline);

  std::unique_ptr<HostView> host_;
  os::EventCounter bell_;
  DeviceAbilities abilities_;
  DeviceFacts facts_;
  std::uint32_t cores_;
  SpinHistory spins_;
  std::uint64_t start_ns_;
  DeviceUnits units_;
  std::optional<Migrations> migrations_;
  DeviceEvents untold_;  // met while a device was restarted
  std::atomic<bool> is_poked_{false};
  std::atomic<bool> sleeps_{false};
};

void SoftDevice::submit(std::span<const Action> actions) {
  for (const Action& action : actions) {
    if (const auto* block = std::get_if<BlockAction>(&action)) {
      migrations_->submit(*block);
    } else if (const auto* released = std::get_if<RangeReleased>(&action)) {
      migrations_->remote().release(*released);
    } else if (const auto* remote = std::get_if<RemoteAction>(&action)) {
      migrations_->remote().submit(*remote);
    }
  }
}

void SoftDevice::collect_host_faults(DeviceEvents& events) {
  os::PageFault faults[16];
  const std::size_t count = host_->read_faults(faults);
  const Ticks at = now();
  for (std::size_t i = 0; i < count; ++i) {
    events.engine.push_back(Fault{.at = at,
                                  .processor = host_processor,
                                  .access = faults[i].is_write ? Access::write : Access::read,
                                  .is_protection = faults[i].is_protection,
                                  .thread = faults[i].thread,
                                  .address = arena().address(faults[i].address)});
  }
}

void SoftDevice::collect(DeviceEvents& events) {
  for (std::uint32_t i = 0; i < units_.size(); ++i) {
    const ProcessorId device = device_processor(i);
    while (const auto fault = units_[i]->take_fault()) {
      events.engine.push_back(Fault{.at = {fault->at_ns - start_ns_},
                                    .processor = device,
                                    .access = fault->is_write ? Access::write : Access::read,
                                    .is_protection = fault->is_protection,
                                    .thread = fault->worker,
                                    .address = fault->address});
    }
    if (auto ended = units_[i]->take_ended()) {
      ended->device = device;
      events.kernels.push_back(*ended);
    }
  }
  migrations_->collect(events.engine);
}

// DeviceLost comes before the answers of what died with the process.
void SoftDevice::collect_deaths(DeviceEvents& events) {
  for (std::uint32_t i = 0; i < units_.size(); ++i) {
    if (!units_[i]->is_alive() || !os::is_readable(units_[i]->pidfd())) continue;
    events.engine.push_back(DeviceLost{now(), device_processor(i)});
    units_[i]->process_died();
  }
}

bool SoftDevice::has_news() const {
  return is_poked_.load() || migrations_->has_finished_copies() || migrations_->has_waiting_copies() ||
         std::any_of(units_.begin(), units_.end(), [](const auto& unit) { return unit->has_news(); });
}

void SoftDevice::sleep(std::optional<Ticks> deadline) {
  sleeps_.store(true);
  for (const auto& unit : units_) unit->announce_sleep(true);
  if (!has_news()) {
    int descriptors[2 + devices_max] = {host_->fault_fd(), bell_.fd()};
    std::size_t count = 2;
    for (const auto& unit : units_)
      if (unit->is_alive()) descriptors[count++] = unit->pidfd();
    const auto timeout = deadline ? std::optional((*deadline - now()).n) : std::nullopt;
    os::wait_readable({descriptors, count}, timeout);
  }
  sleeps_.store(false);
  for (const auto& unit : units_) unit->announce_sleep(false);
  bell_.clear();
}

bool SoftDevice::may_spin() const {
  std::uint32_t busy = 1;  // this thread
  for (const auto& unit : units_) busy += unit->busy_workers();
  return busy <= cores_;
}

void SoftDevice::wait(DeviceEvents& events, std::optional<Ticks> deadline) {
  events.engine.insert(events.engine.end(), untold_.engine.begin(), untold_.engine.end());
  events.kernels.insert(events.kernels.end(), untold_.kernels.begin(), untold_.kernels.end());
  untold_.clear();
  bool is_spinning = may_spin() && spins_.is_worthwhile();
  std::uint64_t spin_end = os::monotonic_ns() + spin_ns_max;
  for (std::uint32_t round = 0;; ++round) {
    collect(events);
    if (round % 8 == 0) collect_host_faults(events);
    if (is_poked_.exchange(false) || !events.engine.empty() || !events.kernels.empty()) {
      if (is_spinning) spins_.paid();
      return;
    }
    const bool has_copied = migrations_->run_one_copy();
    if (deadline && now() >= *deadline) return;  // after a copy: deadlines without end must not keep it from its turn
    if (has_copied) {
      spin_end = os::monotonic_ns() + spin_ns_max;
      continue;
    }
    if (is_spinning && os::monotonic_ns() < spin_end) {
      os::cpu_relax();
      continue;
    }
    if (is_spinning) spins_.was_in_vain();
    is_spinning = false;
    sleep(deadline);
    collect_deaths(events);
    collect_host_faults(events);
  }
}

void SoftDevice::reject(const Fault& fault, umrt_result why) {
  if (fault.processor.is_device()) return unit(fault.processor).reject(fault.thread, why);
  const auto* pointer = static_cast<const void*>(arena().pointer(fault.address));
  const auto thread = static_cast<int>(fault.thread);
  if (why != UMRT_ERROR_DATA_LOSS) {
    log::error("illegal access: {} is managed address space, but in no allocation", pointer);
    return os::signal_own_thread(thread, SIGSEGV);
  }
  log::error("access to lost bytes: what was at {} died with a device; free its allocation", pointer);
  if (host_->poison(fault.address) != 0) os::signal_own_thread(thread, SIGBUS);
}

Status SoftDevice::reset(ProcessorId device) {
  while (!migrations_->remote().is_idle()) {  // a change that is under way would wait for the old process
    collect_deaths(untold_);
    collect(untold_);
    if (!migrations_->run_one_copy()) os::cpu_relax();
  }
  auto done = unit(device).restart();
  forget_deaths(untold_.engine, device);
  facts_.processes[device.device()] = unit(device).pid();
  if (done) done = migrations_->remote().map_again(unit(device));
  return done;
}

// Beside the service thread, which copies when it has nothing better to do. On two cores one more is worth it: a sweep
// over twice the budget went from 3.2 to 3.7 GB/s. More than a few only share the memory's bandwidth.
std::uint32_t copy_threads_default(std::uint32_t cores) { return cores == 1 ? 0 : std::clamp(cores / 4, 1u, 4u); }

Status check(const SoftDeviceConfig& config, std::uint32_t workers) {
  if (config.device_budgets.empty() || config.device_budgets.size() > devices_max) {
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("{} devices: 1 to {} are possible", config.device_budgets.size(), devices_max));
  }
  if (workers > workers_max)
    return failure(UMRT_ERROR_INVALID_VALUE, fmt::format("soft.workers is {}: at most {}", workers, workers_max));
  for (const Bytes budget : config.device_budgets) {
    if (budget >= soft_budget_min(workers)) continue;
    return failure(UMRT_ERROR_INVALID_VALUE,
                   fmt::format("device.budget is {} bytes: a software device with {} workers needs at least {} MiB",
                               budget.n, workers, soft_budget_min(workers) / 1_MiB));
  }
  return {};
}

}  // namespace
}  // namespace soft

Bytes soft_budget_default() { return round_down({os::memory_available().n / 4}, 2_MiB); }
std::uint32_t soft_workers_default() { return std::min(os::cores_available(), soft::workers_max); }

Result<std::unique_ptr<Device>> make_soft_device(const SoftDeviceConfig& config) {
  using namespace soft;
  const std::uint32_t workers = config.workers != 0 ? config.workers : soft_workers_default();
  if (auto done = check(config, workers); !done) return tl::unexpected(done.error());

  DeviceFacts facts;
  const auto way = choose_fault_way(config.fault_way);
  if (!way) return tl::unexpected(way.error());
  auto host = HostView::make({.arena_bytes = config.arena_bytes, .way = *way, .has_huge_pages = config.huge_pages});
  if (!host) return tl::unexpected(host.error());
  auto bell = os::EventCounter::make();
  if (!bell) return tl::unexpected(bell.error());
  facts.fault_way = fault_way_name(*way);
  facts.has_huge_pages = config.huge_pages && *way == FaultWay::move && os::has_huge_pages();
  facts.serves_system_calls = (*host)->serves_kernel_mode();
  facts.workers = workers;

  const std::uint32_t cores = os::cores_available();
  const std::uint32_t copy_threads = config.copy_threads != 0 ? config.copy_threads : copy_threads_default(cores);
  const DeviceUnitConfig unit{.arena = {},
                              .budget = {},
                              .way = *way,
                              .copy_way = config.copy_way,
                              .has_huge_pages = facts.has_huge_pages,
                              .kernel_mode_faults = (*host)->serves_kernel_mode(),
                              .workers = workers,
                              .spin_ns = spin_ns_max,
                              .cores = cores / static_cast<std::uint32_t>(config.device_budgets.size()),
                              .bell = -1};
  auto device = std::make_unique<SoftDevice>(std::move(*host), std::move(*bell), std::move(facts), cores);
  if (auto done = device->start(unit, config.device_budgets, copy_threads); !done) return tl::unexpected(done.error());
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace umrt
