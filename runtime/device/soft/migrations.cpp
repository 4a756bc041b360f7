// SPDX-License-Identifier: Apache-2.0
#include "device/soft/migrations.h"

#include <bit>
#include <cerrno>
#include <cstring>

#include "base/log.h"

namespace umrt::soft {
namespace {

Outcome outcome_of(int error) {
  switch (error) {
    case 0:
      return Outcome::done;
    case ENOMEM:
      return Outcome::no_memory;
    case ESRCH:
      return Outcome::lost;
    case EBUSY:
    case EINVAL:
    case EAGAIN:
      return Outcome::pinned;
    default:
      log::error("a page operation failed in an unforeseen way: {}", std::strerror(error));
      return Outcome::pinned;  // nothing has changed, and the engine tries again later
  }
}

std::byte* bounce_buffer() {  // 2 MiB for the calling thread
  thread_local const auto buffer = std::make_unique<std::byte[]>((2_MiB).n);
  return buffer.get();
}

bool needs_frames(const BlockAction& action) {
  return action.target.is_device() &&
         (action.operation == Operation::populate || action.operation == Operation::migrate ||
          action.operation == Operation::duplicate);
}

// What an action does to the mapping at a device, once its page operation has ended.
std::optional<bool> mapping_after(PageOperation operation) {
  switch (operation) {
    case PageOperation::map:
    case PageOperation::map_protected:
    case PageOperation::zero_and_map:
      return true;
    case PageOperation::unmap:
      return false;
    default:
      return std::nullopt;
  }
}

// What an action does to the bytes that the host has; nothing: they are there as before, or not.
std::optional<bool> held_after(const BlockAction& action) {
  const bool brings_bytes = action.operation == Operation::populate || action.operation == Operation::migrate ||
                            action.operation == Operation::duplicate;
  if (brings_bytes && action.target.is_host()) return true;
  if (action.operation == Operation::discard && action.target.is_host()) return false;
  if (action.operation == Operation::migrate && action.source.is_host() && !action.keeps_source) return false;
  return std::nullopt;
}

}  // namespace

Migrations::Migrations(HostView& host, DeviceUnits& units, std::uint32_t copy_threads, std::function<Ticks()> now,
                       std::function<void()> ring)
    : host_{host},
      units_{units},
      now_{std::move(now)},
      jobs_(jobs_max),
      remote_{host, units, now_, [this] { copies_.submit(remote_slot, false); }},
      copies_{copy_threads, [this](std::uint32_t number) { run_host(number); }, std::move(ring)} {
  ended_.reserve(4 * jobs_max);
}

Address Migrations::address(const Job& job, std::uint32_t granule) const {
  return job.action.base + granule_bytes(job.action.page_class) * granule;
}

void Migrations::submit(const BlockAction& action) {
  if (!backlog_.empty() || std::popcount(jobs_in_use_) >= static_cast<int>(jobs_max)) {
    backlog_.push_back(action);
    return;
  }
  start(static_cast<std::uint32_t>(std::countr_one(jobs_in_use_)), action);
}

GranuleMask Migrations::mapped_at(ProcessorId processor, const BlockAction& action) {
  GranuleMask mask;
  if (!processor.is_device()) return mask;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const Address a = action.base + granule_bytes(action.page_class) * i;
    if (action.granules.has({i}) && unit(processor).frames().is_mapped(a)) mask |= GranuleMask::one({i});
  }
  return mask;
}

void Migrations::start(std::uint32_t number, const BlockAction& action) {
  jobs_in_use_ |= std::uint64_t{1} << number;
  Job& job = jobs_[number];
  job.action = action;
  job.began = now_();
  job.failed = {};
  job.error = 0;
  job.next_step = 0;
  job.unmapped = {};
  job.is_undoing = false;
  if (needs_frames(action)) take_frames(job);
  job.plan = plan_of(action, mapped_at(action.source, action), mapped_at(action.target, action));
  go_on(number);
}

void Migrations::take_frames(Job& job) {
  DeviceUnit& target = unit(job.action.target);
  for (std::uint32_t i = 0; i < 32; ++i) {
    if (!job.action.granules.has({i})) continue;
    if (!target.is_alive()) {
      job.failed |= GranuleMask::one({i});
      job.error = ESRCH;
    } else if (!target.frames().take(address(job, i), job.action.page_class)) {
      job.failed |= GranuleMask::one({i});
      job.error = ENOMEM;
    }
  }
  target.keep_within_budget();
}

void Migrations::give_back_frames(ProcessorId device, const Job& job, GranuleMask granules) {
  DeviceFrames& frames = unit(device).frames();
  for (std::uint32_t i = 0; i < 32; ++i) {
    const Address a = address(job, i);
    if (granules.has({i}) && frames.has(a)) frames.give_back(a, job.action.page_class);
  }
}

void Migrations::go_on(std::uint32_t number) {
  Job& job = jobs_[number];
  while (job.next_step < job.plan.count) {
    const Step& step = job.plan.steps[job.next_step];
    const GranuleMask granules = job.is_undoing ? step.granules : step.granules - job.failed;
    if (granules.empty()) {
      ++job.next_step;
      continue;
    }
    if (step.kind == Step::Kind::host) return begin_host_step(number);
    unit(step.device).post(number, step.operation, job.action.base, granule_bytes(job.action.page_class), granules);
    return;
  }
  end(number);
}

void Migrations::begin_host_step(std::uint32_t number) {
  Job& job = jobs_[number];
  HostStep& step = job.host_step;
  step.action = job.action;
  step.granules = job.action.granules - job.failed;
  step.failed = {};
  step.error = 0;
  const auto places = [&](ProcessorId device, std::array<std::byte*, 32>& out, DeviceCopies*& copies) {
    if (!device.is_device()) return;
    copies = &unit(device).copies();
    for (std::uint32_t i = 0; i < 32; ++i) {
      const Address a = address(job, i);
      if (!step.granules.has({i})) continue;
      const DeviceFrames& frames = unit(device).frames();
      out[i] = frames.is_mapped(a) ? host_.arena().pointer(a) : frames.frame(a);
    }
  };
  places(job.action.source, step.source_places, step.source);
  if (needs_frames(job.action)) places(job.action.target, step.target_places, step.target);
  if (is_long(job.action)) return copies_.submit(number, job.action.cause == Cause::demand);
  run_host(number);
  end_host_step(number);
}

void Migrations::run_host(std::uint32_t number) noexcept {
  if (number == remote_slot) return remote_.run_host_work();
  HostStep& step = jobs_[number].host_step;
  const bool is_peer = step.action.source.is_device() && step.action.target.is_device();
  run_host_step(host_, step, is_peer ? bounce_buffer() : nullptr);
}

void Migrations::end_host_step(std::uint32_t number) {
  Job& job = jobs_[number];
  job.failed |= job.host_step.failed;
  if (job.host_step.error != 0) job.error = job.host_step.error;
  ++job.next_step;
  go_on(number);
}

void Migrations::end_page_operation(std::uint32_t number, DeviceUnit& done_at) {
  Job& job = jobs_[number];
  const Step& step = job.plan.steps[job.next_step];
  const PostedOperation& operation = done_at.operation(number);
  job.failed |= operation.failed;
  if (operation.error != 0) job.error = operation.error;
  const GranuleMask succeeded = operation.granules - operation.failed;
  if (const auto is_mapped = mapping_after(step.operation)) {
    for (std::uint32_t i = 0; i < 32; ++i)
      if (succeeded.has({i})) done_at.frames().set_mapped(address(job, i), *is_mapped);
    if (!*is_mapped) job.unmapped |= succeeded;
  }
  ++job.next_step;
  go_on(number);
}

// Steps: 0 put back what failed half-way, 1 give frames back, 2 answer, 3 start who waits for a job.
void Migrations::end(std::uint32_t number) {
  Job& job = jobs_[number];
  const GranuleMask to_remap = job.failed & job.unmapped;
  if (!job.is_undoing && job.action.operation == Operation::migrate && !to_remap.empty() &&
      unit(job.action.source).is_alive()) {
    job.is_undoing = true;
    job.plan = {};
    job.plan.add({Step::Kind::device_pages, PageOperation::map, job.action.source, to_remap});
    job.next_step = 0;
    return go_on(number);
  }
  const GranuleMask succeeded = job.action.granules - job.failed;
  if (needs_frames(job.action)) give_back_frames(job.action.target, job, job.failed);
  if (job.action.operation == Operation::migrate && job.action.source.is_device() && !job.action.keeps_source)
    give_back_frames(job.action.source, job, succeeded);
  if (job.action.operation == Operation::discard && job.action.target.is_device())
    give_back_frames(job.action.target, job, succeeded);
  if (const auto is_held = held_after(job.action)) {
    for (std::uint32_t i = 0; i < 32; ++i)
      if (succeeded.has({i})) host_.set_held(address(job, i), *is_held);
  }
  ended_.push_back(
      {job.began, now_(), job.action, job.failed, job.failed.empty() ? Outcome::done : outcome_of(job.error)});
  jobs_in_use_ &= ~(std::uint64_t{1} << number);
  if (!backlog_.empty()) {
    const BlockAction next = backlog_.front();
    backlog_.pop_front();
    start(number, next);
  }
}

void Migrations::collect(std::vector<Event>& done) {
  for (std::uint32_t i = 0; i < units_.size(); ++i) {
    for (std::uint64_t bits = units_[i]->take_finished(); bits != 0; bits &= bits - 1) {
      const auto number = static_cast<std::uint32_t>(std::countr_zero(bits));
      if (number == remote_slot)
        remote_.page_operation_ended(i);
      else
        end_page_operation(number, *units_[i]);
    }
  }
  for (std::uint64_t bits = copies_.take_finished(); bits != 0; bits &= bits - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(bits));
    if (number == remote_slot)
      remote_.host_work_ended();
    else
      end_host_step(number);
  }
  done.insert(done.end(), ended_.begin(), ended_.end());
  ended_.clear();
  remote_.collect(done);
}

}  // namespace umrt::soft
