// SPDX-License-Identifier: Apache-2.0
#include "api/heap_summary.h"

#include <algorithm>

namespace umrt {

ReportHeap heap_summary(const HeapStatistics& statistics) {
  const ChunkStatistics& small = statistics.small_zone;
  const ChunkStatistics& huge = statistics.huge_zone;
  const Bytes free = (small.reserved - small.used) + (huge.reserved - huge.used);
  // An allocation has its zone by its page class, so each zone's largest run is of use, and neither can grow the other.
  const Bytes scattered = free - small.free_run_max - huge.free_run_max;
  const std::uint64_t units = free / 4_KiB;  // no overflow in the product
  return {.used = small.used + huge.used,
          .reserved = small.reserved + huge.reserved,
          .cached = statistics.cached,
          .free_run_max = std::max(small.free_run_max, huge.free_run_max),
          .fragmented = {units == 0 ? 0u : static_cast<std::uint32_t>(scattered / 4_KiB * 1000 / units)},
          .small_allocations = statistics.small.allocations,
          .small_bytes = statistics.small.asked,
          .small_ranges = statistics.small.ranges};
}

}  // namespace umrt
