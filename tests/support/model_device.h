// SPDX-License-Identifier: Apache-2.0
// A device of a few lines: carries actions out on one number per granule and processor, in random order, with random
// failures, and checks every precondition that action.h states. Threads read and write, fault and wait. What is read
// is compared with what was written last. A broken promise of the engine's is thrown as std::logic_error.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/engine.h"

namespace umrt::model {

struct Failures {  // of 1000 actions
  std::uint32_t pinned = 0, no_memory = 0;
};

struct ThreadStep {  // one access of a thread
  Address address;
  Access access = Access::read;
};

class ModelDevice {
 public:
  ModelDevice(const EngineConfig& config, std::uint64_t seed, Failures failures = {});

  // ---- what the program does; each call steps the engine ----
  void create(const RangeCreated& created);
  void advise(RangeAdvised advised);
  void prefetch(PrefetchRequested requested);
  void free(RangeId range);
  void lose(ProcessorId device);
  void evacuate(ProcessorId device);
  void ready(ProcessorId device);
  void sample(std::uint32_t samples);
  void access(ProcessorId processor, std::uint32_t thread, Address address, Access access);  // queued for the thread

  // One random step: a thread goes on, an action is carried out, or time passes. False: nothing is left to do.
  bool step();
  void run();  // until nothing is left to do; throws when that takes too long

  Engine& engine() { return engine_; }
  std::uint64_t requests_open() const { return open_requests_.size(); }
  std::uint64_t incomplete_requests() const { return incomplete_requests_; }
  std::uint64_t actions_digest() const { return actions_digest_; }
  std::uint64_t accesses_done() const { return accesses_done_; }
  std::uint64_t accesses_rejected() const { return accesses_rejected_; }    // of bytes that were lost
  const std::vector<Event>& events() const { return events_; }              // all that the engine was told
  const std::vector<BlockAction>& ordered() const { return ordered_; }      // all block actions so far
  const std::vector<std::size_t>& step_ends() const { return step_ends_; }  // events().size() after each step
  void keep_log(bool keeps) { keeps_log_ = keeps; }
  Ticks now() const { return now_; }
  void set_now(Ticks now) { now_ = now; }
  void told(const Event& event);  // steps the engine with one event

 private:
  enum class Place : std::uint8_t { absent, staged, mapped };
  struct Copy {
    Place place = Place::absent;
    bool is_protected = false;
    std::uint64_t value = 0;
  };
  struct Granule {
    std::vector<Copy> copies;  // [processor]
    std::uint64_t truth = 0;   // written last
    bool may_be_zero = false;  // discardable
    bool may_be_lost = false;  // with a device
    bool is_remote = false;
  };
  struct Range {
    RangeCreated created;
    bool is_freed = false;
    bool is_discardable = false;
  };
  struct Thread {
    ProcessorId processor;
    std::uint32_t id = 0;
    std::vector<ThreadStep> program;
    std::size_t next = 0;
    bool is_waiting = false;
  };

  struct Pending {
    BlockAction action;
    bool is_done = false;  // carried out just before its device died; the engine has not heard of it
  };

  void submit(const std::vector<Action>& actions);
  void carry_out(std::size_t pending);
  void carry_out_before_death(Pending& pending);
  bool is_pending(Address granule) const;
  bool may_lose(const Granule& granule, Address address, ProcessorId device) const;
  void apply(const BlockAction& action, Address granule);
  void check(const BlockAction& action, Address granule);
  void carry_out_remote(std::size_t pending);
  void release(const RangeReleased& released);
  void advance(Thread& thread);
  void wake(ProcessorId processor, RangeId range);
  void wake(ProcessorId processor, const BlockAction& action);
  Granule& granule(Address address);
  Range* range_of(Address address);
  void take_frame(ProcessorId processor, Bytes bytes);
  void give_frame(ProcessorId processor, Bytes bytes);
  std::uint64_t random(std::uint64_t below) { return random_() % below; }
  [[noreturn]] void broken(const std::string& promise) const;

  EngineConfig config_;
  Engine engine_;
  std::mt19937_64 random_;
  Failures failures_;
  Ticks now_{1000};
  std::map<std::uint32_t, Range> ranges_;
  std::map<std::uint64_t, Granule> granules_;  // by address of the granule
  std::vector<Bytes> frames_;                  // in use, per device
  std::vector<bool> is_lost_;
  std::vector<Pending> pending_;
  std::vector<RemoteAction> pending_remote_;
  std::vector<Thread> threads_;
  std::set<std::uint64_t> open_requests_;
  std::uint64_t next_request_ = 1;
  std::uint64_t incomplete_requests_ = 0;
  std::uint64_t actions_digest_ = 0xcbf29ce484222325ull;
  std::uint64_t accesses_done_ = 0, accesses_rejected_ = 0, next_value_ = 1;
  bool keeps_log_ = true;
  std::vector<Event> events_;
  std::vector<std::size_t> step_ends_;
  std::vector<BlockAction> ordered_;
  std::vector<Action> actions_;
};

}  // namespace umrt::model
