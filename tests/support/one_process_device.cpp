// SPDX-License-Identifier: Apache-2.0
#include "support/one_process_device.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "os/clock.h"

namespace umrt::test {
namespace {

std::atomic<OneProcessDevice*> the_device{nullptr};
thread_local ProcessorId this_processor = host_processor;

constexpr Bytes arena_bytes = 1_GiB;

}  // namespace

std::uint64_t load(const std::uint64_t* word) {
  OneProcessDevice& device = OneProcessDevice::instance();
  std::uint64_t value = 0;
  device.access(device.arena().address(word), Access::read, [&](const std::uint64_t& there) { value = there; });
  return value;
}

void store(std::uint64_t* word, std::uint64_t value) {
  OneProcessDevice& device = OneProcessDevice::instance();
  device.access(device.arena().address(word), Access::write, [&](std::uint64_t& there) { there = value; });
}

Result<std::unique_ptr<Device>> OneProcessDevice::make(const std::vector<Bytes>& budgets) {
  auto view = os::Mapping::reserve(arena_bytes);
  if (!view) return tl::unexpected(view.error());
  auto bell = os::EventCounter::make();
  if (!bell) return tl::unexpected(bell.error());
  return std::unique_ptr<Device>(new OneProcessDevice(budgets, std::move(*view), std::move(*bell)));
}

OneProcessDevice::OneProcessDevice(const std::vector<Bytes>& budgets, os::Mapping view, os::EventCounter bell)
    : view_{std::move(view)},
      arena_{.base = view_.base(), .bytes = view_.bytes(), .huge_begin = {arena_bytes.n / 2}},
      bell_{std::move(bell)},
      memory_{budgets, [this](const Event& event) { raise(event); }},
      kernels_(budgets.size()),
      in_flight_(budgets.size() + 1),
      mover_{[this] { carry_out_all(); }} {
  facts_.fault_way = "one process";
  facts_.workers = workers;
  the_device.store(this);
}

OneProcessDevice::~OneProcessDevice() {
  for (std::uint32_t i = 0; i < device_count(); ++i) kill(device_processor(i));
  for (auto& kernel : kernels_) join(kernel);
  {
    const std::lock_guard held{actions_mutex_};
    is_ending_ = true;
  }
  actions_changed_.notify_all();
  mover_.join();
  the_device.store(nullptr);
}

OneProcessDevice& OneProcessDevice::instance() { return *the_device.load(); }

void OneProcessDevice::access(Address address, Access how, const std::function<void(std::uint64_t&)>& use) {
  memory_.access(this_processor, address, how, use);
}

Ticks OneProcessDevice::now() const { return {os::monotonic_ns()}; }

void OneProcessDevice::raise(const Event& event) {
  {
    const std::lock_guard held{events_mutex_};
    events_.engine.push_back(event);
  }
  os::signal_event(bell_.fd());
}

void OneProcessDevice::poke() {
  is_poked_.store(true);
  os::signal_event(bell_.fd());
}

void OneProcessDevice::hold_actions() {
  const std::lock_guard held{actions_mutex_};
  is_holding_ = true;
}

void OneProcessDevice::let_actions_go() {
  {
    const std::lock_guard held{actions_mutex_};
    is_holding_ = false;
  }
  actions_changed_.notify_all();
}

void OneProcessDevice::kill(ProcessorId device) { memory_.kill({now(), device}); }

void OneProcessDevice::submit(std::span<const Action> actions) {
  for (const Action& action : actions) {
    if (const auto* released = std::get_if<RangeReleased>(&action)) memory_.release(*released);
    const auto* block = std::get_if<BlockAction>(&action);
    UMRT_ASSERT(!std::holds_alternative<RemoteAction>(action));
    if (block == nullptr) continue;
    const std::lock_guard held{actions_mutex_};
    actions_.push_back(*block);
    for (const ProcessorId p : {block->source, block->target})
      if (p != no_processor) ++in_flight_[p.n];
    actions_changed_.notify_all();
  }
}

void OneProcessDevice::carry_out_all() {
  std::unique_lock held{actions_mutex_};
  for (;;) {
    actions_changed_.wait(held, [&] { return is_ending_ || (!is_holding_ && !actions_.empty()); });
    if (is_ending_) return;
    const BlockAction action = actions_.front();
    actions_.pop_front();
    held.unlock();
    const Ticks began = now();
    const GranuleMask failed = memory_.carry_out(action);
    raise(ActionDone{began, now(), action, failed, failed.empty() ? Outcome::done : Outcome::lost});
    held.lock();
  }
}

void OneProcessDevice::wait(DeviceEvents& events, std::optional<Ticks> deadline) {
  const std::array<int, 1> bell{bell_.fd()};
  for (;;) {
    bell_.clear();
    {
      const std::lock_guard held{events_mutex_};
      events.engine.insert(events.engine.end(), events_.engine.begin(), events_.engine.end());
      events.kernels.insert(events.kernels.end(), events_.kernels.begin(), events_.kernels.end());
      events_.clear();
    }
    for (const Event& event : events.engine) {
      const auto* done = std::get_if<ActionDone>(&event);
      if (done == nullptr) continue;
      const std::lock_guard held{actions_mutex_};
      for (const ProcessorId p : {done->action.source, done->action.target})
        if (p != no_processor) --in_flight_[p.n];
    }
    for (const KernelEnded& ended : events.kernels) join(kernels_[ended.device.device()]);
    const bool is_poked = is_poked_.exchange(false);
    if (is_poked || !events.engine.empty() || !events.kernels.empty()) return;
    if (deadline && now() >= *deadline) return;
    os::wait_readable(bell, deadline ? std::optional((*deadline - now()).n) : std::nullopt);
  }
}

Status OneProcessDevice::launch(ProcessorId device, const Launch& order) {
  if (memory_.is_dead(device)) return failure(UMRT_ERROR_LAUNCH_FAILED, "the device has ended");
  UMRT_ASSERT(!kernels_[device.device()]);
  Kernel& kernel = kernels_[device.device()].emplace();
  kernel.order = order;
  kernel.arguments.assign(order.arguments.begin(), order.arguments.end());
  kernel.running.store(workers);
  for (std::uint32_t i = 0; i < workers; ++i)
    kernel.threads.emplace_back([this, device, &kernel] { run_worker(device, kernel); });
  return {};
}

void OneProcessDevice::run_worker(ProcessorId device, Kernel& kernel) {
  this_processor = device;
  const std::uint64_t grain = std::max<std::uint64_t>(kernel.order.grain, 1);
  try {
    for (std::uint64_t begin; (begin = kernel.next.fetch_add(grain)) < kernel.order.items;)
      kernel.order.kernel(kernel.arguments.data(), begin, std::min(begin + grain, kernel.order.items));
  } catch (const AccessRejected& rejected) {
    kernel.next.store(kernel.order.items);
    kernel.address.store(reinterpret_cast<std::uintptr_t>(arena_.pointer(rejected.address)));
    kernel.result.store(rejected.why);
  }
  if (kernel.running.fetch_sub(1) > 1) return;
  {
    const std::lock_guard held{events_mutex_};
    events_.kernels.push_back({.id = kernel.order.id,
                               .device = device,
                               .result = static_cast<umrt_result>(kernel.result.load()),
                               .signal = kernel.result.load() == UMRT_ERROR_LAUNCH_FAILED ? SIGKILL : 0,
                               .fault_address = kernel.address.load()});
  }
  os::signal_event(bell_.fd());
}

void OneProcessDevice::join(std::optional<Kernel>& kernel) {
  if (!kernel) return;
  for (std::thread& thread : kernel->threads) thread.join();
  kernel.reset();
}

// What the interface asks of its caller: no kernel runs, nothing is under way, and the memory is empty or lost.
Status OneProcessDevice::reset(ProcessorId device) {
  UMRT_ASSERT(!kernels_[device.device()]);
  {
    const std::lock_guard held{actions_mutex_};
    UMRT_ASSERT(in_flight_[device.n] == 0);
  }
  UMRT_ASSERT(memory_.holds_nothing(device));
  memory_.revive(device);
  {
    const std::lock_guard held{events_mutex_};
    forget_deaths(events_.engine, device);
  }
  return {};
}

}  // namespace umrt::test
