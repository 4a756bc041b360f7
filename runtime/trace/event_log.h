// SPDX-License-Identifier: Apache-2.0
// The log of all that an engine was told, step by step: replayed into a fresh engine of the same configuration it gives
// the same actions. Own byte format: the magic "UMRTEVT", a version byte, then steps. A step is a count and that many
// events; an event is its kind and its fields as variable-length integers, times as differences from the last one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "core/event.h"

namespace umrt {

inline constexpr std::uint8_t event_log_version = 1;

class EventLogWriter {
 public:
  EventLogWriter();
  void step(std::span<const Event> events);  // what one call of Engine::step was given
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t last_time_ = 0;
};

struct EventLog {
  std::vector<Event> events;
  std::vector<std::size_t> step_ends;  // step n is [step_ends[n - 1], step_ends[n])
  friend bool operator==(const EventLog&, const EventLog&) = default;
};

// INVALID_VALUE with the position for anything that is not a whole, well-formed log.
Result<EventLog> read_event_log(std::span<const std::byte> bytes);

}  // namespace umrt
