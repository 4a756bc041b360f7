// SPDX-License-Identifier: Apache-2.0
// What the heap needs of the rest of the runtime: someone who makes ranges of addresses into managed memory and ends
// them. The service implements it for the engine; tests and benchmarks have one that does nothing.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "core/action.h"
#include "core/hints.h"

namespace umrt {

struct NewRange {
  RangeId range;  // dense; used again once release() has returned
  Address base;   // aligned to the granule; 2M class: to 2 MiB
  Bytes bytes;    // a multiple of the granule
  Bytes asked;    // by the application; a range of small allocations: all of it
  PageClass page_class = PageClass::page_2m;
  Hints hints;
  std::string_view name;            // empty: the call site is used. Valid during the call
  const void* call_site = nullptr;  // code address (call_site.h); null for a range of small allocations
  bool is_shared = false;           // it is a range of small allocations
};

// Any thread calls these, several at the same time, with no lock of the heap held.
class RangeBackend {
 public:
  virtual ~RangeBackend() = default;

  // Before it returns, a touch of the range is served.
  virtual Status create(const NewRange& range) = 0;
  // Returns once nothing is in flight for the range and its bytes are gone: a later range there begins with zeros.
  // After an error the heap does not use the addresses or the id again.
  virtual Status release(RangeId range) = 0;

  // Is any stream's work not done? On the path of every free: an atomic load.
  virtual bool has_pending_work() const = 0;
  // Until the work that streams have been given so far has ended.
  virtual void wait_for_pending_work() = 0;

  // How many devices have died so far: a range of before may have lost bytes. On the path of every allocation.
  virtual std::uint64_t device_deaths() const = 0;

  // A range that a thread cache kept is used again by another call site or for another size. Cheap, or left to
  // Heap::range_facts() at the time of a report.
  virtual void renamed(const NewRange& range) = 0;
};

}  // namespace umrt
