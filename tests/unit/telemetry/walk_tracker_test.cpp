// SPDX-License-Identifier: Apache-2.0
#include "telemetry/walk_tracker.h"

#include <gtest/gtest.h>

#include "telemetry/evidence.h"

namespace umrt {
namespace {

constexpr Bytes range = 256_MiB;

void sweep(WalkTracker& tracker, std::uint32_t thread, Bytes begin, Bytes end) {
  for (Bytes at = begin; at < end; at += 2_MiB) tracker.fault(thread, at, range);
}

TEST(WalkTracker, a_sweep_is_steps_ahead_and_a_new_pass_is_one_back) {
  WalkTracker tracker;
  for (int pass = 0; pass < 3; ++pass) sweep(tracker, 0, 0_B, range);
  EXPECT_EQ(tracker.walk().steps_back, 2u);
  EXPECT_EQ(tracker.walk().steps_other, 0u);
  EXPECT_TRUE(is_swept(tracker.walk()));
  EXPECT_FALSE(is_random(tracker.walk()));
}

TEST(WalkTracker, threads_that_sweep_parts_of_their_own_make_a_sweep) {
  WalkTracker tracker;
  for (Bytes at; at < 128_MiB; at += 2_MiB) {
    tracker.fault(0, at, range);
    tracker.fault(1, at + 128_MiB, range);
  }
  EXPECT_TRUE(is_swept(tracker.walk()));
  EXPECT_EQ(tracker.walk().steps_back, 0u);
}

TEST(WalkTracker, faults_in_no_order_are_random) {
  WalkTracker tracker;
  for (std::uint64_t i = 0; i < 200; ++i) tracker.fault(0, 64_KiB * (i * 2'654'435'761 % 4'096), range);
  EXPECT_TRUE(is_random(tracker.walk()));
  EXPECT_FALSE(is_swept(tracker.walk()));
}

TEST(WalkTracker, a_few_faults_say_nothing) {
  WalkTracker tracker;
  sweep(tracker, 0, 0_B, 20_MiB);
  EXPECT_FALSE(is_swept(tracker.walk()));
  EXPECT_FALSE(is_random(tracker.walk()));
}

}  // namespace
}  // namespace umrt
