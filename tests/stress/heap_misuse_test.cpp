// SPDX-License-Identifier: Apache-2.0
// Threads that free the same pointers again and again while others allocate: nothing is lost and nothing is freed
// twice, whatever the application does.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "support/heap_fixture.h"

namespace umrt {
namespace {

TEST(HeapMisuseStress, LiveAllocationsAreThoseMadeLessThoseFreed) {
  constexpr unsigned threads = 4;
  constexpr std::array sizes{100_B, 2_KiB, 8_KiB, 64_KiB, 1_MiB, 3_MiB};
  test::HeapFixture f;
  std::array<std::atomic<void*>, 64> slots{};
  std::atomic<std::uint64_t> made = 0;
  std::atomic<std::uint64_t> freed = 0;
  const auto misuse = [&](unsigned seed) {
    std::mt19937 random{seed};
    for (int i = 0; i < 5000; ++i) {
      std::atomic<void*>& slot = slots[random() % slots.size()];
      if (random() % 3 == 0) {
        void* const replaced = slot.exchange(f.allocate(sizes[random() % sizes.size()]));
        ++made;
        if (replaced && f.code_of_free(replaced) == UMRT_SUCCESS) ++freed;
      } else if (void* const seen = slot.load()) {
        static_cast<void>(f.heap->find(seen));
        const umrt_result code = f.code_of_free(seen);  // the pointer stays in its slot: freed several times
        if (code == UMRT_SUCCESS) ++freed;
        const bool is_named = code == UMRT_ERROR_DOUBLE_FREE || code == UMRT_ERROR_FOREIGN_POINTER;
        EXPECT_TRUE(code == UMRT_SUCCESS || is_named) << code;
      }
      if (i % 1000 == 0) f.heap->flush_caches();
    }
  };
  std::vector<std::thread> running;
  for (unsigned seed = 1; seed <= threads; ++seed) running.emplace_back(misuse, seed);
  for (std::thread& thread : running) thread.join();

  std::uint64_t live = 0;
  for (const Leak& leak : f.heap->leaks()) live += leak.allocations;
  EXPECT_EQ(live, made - freed);
  f.heap->check_invariants();
}

}  // namespace
}  // namespace umrt
