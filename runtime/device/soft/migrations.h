// SPDX-License-Identifier: Apache-2.0
// Carries actions out. A block action becomes a job that goes through the steps of its plan; remote actions are left to
// RemoteMappings, which has a number of its own.
//
// Structure: a job's number is also its slot for page operations (control_block.h) and its number in the copy queue.
// Actions that find no free job wait in order. Concurrency: the service thread, but for the host steps, which copy
// threads run on the job's own HostStep. Guarantee: every action is answered once; granules that failed are where they
// were before.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/event.h"
#include "device/soft/copy_queue.h"
#include "device/soft/device_unit.h"
#include "device/soft/host_work.h"
#include "device/soft/migration_plan.h"
#include "device/soft/remote_mappings.h"

namespace umrt::soft {

class Migrations {
 public:
  static constexpr std::uint32_t jobs_max = remote_slot;

  Migrations(HostView& host, DeviceUnits& units, std::uint32_t copy_threads, std::function<Ticks()> now,
             std::function<void()> ring);

  void submit(const BlockAction& action);
  void collect(std::vector<Event>& done);  // appends the answers to everything that has ended
  RemoteMappings& remote() { return remote_; }
  bool run_one_copy() { return copies_.run_one(); }
  bool has_waiting_copies() const { return copies_.has_waiting(); }
  bool has_finished_copies() const { return copies_.has_finished(); }
  bool is_idle() const { return jobs_in_use_ == 0 && backlog_.empty(); }

 private:
  struct Job {
    BlockAction action;
    Ticks began;
    GranuleMask failed;
    int error = 0;
    Plan plan;
    std::uint32_t next_step = 0;
    GranuleMask unmapped;  // at the source device, by this job
    bool is_undoing = false;
    HostStep host_step;
  };

  DeviceUnit& unit(ProcessorId device) { return *units_[device.device()]; }
  Address address(const Job& job, std::uint32_t granule) const;
  GranuleMask mapped_at(ProcessorId processor, const BlockAction& action);
  void start(std::uint32_t number, const BlockAction& action);
  void take_frames(Job& job);
  void give_back_frames(ProcessorId device, const Job& job, GranuleMask granules);
  void go_on(std::uint32_t number);
  void begin_host_step(std::uint32_t number);
  void end_host_step(std::uint32_t number);
  void end_page_operation(std::uint32_t number, DeviceUnit& unit);
  void end(std::uint32_t number);
  void run_host(std::uint32_t number) noexcept;

  HostView& host_;
  DeviceUnits& units_;
  std::function<Ticks()> now_;
  std::vector<Job> jobs_;
  std::uint64_t jobs_in_use_ = 0;
  std::deque<BlockAction> backlog_;
  std::vector<ActionDone> ended_;
  RemoteMappings remote_;
  CopyQueue copies_;  // last: its threads use what stands above
};

}  // namespace umrt::soft
