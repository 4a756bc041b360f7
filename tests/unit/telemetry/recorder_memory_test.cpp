// SPDX-License-Identifier: Apache-2.0
// The recorder's promise on memory: bounded, whatever the length of the run, and nothing allocated while it watches.
// Every allocation of this program is counted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "telemetry/recorder.h"

namespace {

std::size_t allocations = 0;
std::size_t bytes_live = 0;

}  // namespace

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) return nullptr;
  ++allocations;
  bytes_live += malloc_usable_size(memory);
  return memory;
}

void* operator new(std::size_t bytes) {
  void* memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  bytes_live -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { ::operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { ::operator delete(memory); }

namespace umrt {
namespace {

RunFacts one_device() {
  RunFacts run;
  run.device_budgets = {64_MiB};
  return run;
}

EngineSnapshot snapshot_with(const Counters& counters) {
  EngineSnapshot snapshot;
  snapshot.devices = {{device_processor(0), 64_MiB, 0_B, 0_B}};
  snapshot.ranges = {{RangeId{0}, {}, 2_MiB, PageClass::page_2m, {}, {}, &counters}};
  return snapshot;
}

TEST(RecorderMemory, does_not_grow_with_the_number_of_ranges_that_come_and_go) {
  const Counters counters;
  EngineSnapshot snapshot = snapshot_with(counters);
  Recorder recorder{one_device()};
  std::uint64_t now = 0;
  const auto come_and_go = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const std::string name = "a name too long to be stored inline, number " + std::to_string(i % 1'000);
      recorder.range_created(
          {RangeId{0}, {}, Bytes{4'096ull + i % 512}, PageClass::page_4k, name, "site.cpp:1", {}, {now}});
      recorder.sample(snapshot, {now += 100'000});
      recorder.range_retired(snapshot.ranges[0], {now += 100'000});
    }
  };
  come_and_go(2'000);
  const std::size_t before = bytes_live;
  come_and_go(20'000);
  EXPECT_LE(bytes_live, before + 4'096);
}

TEST(RecorderMemory, watching_allocates_nothing) {
  const Counters counters;
  const EngineSnapshot snapshot = snapshot_with(counters);
  Recorder recorder{one_device()};
  recorder.range_created({RangeId{0}, {}, 2_MiB, PageClass::page_2m, "a", "site.cpp:1", {}, {}});
  const std::size_t before = allocations;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const Ticks now{i * 1'000'000};
    recorder.sample(snapshot, now);
    recorder.fault({now, device_processor(0), Access::read, false, 0, Address{i % (2_MiB).n}});
    recorder.launch_ended(device_processor(0), now, now, 1);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace umrt
