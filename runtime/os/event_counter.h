// SPDX-License-Identifier: Apache-2.0
// An eventfd, and a wait for several descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "os/file_descriptor.h"

namespace umrt::os {

class EventCounter {
 public:
  static Result<EventCounter> make();
  int fd() const { return fd_.get(); }
  void clear() noexcept;

 private:
  FileDescriptor fd_;
};

void signal_event(int fd) noexcept;  // of an EventCounter, from any process that has it; async-signal-safe

// Sleeps until one descriptor is readable or the time is over; no timeout: for ever.
void wait_readable(std::span<const int> descriptors, std::optional<std::uint64_t> timeout_ns) noexcept;

// Whether this one is readable now.
bool is_readable(int descriptor) noexcept;

}  // namespace umrt::os
