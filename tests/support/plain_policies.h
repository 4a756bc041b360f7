// SPDX-License-Identifier: Apache-2.0
// Policies without opinions, for tests of the engine itself: first in is first out; a fault fetches what `plain_fetch`
// says; a block is held until `plain_hold`.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/policy.h"

namespace umrt::plain {

class FifoEviction final : public EvictionPolicy {
 public:
  void reserve(std::uint32_t) override {}
  void migrated_in(BlockId block, Ticks) override {
    if (std::find(order_.begin(), order_.end(), block) == order_.end()) order_.push_back(block);
  }
  void touched(BlockId, Ticks) override {}
  void removed(BlockId block) override { std::erase(order_, block); }
  std::optional<BlockId> victim(const Filter& filter) override {
    for (const BlockId block : order_) {
      if (filter.may_evict(block)) return block;
    }
    return std::nullopt;
  }

 private:
  std::vector<BlockId> order_;
};

class FaultedOnly final : public FetchPolicy {
 public:
  GranuleMask fetch(const FetchContext& context) override { return GranuleMask::one(context.faulted); }
  Reason reason() const override { return Reason::prefetch_tree; }
};

class WholeBlock final : public FetchPolicy {
 public:
  GranuleMask fetch(const FetchContext& context) override {
    return GranuleMask::one(context.faulted) | context.fetchable;
  }
  Reason reason() const override { return Reason::prefetch_tree; }
};

class NeverThrashes final : public ThrashingPolicy {
 public:
  void reserve(std::uint32_t) override {}
  std::optional<Ticks> migrated(BlockId, ProcessorId, Ticks) override { return std::nullopt; }
  std::optional<Ticks> held_until(BlockId, ProcessorId, Ticks) const override { return std::nullopt; }
  void forget(BlockId) override {}
};

inline constexpr Ticks hold_time{500'000};

class AlwaysHolds final : public ThrashingPolicy {  // for a while after each migration
 public:
  void reserve(std::uint32_t) override {}
  std::optional<Ticks> migrated(BlockId, ProcessorId processor, Ticks at) override {
    holder_ = processor;
    return until_ = at + hold_time;
  }
  std::optional<Ticks> held_until(BlockId, ProcessorId wanted_by, Ticks at) const override {
    if (wanted_by == holder_ || until_ <= at) return std::nullopt;
    return until_;
  }
  void forget(BlockId) override { until_ = {}; }

 private:
  ProcessorId holder_;
  Ticks until_;
};

inline std::unique_ptr<EvictionPolicy> make_fifo() { return std::make_unique<FifoEviction>(); }
inline std::unique_ptr<FetchPolicy> make_faulted_only() { return std::make_unique<FaultedOnly>(); }
inline std::unique_ptr<FetchPolicy> make_whole_block() { return std::make_unique<WholeBlock>(); }
inline std::unique_ptr<ThrashingPolicy> make_never_thrashes() { return std::make_unique<NeverThrashes>(); }
inline std::unique_ptr<ThrashingPolicy> make_always_holds() { return std::make_unique<AlwaysHolds>(); }

inline constexpr PolicySet policy{make_fifo, make_faulted_only, make_never_thrashes, true};

}  // namespace umrt::plain
