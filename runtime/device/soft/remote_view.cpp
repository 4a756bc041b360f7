// SPDX-License-Identifier: Apache-2.0
// The host's side of a remote mapping: a range of the view becomes shared memory, and the view's own again.
//
// Becoming: the memory is filled before it is mapped, and until then a touch finds nothing and waits in its fault.
// Ceasing: writes are stopped by write-protection (they wait in their fault), the bytes are copied into memory of the
// view's own kind, and that takes the place of the shared memory in one step. Reads find the same bytes all the time.
// The new mapping is watched only after that step, which is early enough: every page of it is there.
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "device/soft/host_view.h"

namespace umrt::soft {
namespace {

using Watch = os::Userfaultfd::Watch;

}  // namespace

bool HostView::can_share() noexcept {  // Linux 5.19 can write-protect shared memory
  const auto memory = os::SharedMemory::make(4_KiB);
  if (!memory) return false;
  const auto mapping = os::Mapping::of_file(memory->fd(), 4_KiB);
  return mapping && faults_.try_watch(mapping->base(), 4_KiB, Watch::protected_alone) == 0;
}

Result<os::SharedMemory> HostView::copy_to_shared(Address a, Bytes bytes, Bytes granule) noexcept {
  auto memory = os::SharedMemory::make(bytes);
  if (!memory) return memory;
  for (Bytes begin; begin < bytes;) {
    if (!is_held(a + begin)) {
      begin += granule;
      continue;
    }
    Bytes end = begin + granule;
    while (end < bytes && is_held(a + end)) end += granule;
    if (const int error = memory->write(begin, frame(a + begin), end - begin); error != 0)
      return failure(UMRT_ERROR_OUT_OF_MEMORY, std::strerror(error), error);
    begin = end;
  }
  return memory;
}

int HostView::share(Address a, Bytes bytes, const os::SharedMemory& memory) noexcept {
  auto mapping = os::Mapping::of_file(memory.fd(), bytes);
  return mapping ? mapping->move_over(arena_.pointer(a)) : mapping.error().system_errno;
}

void HostView::drop_frames(Address a, Bytes bytes, Bytes granule) noexcept {
  frames_.drop(a, bytes);
  for (Bytes offset; offset < bytes; offset += granule) held_[a + offset] = false;
}

Result<os::Mapping> HostView::make_own(Address a, Bytes bytes) noexcept {
  auto own = os::Mapping::reserve(bytes);
  if (!own) return own;
  if (auto done = os::advise_page_size(own->base(), bytes, page_size(a)); !done) return tl::unexpected(done.error());
  if (const int error = os::populate(own->base(), bytes); error != 0)
    return failure(UMRT_ERROR_OUT_OF_MEMORY, std::strerror(error), error);
  return own;
}

int HostView::unshare(Address a, Bytes bytes, Bytes granule, os::Mapping& own,
                      const os::SharedMemory& memory) noexcept {
  std::byte* view = arena_.pointer(a);
  if (const int error = faults_.try_watch(view, bytes, Watch::protected_alone); error != 0) return error;
  int error = faults_.protect(view, bytes);
  if (error == 0) error = memory.read({}, own.base(), bytes);
  if (error == 0) error = own.move_over(view);
  if (error != 0) {
    faults_.unprotect(view, bytes);
    return error;
  }
  const int unwatched = pages_.watch(view, bytes);
  UMRT_ASSERT(unwatched == 0);  // the mapping is exactly the range: nothing has to be split for it
  set_mapped(a, bytes, granule, true);
  return 0;
}

void HostView::restore(Address a, Bytes bytes) noexcept {
  std::byte* view = arena_.pointer(a);
  int error = os::reserve_over(view, bytes);
  if (error == 0 && !os::advise_page_size(view, bytes, page_size(a))) error = EINVAL;
  if (error == 0) error = pages_.watch(view, bytes);
  UMRT_ASSERT(error == 0);  // it takes the place of one mapping, exactly
  os::drop(view, bytes);    // what a stray pointer wrote meanwhile
}

}  // namespace umrt::soft
