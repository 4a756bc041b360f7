// SPDX-License-Identifier: Apache-2.0
#include "device/soft/fault_way.h"

#include <sched.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "device/soft/soft_device.h"
#include "os/mapping.h"

namespace umrt::soft {
namespace {

constexpr Bytes page = 4_KiB;

// Each page leaves the frame before its copy is made, so this needs no more memory than there is.
void copy_page_by_page(os::Userfaultfd& faults, std::byte* view, std::byte* frame, Bytes bytes, bool is_protected,
                       bool wakes) noexcept {
  for (Bytes done; done < bytes; done += page) {
    alignas(8) std::byte kept[page.n];
    std::memcpy(kept, frame + done.n, page.n);
    os::drop(frame + done.n, page);
    int attempts = 0;
    Bytes copied;
    while (const int error = faults.copy(view + done.n, kept, page, copied, is_protected, wakes)) {
      // Threads may have written to the pages before this one: going back would lose that, going on would lose the
      // page.
      if (error == EEXIST || ++attempts > 1000) std::abort();
      ::sched_yield();
    }
  }
}

// Maps what a move could not, or all of it. Once a writable page is visible there is no way back: a thread may have
// written to it already.
int copy_whole(os::Userfaultfd& faults, std::byte* view, std::byte* frame, Bytes bytes, Bytes visible,
               bool is_protected, bool wakes) noexcept {
  Bytes copied = visible;
  const int error = faults.copy(view, frame, bytes, copied, is_protected, wakes);
  if (error != 0 && copied == Bytes{}) return error;
  os::drop(frame + visible.n, copied - visible);
  copy_page_by_page(faults, view + copied.n, frame + copied.n, bytes - copied, is_protected, wakes);
  return 0;
}

}  // namespace

const char* fault_way_name(FaultWay way) { return way == FaultWay::move ? "move" : "copy"; }

Result<FaultWay> choose_fault_way(FaultWayChoice choice) {
  if (choice == FaultWayChoice::copy) {
    auto opened = os::Userfaultfd::open({.move = false});
    if (!opened) return tl::unexpected(opened.error());
    return FaultWay::copy;
  }
  auto opened = os::Userfaultfd::open({.move = true});
  if (opened) return FaultWay::move;
  if (choice == FaultWayChoice::move) return tl::unexpected(opened.error());
  const std::string why_not_move = opened.error().detail;
  opened = os::Userfaultfd::open({.move = false});
  if (!opened) return tl::unexpected(opened.error());
  log::warning("pages are copied instead of moved, 4 KiB at a time: {}", why_not_move);
  return FaultWay::copy;
}

int PageTable::map(std::byte* view, std::byte* frame, Bytes bytes, Wake wake) noexcept {
  const bool wakes = wake == Wake::yes;
  Bytes moved;
  if (way_ == FaultWay::move && faults_->move(view, frame, bytes, moved, wakes) == 0) return 0;
  return copy_whole(*faults_, view, frame, bytes, moved, false, wakes);
}

int PageTable::map_protected(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  return copy_whole(*faults_, view, frame, bytes, {}, true, true);
}

int PageTable::unmap(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  return way_ == FaultWay::move ? move_back(view, frame, bytes) : copy_back(view, frame, bytes);
}

int PageTable::move_back(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  Bytes moved;
  int error = faults_->move(frame, view, bytes, moved, false);
  while (error == EEXIST) {  // empty pages that were populated ahead of use while the frame was away
    os::drop(frame + moved.n, bytes - moved);
    error = faults_->move(frame, view, bytes, moved, false);
  }
  if (error == 0 || moved == Bytes{}) return error;
  // A pinned page stopped it. What went comes back write-protected: it may have been so, and nothing tells.
  const int back = copy_whole(*faults_, view, frame, moved, {}, true, true);
  return back == 0 ? error : back;
}

int PageTable::copy_back(std::byte* view, std::byte* frame, Bytes bytes) noexcept {
  if (const int error = faults_->protect(view, bytes); error != 0) return error;
  std::memcpy(frame, view, bytes.n);
  os::drop(view, bytes);
  faults_->wake(view, bytes);  // writers that ran into the protection try again, and find nothing
  return 0;
}

int PageTable::protect(std::byte* view, Bytes bytes) noexcept { return faults_->protect(view, bytes); }
int PageTable::unprotect(std::byte* view, Bytes bytes) noexcept { return faults_->unprotect(view, bytes); }
int PageTable::wake(std::byte* view, Bytes bytes) noexcept { return faults_->wake(view, bytes); }
int PageTable::watch(std::byte* view, Bytes bytes) noexcept {
  return faults_->try_watch(view, bytes, os::Userfaultfd::Watch::missing_and_protected);
}

}  // namespace umrt::soft
