// SPDX-License-Identifier: Apache-2.0
// What the engine needs for a fault with its decision, and for the answer to each action: 1 TiB of 2M ranges and a
// device whose 16 GiB are full, so that every fault also decides what leaves. Used by engine_bench and `umrt bench`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "core/engine.h"
#include "policy/policies.h"

namespace umrt::bench {

enum class Order : std::uint8_t {
  sweep,   // eight threads, each going through its eighth of the arena in address order
  random,  // no two faults near each other: every table is read from memory, not from a cache
};

class EngineLoad {
 public:
  static constexpr Bytes arena = 1_TiB;
  static constexpr int faults_a_batch = 64;  // between two readings of the clock

  EngineLoad(Bytes range_bytes, Order order) : engine_{config()}, order_{order} {
    const auto ranges = static_cast<std::uint32_t>(arena / range_bytes);
    for (std::uint32_t n = 0; n < ranges; ++n) {
      step(RangeCreated{.at = {1},
                        .range = {n},
                        .base = {n * range_bytes.n},
                        .bytes = range_bytes,
                        .page_class = PageClass::page_2m,
                        .hints = {}});
    }
    actions_.reserve(4096);
    answers_.reserve(4096);
    for (int warm_up = 0; warm_up < 400; ++warm_up) {  // fills the device
      batch_ns();
      answer_all();
    }
  }

  // Nanoseconds for one fault, over a batch; what the faults lead to is not answered yet.
  double batch_ns() {
    const auto begin = std::chrono::steady_clock::now();
    for (int n = 0; n < faults_a_batch; ++n) fault();
    const auto end = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::nano>(end - begin).count() / faults_a_batch;
  }

  void answer_all() {
    queue();
    while (!answers_.empty()) {
      const BlockAction action = answers_.back();
      answers_.pop_back();
      now_.n += 100;
      step(ActionDone{.began = now_, .ended = now_, .action = action, .failed = {}, .outcome = Outcome::done});
      queue();
    }
  }
  std::uint64_t events() const { return events_; }

 private:
  static EngineConfig config() {
    EngineConfig config;
    config.device_budgets = {16_GiB};
    config.policy = find_policy("lru")->make;
    config.free_low = 512_MiB;  // more than a batch takes
    config.free_high = 640_MiB;
    config.evictions_in_flight_max = 256;
    return config;
  }

  void step(const Event& event) {
    ++events_;
    engine_.step({&event, 1}, actions_);
  }

  Address next_address() {
    ++faults_;
    if (order_ == Order::sweep) {
      const std::uint64_t thread = faults_ % 8, block = faults_ / 8;
      return {(thread * (arena.n / 8) + block * (2_MiB).n) % arena.n};
    }
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    return {(random_ >> 16) % arena.n};
  }

  void fault() {
    now_.n += 1000;
    step(Fault{
        .at = now_, .processor = device_processor(0), .access = Access::write, .thread = 0, .address = next_address()});
  }

  void queue() {
    for (const Action& action : actions_) {
      if (const auto* block = std::get_if<BlockAction>(&action)) answers_.push_back(*block);
    }
    actions_.clear();
  }

  Engine engine_;
  Order order_;
  std::vector<Action> actions_;
  std::vector<BlockAction> answers_;
  Ticks now_{1};
  std::uint64_t random_ = 42, events_ = 0, faults_ = 0;
};

// The median over batches of the mean time of a fault event.
inline double engine_event_ns(Order order, Bytes range_bytes) {
  EngineLoad load{range_bytes, order};
  std::vector<double> batches;
  for (int batch = 0; batch < 1001; ++batch) {
    batches.push_back(load.batch_ns());
    load.answer_all();
  }
  std::nth_element(batches.begin(), batches.begin() + 500, batches.end());
  return batches[500];
}

}  // namespace umrt::bench
