// SPDX-License-Identifier: Apache-2.0
#include "telemetry/walk_tracker.h"

#include <algorithm>

namespace umrt {

void WalkTracker::fault(std::uint32_t thread, Bytes offset, Bytes bytes) {
  const std::uint32_t place = thread % places;
  const Bytes before = last_[place];
  const bool has_before = has_last_[place];
  last_[place] = offset;
  has_last_[place] = true;
  if (!has_before) return;
  const Bytes near = std::max(Bytes{bytes.n / 8}, 4_MiB);
  if (offset >= before) {
    (offset - before <= near ? walk_.steps_ahead : walk_.steps_other) += 1;
  } else {
    (before - offset > near ? walk_.steps_back : walk_.steps_other) += 1;
  }
}

}  // namespace umrt
