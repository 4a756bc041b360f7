// SPDX-License-Identifier: Apache-2.0
// One software device as the host sees it: its process, the orders given to it, its launch and its frames.
//
// Concurrency: the service thread alone. Guarantee: every posted operation is answered by `take_finished`, also when
// the process dies: then as failed, with ESRCH.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "device/device.h"
#include "device/soft/control_block.h"
#include "device/soft/device_copies.h"
#include "device/soft/device_frames.h"
#include "os/child_process.h"
#include "os/descriptor_channel.h"
#include "os/loaded_code.h"

namespace umrt::soft {

struct DeviceUnitConfig {
  Arena arena;
  Bytes budget;
  FaultWay way = FaultWay::move;
  CopyWayChoice copy_way{};
  bool has_huge_pages = true;
  bool kernel_mode_faults = false;
  std::uint32_t workers = 1;
  std::uint64_t spin_ns = 0;
  std::uint32_t cores = 1;
  int bell = -1;  // eventfd that the process rings while the host sleeps
};

struct WorkerFault {
  std::uint32_t worker = 0;
  std::uint64_t at_ns = 0;
  Address address;
  bool is_write = false;
  bool is_protection = false;
};

inline constexpr std::uint32_t surplus_slot = operations_max - 1;  // kept for dropping frames
inline constexpr std::uint32_t remote_slot = operations_max - 2;   // and for remote mappings; the others are free

class DeviceUnit {
 public:
  static Result<std::unique_ptr<DeviceUnit>> start(const DeviceUnitConfig& config);

  bool is_alive() const { return is_alive_; }
  int pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }
  DeviceFrames& frames() { return frames_; }
  DeviceCopies& copies() { return copies_; }
  std::uint32_t busy_workers() const noexcept { return is_alive_ ? control_->busy_workers.load() : 0; }

  // Posts an operation in a slot that is free. It goes to a worker that waits for one of the granules, or to one that
  // waits and spins, which saves a change of threads; else to the agent.
  void post(std::uint32_t slot, PageOperation kind, Address block, Bytes granule, GranuleMask granules) noexcept;
  // `share`, `unshare` and `resume`, of a whole range. `share` sends the memory's descriptor first; an errno of that.
  int post_remote(PageOperation kind, Address base, Bytes bytes, int descriptor) noexcept;
  std::uint64_t take_finished() noexcept;  // bits of slots
  const PostedOperation& operation(std::uint32_t slot) const { return control_->operations[slot]; }

  std::optional<WorkerFault> take_fault() noexcept;
  void reject(std::uint32_t worker, umrt_result why) noexcept;  // its fault: the kernel ends
  void announce_sleep(bool is_asleep) noexcept;
  bool has_news() const noexcept;  // a fault, a finished operation or the end of a kernel waits to be taken

  Status can_run(umrt_kernel kernel) const;
  Status launch(const Launch& launch);
  std::optional<KernelEnded> take_ended() noexcept;

  // Gives memory back where both pools together hold more than the budget; uses slots of its own.
  void keep_within_budget() noexcept;
  Status restart();                          // a new process with empty memory
  void kill() noexcept { process_.kill(); }  // its death is noticed as any other
  // Everything posted and the running kernel count as ended. The process is reaped at restart: until then a copy that
  // is under way can meet no stranger with its number.
  void process_died() noexcept;

 private:
  DeviceUnit(const DeviceUnitConfig& config, os::Mapping shared, DeviceFrames frames);
  Status start_process();
  Status wait_until_ready();
  void give_to_agent(std::uint64_t bit) noexcept;
  bool give_to_waiter_of(const PostedOperation& operation, std::uint64_t bit) noexcept;
  bool give_to_spinning_worker(std::uint64_t bit) noexcept;
  bool give_to_worker(WorkerState& worker, std::uint64_t bit) noexcept;  // false: it waits no more
  void grow_ahead() noexcept;

  DeviceUnitConfig config_;
  os::Mapping shared_;  // the control block
  ControlBlock* control_;
  DeviceFrames frames_;
  DeviceCopies copies_;
  os::ChildProcess process_;
  os::DescriptorChannel channel_;
  bool is_alive_ = false;
  os::LoadedCode code_at_start_;
  DeviceFrames::Surplus surplus_;  // being dropped
  std::uint64_t in_flight_ = 0;    // posted slots
  std::uint64_t lost_ = 0;         // slots that died with the process
  std::optional<std::uint64_t> running_launch_;
  std::uint64_t faults_taken_ = 0;  // bits of workers read but not handed out yet
};

}  // namespace umrt::soft
