// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <vector>

#include "os/clock.h"
#include "os/event_counter.h"
#include "os/futex.h"
#include "os/mapping.h"

namespace umrt::os {
namespace {

struct Shared {
  std::atomic<std::uint32_t> started{0};
  std::array<void*, 4> control_blocks{};
};

Shared* shared_of_child = nullptr;

int count_thread(void*) {
  shared_of_child->started.fetch_add(1);
  futex_wake_all(shared_of_child->started);
  for (;;) futex_wait(shared_of_child->started, 1000);
}

void run_child(void* argument) {
  shared_of_child = static_cast<Shared*>(argument);
  alignas(64) static std::byte stacks[4][64 << 10];
  for (std::size_t i = 0; i < 4; ++i)
    start_child_thread(shared_of_child->control_blocks[i], stacks[i], count_thread, nullptr);
  shared_of_child->started.fetch_add(1);
  futex_wake_all(shared_of_child->started);
  count_thread(nullptr);
}

class ChildProcessTest : public ::testing::Test {
 protected:
  void spawn() {
    auto mapping = Mapping::shared({sizeof(Shared)});
    ASSERT_TRUE(mapping);
    memory = std::move(*mapping);
    shared = new (memory.base()) Shared;
    auto templates = ThreadTemplates::make(4);
    ASSERT_TRUE(templates);
    std::copy(templates->control_blocks().begin(), templates->control_blocks().end(), shared->control_blocks.begin());
    auto made = ChildProcess::spawn(run_child, shared, {}, *templates);
    ASSERT_TRUE(made) << made.error().detail;
    child = std::move(*made);
    for (std::uint32_t seen = 0; (seen = shared->started.load()) < 6;) {
      ASSERT_FALSE(is_readable(child.pidfd())) << "the child died";
      futex_wait_for(shared->started, seen, 10'000'000);
    }
  }

  Mapping memory;
  Shared* shared = nullptr;
  ChildProcess child;
};

TEST_F(ChildProcessTest, RunsThreadsOfItsOwn) { spawn(); }

TEST_F(ChildProcessTest, StartsAlsoWhenTheHeapIsLargeEnoughToBeShielded) {
  std::vector<std::unique_ptr<std::vector<char>>> blocks;  // small enough to come from the heap, not from mmap
  for (int i = 0; i < 200; ++i) blocks.push_back(std::make_unique<std::vector<char>>(64 << 10));
  spawn();
}

TEST_F(ChildProcessTest, IsNoChildThatWaitSees) {
  spawn();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ChildProcessTest, LeavesALargeHeapAsFastToWriteAsItWas) {
  constexpr std::size_t bytes = 64u << 20;
  std::vector<char> heap(bytes, 1);
  const auto rewrite_ns = [&] {
    const std::uint64_t begin = monotonic_ns();
    for (std::size_t i = 0; i < bytes; i += 4096) heap[i] = static_cast<char>(heap[i] + 1);
    return monotonic_ns() - begin;
  };
  std::uint64_t before = rewrite_ns();
  for (int i = 0; i < 5; ++i) before = std::min(before, rewrite_ns());
  spawn();
  // Copy on write would cost a fault and a copy of each page, a hundred times this, far beyond any noise.
  EXPECT_LT(rewrite_ns(), before * 8);
}

}  // namespace
}  // namespace umrt::os
