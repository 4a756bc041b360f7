// SPDX-License-Identifier: Apache-2.0
#include "policy/lru.h"

#include "policy/block_list.h"
#include "policy/tree_fetch.h"

namespace umrt {
namespace {

class LruEviction final : public EvictionPolicy {
 public:
  void reserve(std::uint32_t blocks) override { order_.reserve(blocks); }
  void migrated_in(BlockId block, Ticks) override { order_.move_to_tail(block); }
  void touched(BlockId block, Ticks) override { order_.move_to_tail(block); }
  void removed(BlockId block) override { order_.remove(block); }
  std::optional<BlockId> victim(const Filter& filter) override { return order_.first(filter); }

 private:
  BlockList order_;
};

class DenseFetch final : public FetchPolicy {
 public:
  GranuleMask fetch(const FetchContext& context) override {
    const GranuleMask one = GranuleMask::one(context.faulted);
    switch (context.hints.pattern) {
      case AccessPattern::random:
        return one;
      case AccessPattern::sequential:
      case AccessPattern::streaming:
        return one | context.fetchable;
      case AccessPattern::unknown:
        break;
    }
    if (context.is_dense) return one | context.fetchable;
    return tree_fetch(context);
  }
  Reason reason() const override { return Reason::prefetch_tree; }
};

}  // namespace

std::unique_ptr<EvictionPolicy> make_lru_eviction() { return std::make_unique<LruEviction>(); }
std::unique_ptr<FetchPolicy> make_dense_fetch() { return std::make_unique<DenseFetch>(); }

}  // namespace umrt
