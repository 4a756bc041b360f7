// SPDX-License-Identifier: Apache-2.0
// The engine: all decisions. Same events in, same actions out, bit for bit.
//
// Structure: ranges and blocks are in RangeTable and BlockTable; what to do with a fault is decided in placement.cpp,
// what to bring along by the fetch policy and prefetch.cpp, what leaves by eviction.cpp and the eviction policy, when
// to wait by the thrashing policy; accounting.cpp counts. Concurrency: none. One thread owns the engine. Guarantee:
// every Fault in a range is answered by an action that maps its granule at that processor, or by a wake; where bytes
// are lost (`is_lost`) by a wake, and the edge rejects the fault that follows. A granule has at most one action in
// flight; frames in use and in flight on a device never exceed its budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/action.h"
#include "core/block_state.h"
#include "core/counters.h"
#include "core/event.h"
#include "core/policy.h"

namespace umrt {

struct DeviceAbilities {    // of the mechanism; asked for, never guessed from a name
  bool duplicates = false;  // Operation::duplicate
  bool remote_map = false;  // RemoteAction
  bool samples = false;     // Operation::unmap is cheap enough to sample with
};

struct EngineConfig {
  std::vector<Bytes> device_budgets;  // one a device
  DeviceAbilities abilities;
  PolicySet policy;
  // Water marks of free device memory: below `free_low` blocks are evicted ahead of need until `free_high` are free.
  Bytes free_low, free_high;
  std::uint32_t evictions_in_flight_max = 4;   // blocks being moved out ahead of need, per device
  std::uint32_t prefetches_in_flight_max = 4;  // blocks, per request, and ahead of faults per device
  bool prefetches = true;                      // false: nothing is fetched but what was faulted on (a baseline)
  std::uint32_t readahead_blocks = 2;          // ahead of a sequence, hinted or seen in the faults
};

struct RangeView {  // a range as reports and queries see it
  RangeId range;
  Address base;
  Bytes bytes;
  PageClass page_class;
  Hints hints;  // of its first block
  Ticks created;
  const Counters* counters;
};

struct Residency {  // of one granule
  GranuleIndex granule;
  std::uint16_t resident = 0;  // bit n: processor n has the bytes
  std::uint16_t mapped = 0;    // bit n: and a mapping
  bool is_remote = false;
  bool is_in_flight = false;
};

class Engine {
 public:
  explicit Engine(EngineConfig config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Appends what is to be done; keeps no reference. Allocates only for RangeCreated, RangeAdvised, PrefetchRequested.
  void step(std::span<const Event> events, std::vector<Action>& actions);

  std::optional<Ticks> deadline() const;  // when to come back with TimePassed at the latest; none: no need

  // Queries for reports and API calls; they change nothing.
  const Counters& total() const;
  std::optional<RangeView> range_at(Address address) const;
  std::vector<RangeView> ranges() const;       // by base address
  Residency residency(Address address) const;  // only inside a range
  Hints hints_at(Address address) const;       // of its block; only inside a range
  bool is_lost(Address address) const;         // its bytes died with a device; only inside a range
  Bytes in_use(ProcessorId device) const;      // frames resident or reserved
  Bytes in_use_max(ProcessorId device) const;
  Bytes budget(ProcessorId device) const;

  void check_invariants() const;  // asserts; called after every step in tests and fuzzers
  std::uint64_t digest() const;   // of all state that decides; tests run each seed twice and compare

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace umrt
