// SPDX-License-Identifier: Apache-2.0
// What the engine is told. Time and chance arrive here and nowhere else.
#pragma once

#include <cstdint>
#include <variant>

#include "core/action.h"

namespace umrt {

struct RangeCreated {
  Ticks at;
  RangeId range;  // chosen by the caller, dense and reused after RangeReleased
  Address base;   // aligned to the page class's granule; 2M: to 2 MiB
  Bytes bytes;    // a multiple of the granule
  PageClass page_class = PageClass::page_2m;
  Hints hints;
  friend constexpr bool operator==(const RangeCreated&, const RangeCreated&) = default;
};

struct RangeFreed {  // answered by RangeReleased, at once or when what is in flight has landed
  Ticks at;
  RangeId range;
  RequestId request;
  friend constexpr bool operator==(const RangeFreed&, const RangeFreed&) = default;
};

struct RangeAdvised {  // from the block that holds `begin` to the one before `end`; answered by RequestDone
  Ticks at;
  RangeId range;
  Bytes begin, end;  // offsets in the range
  Hints hints;       // all of them, as they are from now on
  RequestId request;
  friend constexpr bool operator==(const RangeAdvised&, const RangeAdvised&) = default;
};

struct PrefetchRequested {  // answered by RequestDone
  Ticks at;
  RangeId range;
  Bytes begin, end;
  ProcessorId target;
  RequestId request;
  friend constexpr bool operator==(const PrefetchRequested&, const PrefetchRequested&) = default;
};

struct Fault {
  Ticks at;
  ProcessorId processor;
  Access access = Access::read;
  bool is_protection = false;  // the page is mapped but write-protected
  std::uint32_t thread = 0;
  Address address;  // anywhere in the arena; outside of every range it is an illegal access, which the edge handles
  friend constexpr bool operator==(const Fault&, const Fault&) = default;
};

enum class Outcome : std::uint8_t {
  done,
  pinned,     // the kernel holds a page (EBUSY, EINVAL of UFFDIO_MOVE): nothing changed for `failed`
  no_memory,  // no frame or no host memory: nothing changed for `failed`
  lost,       // the device process is gone: `failed` granules have no bytes there any more. At the other processor
              // of a migrate they are as before. Peer migrations: comes after DeviceLost, which says whose process
};

struct ActionDone {
  Ticks began, ended;
  BlockAction action;  // as ordered
  GranuleMask failed;  // empty when done
  Outcome outcome = Outcome::done;
  friend constexpr bool operator==(const ActionDone&, const ActionDone&) = default;
};

struct RemoteDone {
  Ticks at;
  RangeId range;
  bool is_remote = true;  // as it is now
  bool is_done = true;
  friend constexpr bool operator==(const RemoteDone&, const RemoteDone&) = default;
};

struct LaunchBegan {
  Ticks at;
  ProcessorId device;
  std::uint64_t phase = 0;  // kernel and argument signature
  friend constexpr bool operator==(const LaunchBegan&, const LaunchBegan&) = default;
};

struct LaunchEnded {
  Ticks at;
  ProcessorId device;
  friend constexpr bool operator==(const LaunchEnded&, const LaunchEnded&) = default;
};

struct TimePassed {  // at or after Engine::deadline(), and about every 10 ms while a kernel runs
  Ticks at;
  std::uint64_t random = 0;   // for the choice of samples
  std::uint32_t samples = 0;  // how many granules may be sampled now
  friend constexpr bool operator==(const TimePassed&, const TimePassed&) = default;
};

struct DeviceLost {  // the device process died: nothing in its memory can be reached
  Ticks at;
  ProcessorId device;
  friend constexpr bool operator==(const DeviceLost&, const DeviceLost&) = default;
};

struct DeviceEvacuated {  // bring everything home; answered by RequestDone. Until DeviceReady nothing is placed there
  Ticks at;
  ProcessorId device;
  RequestId request;
  friend constexpr bool operator==(const DeviceEvacuated&, const DeviceEvacuated&) = default;
};

struct DeviceReady {
  Ticks at;
  ProcessorId device;
  friend constexpr bool operator==(const DeviceReady&, const DeviceReady&) = default;
};

using Event = std::variant<RangeCreated, RangeFreed, RangeAdvised, PrefetchRequested, Fault, ActionDone, RemoteDone,
                           LaunchBegan, LaunchEnded, TimePassed, DeviceLost, DeviceEvacuated, DeviceReady>;

}  // namespace umrt
