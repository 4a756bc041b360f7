// SPDX-License-Identifier: Apache-2.0
#include "core/fault_streams.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

TEST(FaultStreams, AscendingFaultsAreOneStreamWithAGrowingRun) {
  FaultStreams streams;
  EXPECT_EQ(streams.saw({0}, 10).run, 0u);
  EXPECT_EQ(streams.saw({0}, 11).run, 1u);
  EXPECT_EQ(streams.saw({0}, 12).run, 2u);
  EXPECT_EQ(streams.saw({0}, 12).next, 13u);
}

TEST(FaultStreams, ThreadsOfOneSweepThatOvertakeEachOtherStayOneStream) {
  FaultStreams streams;
  for (const std::uint32_t index : {0u, 2u, 1u, 3u, 5u, 4u}) streams.saw({0}, index);
  EXPECT_EQ(streams.saw({0}, 6).next, 7u);
  EXPECT_EQ(streams.saw({0}, 7).run, 5u);
}

TEST(FaultStreams, FarApartFaultsAreStreamsOfTheirOwn) {
  FaultStreams streams;
  streams.saw({0}, 0);
  streams.saw({0}, 1000);
  EXPECT_EQ(streams.saw({0}, 1).run, 1u);
  EXPECT_EQ(streams.saw({0}, 1001).run, 1u);
  EXPECT_EQ(streams.saw({1}, 2).run, 0u);
}

TEST(FaultStreams, TheStalestMakesRoom) {
  FaultStreams streams;
  streams.saw({0}, 0);
  for (std::uint32_t n = 1; n <= FaultStreams::capacity; ++n) streams.saw({n}, 0);
  EXPECT_EQ(streams.saw({0}, 1).run, 0u);
  EXPECT_EQ(streams.saw({FaultStreams::capacity}, 1).run, 1u);
}

TEST(FaultStreams, AFreedRangeIsForgotten) {
  FaultStreams streams;
  streams.saw({0}, 0);
  streams.forget({0});
  EXPECT_EQ(streams.saw({0}, 1).run, 0u);
}

}  // namespace
}  // namespace umrt
