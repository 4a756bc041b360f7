// SPDX-License-Identifier: Apache-2.0
#include "policy/thrashing.h"

#include <vector>

namespace umrt {
namespace {

// uvm_perf_thrashing_lapse_usec, _threshold and _pin_threshold of the driver.
constexpr Ticks lapse{500'000};
constexpr std::uint8_t threshold = 3;
constexpr std::uint8_t pin_threshold = 10;
constexpr Ticks hold = lapse;            // throttled for one lapse
constexpr Ticks pinned_hold{5'000'000};  // after ten holds; the driver's 300 lapses assume that others map remotely

class ThrashingDetector final : public ThrashingPolicy {
 public:
  void reserve(std::uint32_t blocks) override { histories_.resize(blocks); }

  std::optional<Ticks> migrated(BlockId block, ProcessorId processor, Ticks at) override {
    History& h = histories_[block.n];
    const bool is_close = h.at != Ticks{} && at - h.at <= lapse + (h.is_holding ? h.held : Ticks{});
    if (h.processor == processor) {
      h.at = at;
      return std::nullopt;
    }
    if (!is_close) {
      h = History{};
    } else if (h.events < UINT8_MAX) {
      ++h.events;
    }
    h.processor = processor;
    h.at = at;
    h.is_holding = h.events >= threshold;
    if (!h.is_holding) return std::nullopt;
    if (h.holds < UINT8_MAX) ++h.holds;
    h.held = h.holds > pin_threshold ? pinned_hold : hold;
    return at + h.held;
  }

  std::optional<Ticks> held_until(BlockId block, ProcessorId wanted_by, Ticks at) const override {
    const History& h = histories_[block.n];
    if (!h.is_holding || h.processor == wanted_by || h.at + h.held <= at) return std::nullopt;
    return h.at + h.held;
  }

  void forget(BlockId block) override { histories_[block.n] = History{}; }

 private:
  struct History {
    Ticks at;    // of the last migration
    Ticks held;  // from then on
    ProcessorId processor;
    std::uint8_t events = 0;  // migrations to another processor, each close to the one before
    std::uint8_t holds = 0;
    bool is_holding = false;
  };
  std::vector<History> histories_;
};

}  // namespace

std::unique_ptr<ThrashingPolicy> make_thrashing_detector() { return std::make_unique<ThrashingDetector>(); }

}  // namespace umrt
