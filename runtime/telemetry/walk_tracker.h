// SPDX-License-Identifier: Apache-2.0
// Tells a sweep from random access by the order of a range's faults, in a few words of state. Each faulting thread has
// a place of its own, since a kernel's workers each walk through their own pieces.
#pragma once

#include <array>

#include "telemetry/report_model.h"

namespace umrt {

class WalkTracker {
 public:
  // `offset` in the range of `bytes`. A step ahead is one of at most an eighth of the range, or 4 MiB.
  void fault(std::uint32_t thread, Bytes offset, Bytes bytes);
  const AccessWalk& walk() const { return walk_; }

 private:
  static constexpr std::uint32_t places = 8;  // threads with the same remainder share one
  std::array<Bytes, places> last_{};
  std::array<bool, places> has_last_{};
  AccessWalk walk_;
};

}  // namespace umrt
