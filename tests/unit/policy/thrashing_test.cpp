// SPDX-License-Identifier: Apache-2.0
#include "policy/thrashing.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

constexpr ProcessorId gpu = device_processor(0);
constexpr BlockId block{0};
constexpr std::uint64_t close = 100'000;  // ns, well within the lapse

// `times` migrations to and fro, `apart` nanoseconds each; the last one's answer.
std::optional<Ticks> ping_pong(ThrashingPolicy& policy, int times, std::uint64_t apart,
                               std::uint64_t from = 1'000'000) {
  std::optional<Ticks> held;
  for (int n = 0; n < times; ++n) {
    held = policy.migrated(block, n % 2 == 0 ? gpu : host_processor, {from + static_cast<std::uint64_t>(n) * apart});
  }
  return held;
}

TEST(Thrashing, ThreeCloseMigrationsAfterTheFirstHoldTheBlockForALapse) {
  const auto policy = make_thrashing_detector();
  policy->reserve(1);
  EXPECT_EQ(ping_pong(*policy, 3, close), std::nullopt);
  const Ticks now{1'000'000 + 3 * close};
  const auto held = policy->migrated(block, host_processor, now);
  EXPECT_EQ(held, now + Ticks{500'000});
  EXPECT_EQ(policy->held_until(block, gpu, now), held);
  EXPECT_EQ(policy->held_until(block, host_processor, now), std::nullopt);
  EXPECT_EQ(policy->held_until(block, gpu, *held), std::nullopt);
}

TEST(Thrashing, SlowTurnsAreNoThrashing) {
  const auto policy = make_thrashing_detector();
  policy->reserve(1);
  EXPECT_EQ(ping_pong(*policy, 20, 1'000'000), std::nullopt);
}

TEST(Thrashing, MigrationsToOneProcessorAreNoThrashing) {
  const auto policy = make_thrashing_detector();
  policy->reserve(1);
  for (std::uint64_t n = 1; n < 20; ++n) EXPECT_EQ(policy->migrated(block, gpu, {n * close}), std::nullopt);
}

TEST(Thrashing, ABlockThatGoesOnThrashingIsHeldLonger) {
  const auto policy = make_thrashing_detector();
  policy->reserve(1);
  Ticks now{1'000'000};
  Ticks held;
  for (int n = 0; n < 20; ++n) {
    const auto until = policy->migrated(block, n % 2 == 0 ? gpu : host_processor, now);
    held = until ? *until - now : Ticks{};
    now = (until ? *until : now) + Ticks{close};
  }
  EXPECT_EQ(held, Ticks{5'000'000});
}

TEST(Thrashing, APrefetchOrAnAdviceForgets) {
  const auto policy = make_thrashing_detector();
  policy->reserve(1);
  ping_pong(*policy, 6, close);
  policy->forget(block);
  EXPECT_EQ(policy->held_until(block, gpu, {1'500'000}), std::nullopt);
  EXPECT_EQ(ping_pong(*policy, 3, close, 2'000'000), std::nullopt);
}

}  // namespace
}  // namespace umrt
