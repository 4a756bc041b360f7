// SPDX-License-Identifier: Apache-2.0
// How pages get into and out of a view, in the process that owns the view: the one difference between the ways to take
// faults.
//   move  UFFDIO_MOVE of the frame's pages (Linux 6.8): a page-table operation, huge pages stay whole.
//   copy  UFFDIO_COPY out of the frame into new pages, and protect, copy, drop on the way back (Linux 5.7).
// Concurrency: any thread; the caller makes sure that a granule is in one operation at a time.
// Guarantee: on failure nothing has changed, but that pages may be write-protected which were not. Where the memory of
// one page cannot be had half-way through, the process ends rather than lose a write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/units.h"
#include "os/userfaultfd.h"

namespace umrt {
enum class FaultWayChoice : std::uint8_t;
}

namespace umrt::soft {

enum class FaultWay : std::uint8_t { move, copy };
const char* fault_way_name(FaultWay way);
// The better way first; the log says what stops it.
Result<FaultWay> choose_fault_way(FaultWayChoice choice);

class PageTable {
 public:
  PageTable(os::Userfaultfd& faults, FaultWay way) : faults_{&faults}, way_{way} {}

  enum class Wake : bool { no, yes };
  // All return an errno, 0 when done, and are async-signal-safe.
  int map(std::byte* view, std::byte* frame, Bytes bytes, Wake wake) noexcept;
  int map_protected(std::byte* view, std::byte* frame, Bytes bytes) noexcept;  // small pages; wakes
  int unmap(std::byte* view, std::byte* frame, Bytes bytes) noexcept;          // the bytes are in the frame afterwards
  int protect(std::byte* view, Bytes bytes) noexcept;
  int unprotect(std::byte* view, Bytes bytes) noexcept;  // and wakes
  int wake(std::byte* view, Bytes bytes) noexcept;
  int watch(std::byte* view, Bytes bytes) noexcept;  // a part of the view that was mapped anew

 private:
  int move_back(std::byte* view, std::byte* frame, Bytes bytes) noexcept;
  int copy_back(std::byte* view, std::byte* frame, Bytes bytes) noexcept;

  os::Userfaultfd* faults_;
  FaultWay way_;
};

}  // namespace umrt::soft
