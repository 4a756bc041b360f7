// SPDX-License-Identifier: Apache-2.0
// When to try again what the kernel refused: exponentially later, never in a tight loop. Two lists of fixed capacity:
// blocks that are no victims for a while, and actions to be ordered again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "core/action.h"

namespace umrt {

constexpr Ticks backoff(std::uint32_t attempts) {  // 50 µs, doubled up to about 100 ms
  return {50'000ull << std::min(attempts, 11u)};
}

class PinnedBlocks {
 public:
  bool empty() const { return count_ == 0; }
  bool has(BlockId block, Ticks now) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (pinned_[i].block == block) return now < pinned_[i].until;
    }
    return false;
  }
  void refused(BlockId block, Ticks now) {
    std::uint32_t i = 0;
    while (i < count_ && pinned_[i].block != block) ++i;
    if (i == count_) {
      if (count_ < pinned_.size()) {
        ++count_;
      } else {  // full: the one that ends first makes room
        const auto sooner = [](const Pinned& a, const Pinned& b) { return a.until < b.until; };
        i = static_cast<std::uint32_t>(std::min_element(pinned_.begin(), pinned_.end(), sooner) - pinned_.begin());
      }
      pinned_[i] = Pinned{.block = block, .until = {}, .attempts = 0};
    }
    pinned_[i].until = now + backoff(pinned_[i].attempts++);
  }
  void forget(BlockId block) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (pinned_[i].block != block) continue;
      pinned_[i] = pinned_[--count_];
      return;
    }
  }
  std::optional<Ticks> next(Ticks now) const {  // when the next one may be tried again
    std::optional<Ticks> first;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (pinned_[i].until > now && (!first || pinned_[i].until < *first)) first = pinned_[i].until;
    }
    return first;
  }

 private:
  struct Pinned {
    BlockId block;
    Ticks until;
    std::uint32_t attempts = 0;
  };
  std::array<Pinned, 64> pinned_{};
  std::uint32_t count_ = 0;
};

class Retries {  // the granules of its actions stay `in_flight` until they are ordered again
 public:
  bool is_full() const { return count_ == retries_.size(); }
  // The action failed for these granules: when to order it again.
  void failed(const BlockAction& action, GranuleMask granules, Ticks now) {
    std::uint32_t i = 0;
    while (i < count_ && !(retries_[i].is_ordered && retries_[i].action == action)) ++i;
    if (i == count_) {
      UMRT_ASSERT(!is_full());
      retries_[count_++] = Retry{.action = action, .at = {}, .attempts = 0, .is_ordered = false};
    }
    Retry& retry = retries_[i];
    retry.action.granules = granules;
    retry.is_ordered = false;
    retry.at = now + backoff(retry.attempts++);
  }
  void ended(const BlockAction& action) {  // succeeded, or there is nothing left to do
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!retries_[i].is_ordered || retries_[i].action != action) continue;
      retries_[i] = retries_[--count_];
      return;
    }
  }
  BlockAction* take_due(Ticks now) {  // valid until the next call; the caller orders it as it then is
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (retries_[i].is_ordered || retries_[i].at > now) continue;
      retries_[i].is_ordered = true;
      return &retries_[i].action;
    }
    return nullptr;
  }
  std::optional<Ticks> next() const {
    std::optional<Ticks> first;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!retries_[i].is_ordered && (!first || retries_[i].at < *first)) first = retries_[i].at;
    }
    return first;
  }
  bool empty() const { return count_ == 0; }

 private:
  struct Retry {
    BlockAction action;
    Ticks at;
    std::uint32_t attempts = 0;
    bool is_ordered = false;
  };
  std::array<Retry, 256> retries_{};
  std::uint32_t count_ = 0;
};

}  // namespace umrt
