// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"
#include "core/hints.h"

namespace umrt {
namespace {

struct ReasonRow {
  Reason reason;
  const char* name;
  const char* text;
};

constexpr ReasonRow rows[] = {
    {Reason::none, "none", "nothing was decided"},
    {Reason::hint_preferred_location, "hint-preferred-location", "the application named the place"},
    {Reason::hint_remote, "hint-remote", "preferred on the host and accessed by a device: mapped, not moved"},
    {Reason::read_mostly_duplicate, "read-mostly-duplicate", "read-mostly: readable on both sides at once"},
    {Reason::system_memory_low_frequency, "system-memory-low-frequency",
     "sparse and rarely reused: left in system memory"},
    {Reason::system_memory_exceeds_device, "system-memory-exceeds-device", "larger than the device and touched once"},
    {Reason::system_memory_cpu_use, "system-memory-cpu-use", "touched mostly by the CPU: system memory near it"},
    {Reason::device_high_performance, "device-high-performance", "hot on the device"},
    {Reason::device_intermediate, "device-intermediate", "written and read by kernels only"},
    {Reason::device_shared, "device-shared", "shared with other devices"},
    {Reason::thrashing_hold, "thrashing-hold", "wanted by two processors in turn: held for a while"},
    {Reason::first_touch, "first-touch", "no evidence yet: where it was touched"},
    {Reason::demand_fetch, "demand-fetch", "fetched by a fault"},
    {Reason::prefetch_sequential, "prefetch-sequential", "fetched ahead of a sequential access"},
    {Reason::prefetch_tree, "prefetch-tree", "more than 51 % of the surrounding tree was wanted"},
    {Reason::prefetch_user, "prefetch-user", "the application asked for it ahead of use"},
    {Reason::evict_for_demand, "evict-for-demand", "a fault needed the frame at once"},
    {Reason::evict_ahead, "evict-ahead", "free frames were below the low water mark"},
    {Reason::evict_streaming, "evict-streaming", "left behind by a sequential access"},
    {Reason::evict_discardable, "evict-discardable", "evicted without a copy: its bytes need not survive"},
    {Reason::sample, "sample", "unmapped to see whether it is still used"},
    {Reason::collapse_write, "collapse-write", "a write ended a read-only duplicate"},
    {Reason::free_range, "free-range", "the range was freed"},
    {Reason::device_lost, "device-lost", "the device is gone or being reset"},
};

const ReasonRow& row(Reason reason) {
  const auto& found = rows[static_cast<unsigned>(reason)];
  UMRT_ASSERT(found.reason == reason);
  return found;
}

}  // namespace

const char* reason_name(Reason reason) { return row(reason).name; }
const char* reason_text(Reason reason) { return row(reason).text; }

}  // namespace umrt
