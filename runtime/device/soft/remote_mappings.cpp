// SPDX-License-Identifier: Apache-2.0
#include "device/soft/remote_mappings.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "os/event_counter.h"
#include "os/futex.h"

namespace umrt::soft {

RemoteMappings::RemoteMappings(HostView& host, DeviceUnits& units, std::function<Ticks()> now,
                               std::function<void()> submit_host_work)
    : host_{host}, units_{units}, now_{std::move(now)}, submit_host_work_{std::move(submit_host_work)} {}

void RemoteMappings::submit(const RemoteAction& action) {
  if (job_) {
    backlog_.push_back(action);
  } else {
    start(action);
  }
}

void RemoteMappings::start(const RemoteAction& action) {
  Job job;
  job.action = action;
  job_ = std::move(job);
  if (action.is_remote) return work(Step::fill);
  job_->memory = std::move(shared_.at(action.base.n).memory);
  if (action.keeps_bytes) {
    work(Step::make_room);
  } else {
    order(Step::unshare, PageOperation::unshare);
  }
}

void RemoteMappings::work(Step step) {
  job_->step = step;
  submit_host_work_();
}

void RemoteMappings::run_host_work() noexcept {
  const RemoteAction& action = job_->action;
  switch (job_->step) {
    case Step::fill:
      if (auto memory = host_.copy_to_shared(action.base, action.bytes, granule()))
        job_->memory = std::move(*memory);
      else
        job_->error = memory.error().system_errno;
      break;
    case Step::drop_frames:
      host_.drop_frames(action.base, action.bytes, granule());
      break;
    case Step::make_room:
      if (auto own = host_.make_own(action.base, action.bytes))
        job_->own = std::move(*own);
      else
        job_->error = own.error().system_errno;
      break;
    case Step::switch_host:
      if (action.keeps_bytes)
        job_->error = host_.unshare(action.base, action.bytes, granule(), job_->own, job_->memory);
      else
        host_.restore(action.base, action.bytes);
      if (job_->error == 0) job_->memory.release();
      break;
    default:
      UMRT_ASSERT(false);  // the others are steps of the service thread
  }
}

void RemoteMappings::host_work_ended() {
  const RemoteAction& action = job_->action;
  switch (job_->step) {
    case Step::fill:
      if (job_->error == 0) return order(Step::share, PageOperation::share);
      return answer(false, false), end();
    case Step::make_room:
      if (job_->error == 0) return order(Step::unshare, PageOperation::unshare);
      return answer(true, false), end();
    case Step::switch_host:
      if (job_->error != 0) return order(Step::share_again, PageOperation::share);
      for (Bytes offset; offset < action.bytes; offset += granule())
        host_.set_held(action.base + offset, action.keeps_bytes);
      if (!action.keeps_bytes) shared_.erase(action.base.n);  // it is the arena's own again
      return answer(false, true), end();
    default:
      return end();
  }
}

// Devices that are gone are left out: a new process maps what is shared.
void RemoteMappings::order(Step step, PageOperation operation) {
  job_->step = step;
  const RemoteAction& action = job_->action;
  for (std::uint32_t i = 0; i < units_.size(); ++i) {
    if (!units_[i]->is_alive()) continue;
    const int error = units_[i]->post_remote(operation, action.base, action.bytes, job_->memory.fd());
    if (error == 0)
      job_->awaited |= 1u << i;
    else
      refused(i, error);
  }
  if (job_->awaited == 0) page_operations_ended();
}

void RemoteMappings::refused(std::uint32_t unit, int error) {
  if (job_->step == Step::share_again) units_[unit]->kill();  // it cannot have the bytes: as if it had died of that
  job_->error = error;
}

void RemoteMappings::page_operation_ended(std::uint32_t unit) {
  UMRT_ASSERT(job_ && ((job_->awaited >> unit) & 1) != 0);
  const int error = units_[unit]->operation(remote_slot).error;
  if (error != 0 && error != ESRCH) refused(unit, error);
  job_->awaited &= ~(1u << unit);
  if (job_->awaited == 0) page_operations_ended();
}

void RemoteMappings::page_operations_ended() {
  const RemoteAction& action = job_->action;
  switch (job_->step) {
    case Step::share:
      if (job_->error == 0) job_->error = host_.share(action.base, action.bytes, job_->memory);
      if (job_->error != 0) return order(Step::take_back, PageOperation::unshare);
      answer(true, true);  // before any worker goes on: a kernel that has ended has not ended before it
      return order(Step::resume, PageOperation::resume);
    case Step::resume:
      if (job_->error != 0) return answer(true, false), end();  // it was on its way back
      return work(Step::drop_frames);
    case Step::unshare:
      return work(Step::switch_host);
    case Step::share_again:
      return order(Step::resume, PageOperation::resume);
    default:
      return answer(false, false), end();
  }
}

void RemoteMappings::answer(bool is_remote, bool is_done) {
  const RemoteAction& action = job_->action;
  if (is_remote) shared_.insert_or_assign(action.base.n, Shared{action.bytes, std::move(job_->memory)});
  if (!is_done) {
    log::warning("{} KiB stay {}: {}", action.bytes / 1_KiB, is_remote ? "mapped remotely" : "where they are",
                 std::strerror(job_->error));
  }
  ended_.push_back({.at = now_(), .range = action.range, .is_remote = is_remote, .is_done = is_done});
}

void RemoteMappings::end() {
  job_.reset();
  if (backlog_.empty()) return;
  const RemoteAction next = backlog_.front();
  backlog_.pop_front();
  start(next);
}

void RemoteMappings::collect(std::vector<Event>& done) {
  done.insert(done.end(), ended_.begin(), ended_.end());
  ended_.clear();
}

void RemoteMappings::release(const RangeReleased& released) {
  host_.release(released.base, released.bytes, granule_bytes(released.page_class));
  if (shared_.erase(released.base.n) != 0) host_.restore(released.base, released.bytes);
}

Status RemoteMappings::map_again(DeviceUnit& unit) {
  const auto run = [&](PageOperation operation, Address base, Bytes bytes, int descriptor) {
    if (const int error = unit.post_remote(operation, base, bytes, descriptor); error != 0) return error;
    while (unit.take_finished() == 0) {  // nothing else is posted
      if (os::is_readable(unit.pidfd())) return ESRCH;
      os::cpu_relax();
    }
    return unit.operation(remote_slot).error;
  };
  int error = 0;
  for (const auto& [base, shared] : shared_) {
    if (!shared.memory || error != 0) continue;
    error = run(PageOperation::share, Address{base}, shared.bytes, shared.memory.fd());
  }
  if (error == 0) error = run(PageOperation::resume, Address{0}, 4_KiB, -1);
  if (error == 0) return {};
  unit.kill();
  return failure(UMRT_ERROR_NO_DEVICE, fmt::format("remote mappings in a new device process: {}", std::strerror(error)),
                 error);
}

}  // namespace umrt::soft
