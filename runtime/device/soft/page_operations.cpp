// SPDX-License-Identifier: Apache-2.0
#include "device/soft/page_operations.h"

#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "device/soft/doorbell.h"
#include "os/child_process.h"
#include "os/descriptor_channel.h"
#include "os/mapping.h"

namespace umrt::soft {
namespace {

bool ends_mapped(PageOperation kind) {
  return kind != PageOperation::zero && kind != PageOperation::unmap && kind != PageOperation::protect &&
         kind != PageOperation::drop_frames && kind != PageOperation::unshare && kind != PageOperation::resume;
}

bool uses_frames(PageOperation kind) {
  return kind != PageOperation::protect && kind != PageOperation::unprotect && kind != PageOperation::wake;
}

// Neighbouring granules whose frames are neighbours too: one call serves them all. `visit(first, count)`.
template <class Visit>
void for_each_stretch(const PostedOperation& operation, Visit visit) {
  for_each_run(operation.granules, [&](std::uint32_t begin, std::uint32_t count) {
    std::uint32_t first = begin;
    for (std::uint32_t i = begin + 1; i <= begin + count; ++i) {
      const bool goes_on = i < begin + count && (!uses_frames(operation.kind) ||
                                                 operation.frames[i] == operation.frames[i - 1] + operation.granule.n);
      if (goes_on) continue;
      visit(first, i - first);
      first = i;
    }
  });
}

}  // namespace

void release_waiting(ControlBlock& control, const PostedOperation& operation) noexcept {
  if (!ends_mapped(operation.kind)) return;
  const GranuleMask done = operation.granules - operation.failed;
  const auto begin = static_cast<std::uint64_t>(operation.block - control.arena);
  for (std::uint32_t i = 0; i < control.workers; ++i) {
    WorkerState& worker = control.worker[i];
    if (worker.phase.load() != WorkerPhase::waiting) continue;
    const std::uint64_t offset = PageFaultWord::offset(worker.fault.load());
    if (offset < begin) continue;
    const std::uint64_t granule = (offset - begin) / operation.granule.n;
    if (granule >= 32 || !done.has(GranuleIndex{static_cast<std::uint32_t>(granule)})) continue;
    WorkerPhase expected = WorkerPhase::waiting;
    if (worker.phase.compare_exchange_strong(expected, WorkerPhase::running))
      wake_if_asleep(worker.changes, worker.sleeps);
  }
}

ParkedWorkers::ParkedWorkers(ControlBlock& control) noexcept : control_{control} {
  control_.park_wanted.store(1);
  for (std::uint32_t i = 0; i < control_.workers; ++i) os::signal_own_thread(control_.worker[i].thread.load(), SIGUSR1);
  for (std::uint32_t parked = 0; (parked = control_.parked.load()) < control_.workers;)
    os::futex_wait(control_.parked, parked);
}

ParkedWorkers::~ParkedWorkers() {
  control_.park_wanted.store(0);
  os::futex_wake_all(control_.park_wanted);
  while (control_.parked.load() != 0) os::cpu_relax();
}

// A MOVE gives a writable page, and a running writer could slip in before it is protected (Linux 6.18; UFFDIO_MOVE has
// no protected mode).
int PageOperations::map_protected(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  if (control_->way == FaultWay::copy) return pages_.map_protected(view, frame, bytes);
  std::optional<ParkedWorkers> parked;
  if (!parked_) parked.emplace(*control_);
  if (const int error = pages_.map(view, frame, bytes, PageTable::Wake::no); error != 0) return error;
  return pages_.protect(view, bytes);
}

int PageOperations::share(std::byte* view, Bytes bytes) noexcept {
  const os::FileDescriptor memory = os::DescriptorChannel::receive(control_->descriptors);
  if (!memory) return EMFILE;
  park();
  const int error = os::map_file_over(view, bytes, memory.get());
  if (error != 0) parked_.reset();
  return error;
}

// The fresh mapping is a hole in the view until it is watched, so no worker may run.
void PageOperations::unshare(std::byte* view, Bytes bytes) noexcept {
  park();
  const bool is_huge = control_->has_huge_pages && view >= control_->arena + control_->huge_begin.n;
  const bool is_done = os::reserve_over(view, bytes) == 0 &&
                       os::advise_page_size(view, bytes, is_huge ? os::PageSize::huge : os::PageSize::small) &&
                       pages_.watch(view, bytes) == 0;
  if (!is_done) os::exit_child(1);  // a view with a hole would lose writes
  parked_.reset();
}

void PageOperations::execute(PostedOperation& operation) noexcept {
  operation.failed = {};
  operation.error = 0;
  for_each_stretch(operation, [&](std::uint32_t first, std::uint32_t count) {
    std::byte* view = operation.block + operation.granule.n * first;
    std::byte* frame = operation.frames[first];
    const Bytes bytes = operation.granule * count;
    int error = 0;
    switch (operation.kind) {
      case PageOperation::zero:
        std::memset(frame, 0, bytes.n);
        break;
      case PageOperation::zero_and_map:
        std::memset(frame, 0, bytes.n);
        error = pages_.map(view, frame, bytes, PageTable::Wake::yes);
        break;
      case PageOperation::map:
        error = pages_.map(view, frame, bytes, PageTable::Wake::yes);
        break;
      case PageOperation::map_protected:
        error = map_protected(view, frame, bytes);
        break;
      case PageOperation::unmap:
        error = pages_.unmap(view, frame, bytes);
        break;
      case PageOperation::protect:
        error = pages_.protect(view, bytes);
        break;
      case PageOperation::unprotect:
        error = pages_.unprotect(view, bytes);
        break;
      case PageOperation::wake:
        break;  // release_waiting does it: no thread waits in the kernel here
      case PageOperation::drop_frames:
        error = os::drop(frame, bytes);
        break;
      case PageOperation::share:
        error = share(view, bytes);
        break;
      case PageOperation::unshare:
        unshare(view, bytes);
        break;
      case PageOperation::resume:
        parked_.reset();
        break;
    }
    if (error != 0) {
      operation.failed |= GranuleMask::run(first, count);
      if (operation.error == 0) operation.error = error;
    }
  });
  release_waiting(*control_, operation);
}

void PageOperations::run(std::atomic<std::uint64_t>& posted) noexcept {
  for (std::uint64_t bits = posted.exchange(0); bits != 0; bits &= bits - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(bits));
    execute(control_->operations[slot]);
    control_->finished.fetch_or(std::uint64_t{1} << slot);
    ring_host(*control_);
  }
}

}  // namespace umrt::soft
