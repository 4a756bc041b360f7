// SPDX-License-Identifier: Apache-2.0
// Sequential accesses that a device makes, seen in its faults: where each stream stands and how far it has been fetched
// ahead. Several threads that take pieces in order are one stream. Fixed capacity; the stalest stream makes room.
#pragma once

#include <array>
#include <cstdint>

#include "core/action.h"

namespace umrt {

struct FaultStream {
  RangeId range;
  std::uint32_t next = 0;         // block index that is expected next
  std::uint32_t run = 0;          // faults that came as expected
  std::uint32_t fetch_begin = 0;  // blocks [fetch_begin, fetch_end) are to be fetched ahead
  std::uint32_t fetch_end = 0;
  std::uint64_t used_at = 0;
};

class FaultStreams {
 public:
  static constexpr std::uint32_t capacity = 16;
  static constexpr std::uint32_t slack = 8;  // blocks that threads of one stream may be apart

  // A fault in the index-th block of the range. The stream that it belongs to, which may be new.
  FaultStream& saw(RangeId range, std::uint32_t index) {
    FaultStream* stalest = &streams_[0];
    for (FaultStream& s : streams_) {
      if (s.range == range && index + slack >= s.next && index <= s.next + slack) {
        if (index >= s.next) {
          s.next = index + 1;
          ++s.run;
        }
        s.used_at = ++clock_;
        return s;
      }
      if (s.used_at < stalest->used_at) stalest = &s;
    }
    *stalest = FaultStream{.range = range,
                           .next = index + 1,
                           .run = 0,
                           .fetch_begin = index + 1,
                           .fetch_end = index + 1,
                           .used_at = ++clock_};
    return *stalest;
  }
  void forget(RangeId range) {
    for (FaultStream& s : streams_) {
      if (s.range == range) s = FaultStream{};
    }
  }
  // Whether any stream may have blocks to fetch ahead: what every step asks first.
  bool is_fetch_wanted = false;
  std::array<FaultStream, capacity>& all() { return streams_; }
  const std::array<FaultStream, capacity>& all() const { return streams_; }

 private:
  std::array<FaultStream, capacity> streams_{};
  std::uint64_t clock_ = 0;
};

}  // namespace umrt
