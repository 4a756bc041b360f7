// SPDX-License-Identifier: Apache-2.0
// The fields of every event and action part, listed once: the writer and the reader of the event log both walk this
// list, so that they cannot disagree. A coder has time(), number(), flag() and choice() for its side.
#pragma once

#include "core/event.h"

namespace umrt::trace {

inline constexpr std::uint64_t any32 = UINT32_MAX;

template <class Coder>
void fields(Coder& c, ProcessorId& p) {
  c.number(p.n, UINT8_MAX);
}

template <class Coder>
void fields(Coder& c, Hints& h) {
  fields(c, h.preferred);
  c.signed_number(h.preferred_node);
  c.number(h.accessed_by, UINT16_MAX);
  c.choice(h.pattern, AccessPattern::streaming);
  c.flag(h.is_read_mostly);
  c.flag(h.is_discardable);
}

template <class Coder>
void fields(Coder& c, BlockAction& a) {
  c.choice(a.operation, Operation::wake);
  c.choice(a.cause, Cause::user);
  c.choice(a.reason, Reason::device_lost);
  fields(c, a.source);
  fields(c, a.target);
  c.flag(a.is_mapped);
  c.flag(a.keeps_source);
  c.page_class(a.page_class);
  c.number(a.block.n, any32);
  c.number(a.granules.bits, any32);
  c.number(a.base.n);
}

template <class Coder>
void fields(Coder& c, RangeCreated& e) {
  c.time(e.at);
  c.number(e.range.n, any32);
  c.number(e.base.n);
  c.number(e.bytes.n);
  c.page_class(e.page_class);
  fields(c, e.hints);
}

template <class Coder>
void fields(Coder& c, RangeFreed& e) {
  c.time(e.at);
  c.number(e.range.n, any32);
  c.number(e.request.n);
}

template <class Coder>
void fields(Coder& c, RangeAdvised& e) {
  c.time(e.at);
  c.number(e.range.n, any32);
  c.number(e.begin.n);
  c.number(e.end.n);
  fields(c, e.hints);
  c.number(e.request.n);
}

template <class Coder>
void fields(Coder& c, PrefetchRequested& e) {
  c.time(e.at);
  c.number(e.range.n, any32);
  c.number(e.begin.n);
  c.number(e.end.n);
  fields(c, e.target);
  c.number(e.request.n);
}

template <class Coder>
void fields(Coder& c, Fault& e) {
  c.time(e.at);
  fields(c, e.processor);
  c.choice(e.access, Access::write);
  c.flag(e.is_protection);
  c.number(e.thread, any32);
  c.number(e.address.n);
}

template <class Coder>
void fields(Coder& c, ActionDone& e) {
  c.time(e.began);
  c.time(e.ended);
  fields(c, e.action);
  c.number(e.failed.bits, any32);
  c.choice(e.outcome, Outcome::lost);
}

template <class Coder>
void fields(Coder& c, RemoteDone& e) {
  c.time(e.at);
  c.number(e.range.n, any32);
  c.flag(e.is_remote);
  c.flag(e.is_done);
}

template <class Coder>
void fields(Coder& c, LaunchBegan& e) {
  c.time(e.at);
  fields(c, e.device);
  c.number(e.phase);
}

template <class Coder>
void fields(Coder& c, LaunchEnded& e) {
  c.time(e.at);
  fields(c, e.device);
}

template <class Coder>
void fields(Coder& c, TimePassed& e) {
  c.time(e.at);
  c.number(e.random);
  c.number(e.samples, any32);
}

template <class Coder>
void fields(Coder& c, DeviceLost& e) {
  c.time(e.at);
  fields(c, e.device);
}

template <class Coder>
void fields(Coder& c, DeviceEvacuated& e) {
  c.time(e.at);
  fields(c, e.device);
  c.number(e.request.n);
}

template <class Coder>
void fields(Coder& c, DeviceReady& e) {
  c.time(e.at);
  fields(c, e.device);
}

}  // namespace umrt::trace
