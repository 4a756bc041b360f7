// SPDX-License-Identifier: Apache-2.0
// A step for a fault, an answer or the passing of time allocates nothing: this program counts every allocation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "core/engine.h"
#include "policy/policies.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace umrt {
namespace {

TEST(Allocation, NoStepForAFaultAnAnswerOrTheTimeAllocates) {
  for (const PolicyRow& row : policies()) {
    EngineConfig config;
    config.device_budgets = {16_MiB, 16_MiB};
    config.abilities = {.duplicates = true, .remote_map = false, .samples = true};
    config.policy = row.make;
    config.free_low = 2_MiB;
    config.free_high = 4_MiB;
    Engine engine{config};
    std::vector<Action> actions;
    actions.reserve(4096);
    std::vector<BlockAction> open;
    open.reserve(4096);
    const auto tell = [&](const Event& event) {
      actions.clear();
      engine.step({&event, 1}, actions);
      for (const Action& action : actions) {
        if (const auto* block = std::get_if<BlockAction>(&action)) open.push_back(*block);
      }
    };
    for (std::uint32_t n = 0; n < 6; ++n) {
      tell(RangeCreated{.at = {1},
                        .range = {n},
                        .base = {n * (32_MiB).n},
                        .bytes = 8_MiB,
                        .page_class = n % 2 == 0 ? PageClass::page_2m : PageClass::page_64k,
                        .hints = {.is_read_mostly = n == 1}});
    }
    const std::uint64_t before = allocations.load();
    Ticks now{1000};
    std::uint64_t random = 1;
    for (int n = 0; n < 20'000; ++n) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      now.n += 1000;
      const std::uint64_t range = (random >> 20) % 6, offset = (random >> 30) % (8_MiB).n;
      tell(Fault{.at = now,
                 .processor = {static_cast<std::uint8_t>((random >> 60) % 3)},
                 .access = (random >> 50) % 2 == 0 ? Access::read : Access::write,
                 .address = {range * (32_MiB).n + offset}});
      if (n % 100 == 0) tell(TimePassed{.at = now, .random = random, .samples = 2});
      while (open.size() > 3) {
        const BlockAction action = open.front();
        open.erase(open.begin());
        const bool fails = (random >> 40) % 16 == 0;
        tell(ActionDone{.began = now,
                        .ended = now,
                        .action = action,
                        .failed = fails ? action.granules : GranuleMask{},
                        .outcome = fails ? Outcome::pinned : Outcome::done});
      }
    }
    EXPECT_EQ(allocations.load() - before, 0u) << row.name;
    EXPECT_GT(engine.total().evictions, 100u) << row.name;
  }
}

}  // namespace
}  // namespace umrt
