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

  // All act on one granule, or on neighbours in the same state, and return an errno, 0 when done.
  int populate(Address a, Bytes bytes, Bytes granule, bool is_mapped) noexcept;
  int map(Address a, Bytes bytes, Bytes granule) noexcept;
  int map_protected(Address a, Bytes bytes, Bytes granule) noexcept;
  int unmap(Address a, Bytes bytes, Bytes granule) noexcept;
  int protect(Address a, Bytes bytes) noexcept;
  int unprotect(Address a, Bytes bytes) noexcept;
  int discard(Address a, Bytes bytes, Bytes granule) noexcept;
  int wake(Address a, Bytes bytes) noexcept;
  void release(Address a, Bytes bytes, Bytes granule) noexcept;  // of a freed range: the memory goes back

 private:
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;
  HostView(os::Mapping view, HostMemory frames, os::Userfaultfd faults, UnitTable<std::uint8_t> mapped, Arena arena,
           FaultWay way);
  void set_mapped(Address a, Bytes bytes, Bytes granule, bool is_mapped) noexcept;

  os::Mapping view_;
  HostMemory frames_;
  os::Userfaultfd faults_;
  PageTable pages_;
  UnitTable<std::uint8_t> mapped_;
  Arena arena_;
};

}  // namespace umrt::soft
