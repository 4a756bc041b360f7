// SPDX-License-Identifier: Apache-2.0
// A device in the process of the test, so that ThreadSanitizer sees the whole runtime at work: kernels run on threads
// of this process, and a "fault" is a call of load() or store() that waits until the granule is mapped. Memory is that
// of one_process_memory.h. One thread carries actions out in order, as copy threads do; the rest is the service
// thread's.
//
// Only one such device exists at a time; load() and store() find it by themselves.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "os/event_counter.h"
#include "os/mapping.h"
#include "support/one_process_memory.h"

namespace umrt::test {

// Of a word of managed memory; for kernels, and for threads of the application. They throw AccessRejected.
std::uint64_t load(const std::uint64_t* word);
void store(std::uint64_t* word, std::uint64_t value);

class OneProcessDevice final : public Device {
 public:
  static constexpr std::uint32_t workers = 2;
  static Result<std::unique_ptr<Device>> make(const std::vector<Bytes>& budgets);
  static OneProcessDevice& instance();
  ~OneProcessDevice() override;

  // For tests, from any thread. Held actions wait until they are let go; they are not lost.
  void hold_actions();
  void let_actions_go();
  void kill(ProcessorId device);  // as if its process had ended
  void access(Address address, Access how, const std::function<void(std::uint64_t&)>& use);

  const Arena& arena() const override { return arena_; }
  const DeviceAbilities& abilities() const override { return abilities_; }
  const DeviceFacts& facts() const override { return facts_; }
  std::uint32_t device_count() const override { return static_cast<std::uint32_t>(kernels_.size()); }
  Ticks now() const override;
  void submit(std::span<const Action> actions) override;
  void wait(DeviceEvents& events, std::optional<Ticks> deadline) override;
  void poke() override;
  void reject(const Fault& fault, umrt_result why) override { memory_.reject(fault, why); }
  Status can_run(ProcessorId, umrt_kernel) const override { return {}; }
  Status launch(ProcessorId device, const Launch& launch) override;
  Status reset(ProcessorId device) override;

 private:
  struct Kernel {
    Launch order;
    std::vector<std::byte> arguments;
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint32_t> running{0};
    std::atomic<std::uint32_t> result{UMRT_SUCCESS};
    std::atomic<std::uint64_t> address{0};
    std::vector<std::thread> threads;
  };

  OneProcessDevice(const std::vector<Bytes>& budgets, os::Mapping view, os::EventCounter bell);
  void raise(const Event& event);
  void carry_out_all();
  void run_worker(ProcessorId device, Kernel& kernel);
  static void join(std::optional<Kernel>& kernel);

  os::Mapping view_;  // addresses alone; nothing lies there
  Arena arena_;
  DeviceAbilities abilities_{.duplicates = true, .remote_map = false, .samples = true};
  DeviceFacts facts_;
  os::EventCounter bell_;
  std::atomic<bool> is_poked_{false};
  OneProcessMemory memory_;
  std::vector<std::optional<Kernel>> kernels_;  // the service thread's

  std::mutex events_mutex_;
  DeviceEvents events_;

  std::mutex actions_mutex_;
  std::condition_variable actions_changed_;
  std::deque<BlockAction> actions_;
  std::vector<std::uint32_t> in_flight_;  // by processor: actions that wait() has not answered
  bool is_holding_ = false, is_ending_ = false;
  std::thread mover_;
};

}  // namespace umrt::test
