// SPDX-License-Identifier: Apache-2.0
// Drives a device by hand, as the service thread would: gives actions and launches, waits for answers and faults.
#pragma once

#include <deque>
#include <stdexcept>
#include <thread>

#include "device/device.h"

namespace umrt::test {

class DeviceSession {
 public:
  explicit DeviceSession(Device& device) : device_{device} {}

  Device& device() { return device_; }

  ActionDone run(const BlockAction& action) {
    const Action ordered = action;
    device_.submit({&ordered, 1});
    return take<ActionDone>(done_, "an answer to an action");
  }
  RemoteDone run(const RemoteAction& action) {
    submit(action);
    return next_remote();
  }
  void submit(const Action& ordered) { device_.submit({&ordered, 1}); }
  ActionDone next_done() { return take<ActionDone>(done_, "an answer to an action"); }
  RemoteDone next_remote() { return take<RemoteDone>(remotes_, "an answer to a remote action"); }
  Fault next_fault() { return take<Fault>(faults_, "a fault"); }
  KernelEnded next_kernel() { return take<KernelEnded>(kernels_, "the end of a kernel"); }
  DeviceLost next_loss() { return take<DeviceLost>(losses_, "the loss of a device"); }
  bool has_fault() const { return !faults_.empty(); }
  bool has_kernel() const { return !kernels_.empty(); }
  std::size_t drop_faults() {
    const std::size_t count = faults_.size();
    faults_.clear();
    return count;
  }

  // One round of events; false when the deadline passed without any.
  bool pump(Ticks at_most) {
    events_.clear();
    device_.wait(events_, device_.now() + at_most);
    const bool has_any = !events_.engine.empty() || !events_.kernels.empty();
    for (const Event& event : events_.engine) {
      if (const auto* done = std::get_if<ActionDone>(&event)) done_.push_back(*done);
      if (const auto* remote = std::get_if<RemoteDone>(&event)) remotes_.push_back(*remote);
      if (const auto* fault = std::get_if<Fault>(&event)) faults_.push_back(*fault);
      if (const auto* lost = std::get_if<DeviceLost>(&event)) losses_.push_back(*lost);
    }
    for (const KernelEnded& ended : events_.kernels) kernels_.push_back(ended);
    return has_any;
  }

  template <class Arguments>
  Status launch(ProcessorId device, umrt_kernel kernel, const Arguments& arguments, std::uint64_t items = 1,
                std::uint64_t grain = 0) {
    return device_.launch(device, {.id = ++launches_,
                                   .kernel = kernel,
                                   .arguments = std::as_bytes(std::span(&arguments, 1)),
                                   .items = items,
                                   .grain = grain});
  }

 private:
  // A test that hangs says what it was waiting for.
  static constexpr Ticks patience{20'000'000'000};

  template <class T>
  T take(std::deque<T>& queue, const char* what) {
    const Ticks end = device_.now() + patience;
    while (queue.empty()) {
      pump(Ticks{100'000'000});
      if (queue.empty() && device_.now() > end) throw std::runtime_error(std::string("waited in vain for ") + what);
    }
    T first = queue.front();
    queue.pop_front();
    return first;
  }

  Device& device_;
  DeviceEvents events_;
  std::deque<ActionDone> done_;
  std::deque<RemoteDone> remotes_;
  std::deque<Fault> faults_;
  std::deque<KernelEnded> kernels_;
  std::deque<DeviceLost> losses_;
  std::uint64_t launches_ = 0;
};

}  // namespace umrt::test
