// SPDX-License-Identifier: Apache-2.0
#include "policy/uvm.h"

#include "policy/block_list.h"
#include "policy/tree_fetch.h"

namespace umrt {
namespace {

// A block goes to the tail whenever something becomes resident in it; touches never move it: the driver does not see
// hits.
class UvmEviction final : public EvictionPolicy {
 public:
  void reserve(std::uint32_t blocks) override { order_.reserve(blocks); }
  void migrated_in(BlockId block, Ticks) override { order_.move_to_tail(block); }
  void touched(BlockId, Ticks) override {}
  void removed(BlockId block) override { order_.remove(block); }
  std::optional<BlockId> victim(const Filter& filter) override { return order_.first(filter); }

 private:
  BlockList order_;
};

// The driver does not prefetch towards a processor when the preferred location is another (uvm_perf_prefetch.c).
class UvmFetch final : public FetchPolicy {
 public:
  GranuleMask fetch(const FetchContext& context) override {
    const ProcessorId preferred = context.hints.preferred;
    if (preferred != no_processor && preferred != context.processor) return GranuleMask::one(context.faulted);
    return tree_fetch(context);
  }
  Reason reason() const override { return Reason::prefetch_tree; }
};

}  // namespace

std::unique_ptr<EvictionPolicy> make_uvm_eviction() { return std::make_unique<UvmEviction>(); }
std::unique_ptr<FetchPolicy> make_uvm_fetch() { return std::make_unique<UvmFetch>(); }

}  // namespace umrt
