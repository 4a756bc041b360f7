// SPDX-License-Identifier: Apache-2.0
// The application's view of the arena: its page table, its faults, and the host tier's frames behind it.
//
// Concurrency: the service thread and the copy threads, on different granules. Nobody here touches the view itself.
// Guarantee: on failure a granule is as it was.
#pragma once

#include <span>

#include "device/device.h"
#include "device/soft/fault_way.h"
#include "device/soft/unit_table.h"
#include "os/shared_memory.h"
#include "os/userfaultfd.h"
#include "tier/host_memory.h"

namespace umrt::soft {

struct HostViewConfig {
  Bytes arena_bytes;
  FaultWay way = FaultWay::move;
  bool has_huge_pages = true;
  bool kernel_mode_faults = true;
};

class HostView {
 public:
  static Result<std::unique_ptr<HostView>> make(const HostViewConfig& config);

  const Arena& arena() const { return arena_; }
  int fault_fd() const { return faults_.fd(); }
  bool serves_kernel_mode() const { return faults_.serves_kernel_mode(); }
  std::size_t read_faults(std::span<os::PageFault> faults) noexcept { return faults_.read_faults(faults); }

  std::byte* frame(Address a) const { return frames_.frame(a); }
  bool is_mapped(Address granule) { return mapped_[granule] != 0; }
  // Where the bytes of a granule can be copied from now: its place in the view or its frame.
  const std::byte* bytes_of(Address granule) { return is_mapped(granule) ? arena_.pointer(granule) : frame(granule); }

  // Whether bytes of a granule are here, mapped or in its frame.
  bool is_held(Address granule) { return held_[granule] != 0; }
  void set_held(Address granule, bool is_held) { held_[granule] = is_held; }

  // All act on one granule, or on neighbours in the same state, and return an errno, 0 when done.
  int populate(Address a, Bytes bytes, Bytes granule, bool is_mapped) noexcept;
  int map(Address a, Bytes bytes, Bytes granule) noexcept;
  int map_protected(Address a, Bytes bytes, Bytes granule) noexcept;
  int unmap(Address a, Bytes bytes, Bytes granule) noexcept;
  int protect(Address a, Bytes bytes) noexcept;
  int unprotect(Address a, Bytes bytes) noexcept;
  int discard(Address a, Bytes bytes, Bytes granule) noexcept;
  int wake(Address a, Bytes bytes) noexcept;
  // Who touches the page that holds `a` gets SIGBUS from the kernel, a system call EFAULT, until its range is released.
  // ENOTSUP before Linux 6.6.
  int poison(Address a) noexcept;
  void release(Address a, Bytes bytes, Bytes granule) noexcept;  // of a freed range: the memory goes back

  // Whole ranges become shared memory and the view's own again (remote_view.cpp).
  bool can_share() noexcept;  // whether this kernel can take writes to shared memory back
  Result<os::SharedMemory> copy_to_shared(Address a, Bytes bytes, Bytes granule) noexcept;  // what is held; else zeros
  int share(Address a, Bytes bytes, const os::SharedMemory& memory) noexcept;  // nothing of it is mapped before
  void drop_frames(Address a, Bytes bytes, Bytes granule) noexcept;            // once it is shared
  Result<os::Mapping> make_own(Address a, Bytes bytes) noexcept;               // room for `unshare`
  // Every granule is mapped afterwards. A write to the shared memory at any moment is kept.
  int unshare(Address a, Bytes bytes, Bytes granule, os::Mapping& own, const os::SharedMemory& memory) noexcept;
  // The view's own, empty memory in one piece with its neighbours. Of a range that is freed: nobody touches it.
  void restore(Address a, Bytes bytes) noexcept;

 private:
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;
  HostView(os::Mapping view, HostMemory frames, os::Userfaultfd faults, UnitTable<std::uint8_t> mapped,
           UnitTable<std::uint8_t> held, Arena arena, FaultWay way, os::PageSize large);
  os::PageSize page_size(Address a) const { return a < arena_.huge_begin ? os::PageSize::small : large_; }
  void set_mapped(Address a, Bytes bytes, Bytes granule, bool is_mapped) noexcept;

  os::Mapping view_;
  HostMemory frames_;
  os::Userfaultfd faults_;
  PageTable pages_;
  UnitTable<std::uint8_t> mapped_, held_;
  Arena arena_;
  os::PageSize large_;  // of the huge zone
};

}  // namespace umrt::soft
