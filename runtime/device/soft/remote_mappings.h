// SPDX-License-Identifier: Apache-2.0
// Carries remote actions out: ranges that become one shared mapping of system memory in every process, and cease to be.
//
// Steps of becoming: 0 fill the memory (a copy thread), 1 map it in every device process, whose workers stay stopped,
// 2 map it at the host, 3 let the workers go, 4 drop the host's frames. Until step 3 everything can be taken back, as
// nobody has written to it. Steps of ceasing: 0 make room for the bytes (a copy thread), 1 unmap it in every device
// process, 2 take it back at the host (a copy thread). Nobody loses a write: see page_operations.cpp and
// remote_view.cpp for the two sides.
// Concurrency: the service thread, but for `run_host_work`. One action at a time, in order.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/event.h"
#include "device/soft/device_unit.h"
#include "device/soft/host_view.h"

namespace umrt::soft {

using DeviceUnits = std::vector<std::unique_ptr<DeviceUnit>>;

class RemoteMappings {
 public:
  // `submit_host_work` has `run_host_work` called, then `host_work_ended`.
  RemoteMappings(HostView& host, DeviceUnits& units, std::function<Ticks()> now,
                 std::function<void()> submit_host_work);

  void submit(const RemoteAction& action);
  void run_host_work() noexcept;
  void host_work_ended();
  void page_operation_ended(std::uint32_t unit);  // the one in its remote slot
  void collect(std::vector<Event>& done);
  bool is_idle() const { return !job_; }

  void release(const RangeReleased& released);  // the host's side of a range, whatever it was
  Status map_again(DeviceUnit& unit);           // after its restart, with nothing under way

 private:
  enum class Step { fill, share, resume, drop_frames, take_back, make_room, unshare, switch_host, share_again };
  struct Job {
    RemoteAction action;
    Step step = Step::fill;
    int error = 0;
    std::uint32_t awaited = 0;  // bits of units whose page operation has not ended
    os::SharedMemory memory;    // while it is not mapped everywhere
    os::Mapping own;
  };
  struct Shared {
    Bytes bytes;
    os::SharedMemory memory;  // none: the range has ceased to be remote, but its mapping is not the arena's yet
  };

  void start(const RemoteAction& action);
  void work(Step step);  // on a copy thread
  void order(Step step, PageOperation operation);
  void refused(std::uint32_t unit, int error);
  void page_operations_ended();
  void answer(bool is_remote, bool is_done);
  void end();
  Bytes granule() const { return granule_bytes(job_->action.page_class); }

  HostView& host_;
  DeviceUnits& units_;
  std::function<Ticks()> now_;
  std::function<void()> submit_host_work_;
  std::optional<Job> job_;
  std::deque<RemoteAction> backlog_;
  std::vector<RemoteDone> ended_;
  std::map<std::uint64_t, Shared> shared_;  // by base address
};

}  // namespace umrt::soft
