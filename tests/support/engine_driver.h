// SPDX-License-Identifier: Apache-2.0
// Drives an engine event by event, for tests that look at single decisions. Invariants are checked after each event.
#pragma once

#include <stdexcept>
#include <vector>

#include "core/engine.h"
#include "support/plain_policies.h"

namespace umrt {

inline constexpr ProcessorId gpu0 = device_processor(0);
inline constexpr ProcessorId gpu1 = device_processor(1);

inline EngineConfig plain_config(std::vector<Bytes> budgets) {
  EngineConfig config;
  config.device_budgets = std::move(budgets);
  config.policy = plain::policy;
  return config;
}

inline EngineConfig plain_config() { return plain_config({8_MiB}); }

class EngineDriver {
 public:
  explicit EngineDriver(EngineConfig config) : engine_{std::move(config)} {}

  std::vector<Action> tell(const Event& event) {
    std::vector<Action> actions;
    engine_.step({&event, 1}, actions);
    engine_.check_invariants();
    for (const Action& action : actions) {
      if (const auto* block = std::get_if<BlockAction>(&action)) open_.push_back(*block);
    }
    return actions;
  }

  // Range number `id` at `id` * 1 GiB.
  std::vector<Action> create(std::uint32_t id, Bytes bytes, PageClass page_class = PageClass::page_2m,
                             const Hints& hints = {}) {
    return tell(RangeCreated{
        .at = now_, .range = {id}, .base = at(id, {}), .bytes = bytes, .page_class = page_class, .hints = hints});
  }
  static Address at(std::uint32_t id, Bytes offset) { return {id * (1_GiB).n + offset.n}; }

  std::vector<BlockAction> fault(ProcessorId processor, Address address, Access access = Access::read) {
    return blocks_of(tell(Fault{.at = tick(), .processor = processor, .access = access, .address = address}));
  }
  std::vector<BlockAction> done(const BlockAction& action, Outcome outcome = Outcome::done, GranuleMask failed = {}) {
    std::erase(open_, action);
    if (outcome != Outcome::done && failed.empty()) failed = action.granules;
    const Ticks began = now_;
    return blocks_of(
        tell(ActionDone{.began = began, .ended = tick(), .action = action, .failed = failed, .outcome = outcome}));
  }
  // Answers everything that is open, oldest first, and what that leads to.
  void settle() {
    for (int rounds = 0; !open_.empty(); ++rounds) {
      if (rounds > 100'000) throw std::logic_error("the engine never comes to rest");
      done(BlockAction{open_.front()});
    }
  }
  void touch(ProcessorId processor, Address address, Access access = Access::write) {
    fault(processor, address, access);
    settle();
  }
  std::vector<BlockAction> pass_time(Ticks until) {
    now_ = until;
    return blocks_of(tell(TimePassed{.at = now_}));
  }

  static std::vector<BlockAction> blocks_of(const std::vector<Action>& actions) {
    std::vector<BlockAction> blocks;
    for (const Action& action : actions) {
      if (const auto* block = std::get_if<BlockAction>(&action)) blocks.push_back(*block);
    }
    return blocks;
  }
  template <class T>
  static std::vector<T> only(const std::vector<Action>& actions) {
    std::vector<T> found;
    for (const Action& action : actions) {
      if (const auto* one = std::get_if<T>(&action)) found.push_back(*one);
    }
    return found;
  }

  Engine& engine() { return engine_; }
  const Counters& total() const { return engine_.total(); }
  const Counters& counters(std::uint32_t id) { return *engine_.range_at(at(id, {}))->counters; }
  Residency residency(std::uint32_t id, Bytes offset = {}) { return engine_.residency(at(id, offset)); }
  Ticks now() const { return now_; }
  Ticks tick() { return now_ += Ticks{1000}; }
  const std::vector<BlockAction>& open() const { return open_; }
  void forget_first() { open_.erase(open_.begin()); }  // the test answers it itself

 private:
  Engine engine_;
  Ticks now_{1000};
  std::vector<BlockAction> open_;  // ordered and not answered
};

}  // namespace umrt
