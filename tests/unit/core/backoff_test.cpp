// SPDX-License-Identifier: Apache-2.0
#include "core/backoff.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

TEST(Backoff, DoublesUpToATenthOfASecond) {
  EXPECT_EQ(backoff(0), Ticks{50'000});
  EXPECT_EQ(backoff(3), Ticks{400'000});
  EXPECT_EQ(backoff(11), backoff(60));
  EXPECT_LT(backoff(60), Ticks{110'000'000});
}

TEST(PinnedBlocks, AreNoVictimsUntilTheirTimeAndLongerEachTime) {
  PinnedBlocks pinned;
  pinned.refused({3}, {0});
  EXPECT_TRUE(pinned.has({3}, {49'999}));
  EXPECT_FALSE(pinned.has({3}, {50'000}));
  pinned.refused({3}, {50'000});
  EXPECT_TRUE(pinned.has({3}, {149'999}));
  EXPECT_EQ(pinned.next({60'000}), Ticks{150'000});
  pinned.forget({3});
  EXPECT_FALSE(pinned.has({3}, {60'000}));
  EXPECT_TRUE(pinned.empty());
}

TEST(PinnedBlocks, TheOneThatEndsFirstMakesRoomWhenAllPlacesAreTaken) {
  PinnedBlocks pinned;
  for (std::uint32_t n = 0; n < 65; ++n) pinned.refused({n}, {n});
  EXPECT_FALSE(pinned.has({0}, {1}));
  EXPECT_TRUE(pinned.has({1}, {1}));
  EXPECT_TRUE(pinned.has({64}, {64}));
}

BlockAction discard(std::uint32_t block, GranuleMask granules) {
  BlockAction action;
  action.operation = Operation::discard;
  action.block = {block};
  action.granules = granules;
  return action;
}

TEST(Retries, AnActionIsDueOnceAndLaterAfterEachFailure) {
  Retries retries;
  retries.failed(discard(1, {0b11}), {0b10}, {0});
  EXPECT_EQ(retries.take_due({49'999}), nullptr);
  const BlockAction* due = retries.take_due({50'000});
  ASSERT_NE(due, nullptr);
  EXPECT_EQ(due->granules, GranuleMask{0b10});
  EXPECT_EQ(retries.take_due({50'000}), nullptr);
  retries.failed(discard(1, {0b10}), {0b10}, {50'000});
  EXPECT_EQ(retries.next(), Ticks{150'000});
  ASSERT_NE(retries.take_due({150'000}), nullptr);
  retries.ended(discard(1, {0b10}));
  EXPECT_TRUE(retries.empty());
}

}  // namespace
}  // namespace umrt
