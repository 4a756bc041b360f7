// SPDX-License-Identifier: Apache-2.0
#include "device/soft/fault_way.h"

#include <cerrno>
#include <cstring>

#include "os/mapping.h"

namespace umrt::soft {
namespace {

int move_whole(os::Userfaultfd& faults, std::byte* target, std::byte* source, Bytes bytes, bool wakes) noexcept {
  Bytes moved;
  const int error = faults.move(target, source, bytes, moved, wakes);
  if (error == 0 || moved == Bytes{}) return error;
  // Part of it went before a pinned page stopped it. The way back is free: nobody can have pinned it meanwhile
  // without finding it mapped at the target, and that is undone first.
  Bytes back;
  if (faults.move(source, target, moved, back, false) != 0) return EIO;
  return error;
}

int copy_whole(os::Userfaultfd& faults, std::byte* view, std::byte* frame, Bytes bytes, bool is_protected,
               bool wakes) noexcept {
  if (const int error = faults.copy(view, frame, bytes, is_protected, wakes); error != 0) {
    os::drop(view, bytes);
    return error;
  }
  os::drop(frame, bytes);
  return 0;
}

}  // namespace

const char* fault_way_name(FaultWay way) { return way == FaultWay::move ? "move" : "copy"; }

int PageTable::map(std::byte* view, std::byte* frame, Bytes bytes, Wake wake) noexcept {
  const bool wakes = wake == Wake::yes;
  if (way_ == FaultWay::move) return move_whole(*faults_, view, frame, bytes, wakes);
  return copy_whole(*faults_, view, frame, bytes, false, wakes);
}

int PageTable::map_protected(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  return copy_whole(*faults_, view, frame, bytes, true, true);
}

int PageTable::unmap(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  if (way_ == FaultWay::move) {
    int error = move_whole(*faults_, frame, view, bytes, false);
    if (error != EEXIST) return error;
    os::drop(frame, bytes);  // empty pages that were populated ahead of use while the frame was away
    return move_whole(*faults_, frame, view, bytes, false);
  }
  if (const int error = faults_->protect(view, bytes); error != 0) return error;
  std::memcpy(frame, view, bytes.n);
  os::drop(view, bytes);
  faults_->wake(view, bytes);  // writers that ran into the protection try again, and find nothing
  return 0;
}

int PageTable::protect(std::byte* view, Bytes bytes) noexcept { return faults_->protect(view, bytes); }
int PageTable::unprotect(std::byte* view, Bytes bytes) noexcept { return faults_->unprotect(view, bytes); }
int PageTable::wake(std::byte* view, Bytes bytes) noexcept { return faults_->wake(view, bytes); }

}  // namespace umrt::soft
