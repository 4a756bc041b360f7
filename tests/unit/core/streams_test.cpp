// SPDX-License-Identifier: Apache-2.0
#include "core/streams.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

TEST(Streams, AscendingFaultsAreOneStreamWithAGrowingRun) {
  Streams streams;
  EXPECT_EQ(streams.saw({0}, 10).run, 0u);
  EXPECT_EQ(streams.saw({0}, 11).run, 1u);
  EXPECT_EQ(streams.saw({0}, 12).run, 2u);
  EXPECT_EQ(streams.saw({0}, 12).next, 13u);
}

TEST(Streams, ThreadsOfOneSweepThatOvertakeEachOtherStayOneStream) {
  Streams streams;
  for (const std::uint32_t index : {0u, 2u, 1u, 3u, 5u, 4u}) streams.saw({0}, index);
  EXPECT_EQ(streams.saw({0}, 6).next, 7u);
  EXPECT_EQ(streams.saw({0}, 7).run, 5u);
}

TEST(Streams, FarApartFaultsAreStreamsOfTheirOwn) {
  Streams streams;
  streams.saw({0}, 0);
  streams.saw({0}, 1000);
  EXPECT_EQ(streams.saw({0}, 1).run, 1u);
  EXPECT_EQ(streams.saw({0}, 1001).run, 1u);
  EXPECT_EQ(streams.saw({1}, 2).run, 0u);
}

TEST(Streams, TheStalestMakesRoom) {
  Streams streams;
  streams.saw({0}, 0);
  for (std::uint32_t n = 1; n <= Streams::capacity; ++n) streams.saw({n}, 0);
  EXPECT_EQ(streams.saw({0}, 1).run, 0u);
  EXPECT_EQ(streams.saw({Streams::capacity}, 1).run, 1u);
}

TEST(Streams, AFreedRangeIsForgotten) {
  Streams streams;
  streams.saw({0}, 0);
  streams.forget({0});
  EXPECT_EQ(streams.saw({0}, 1).run, 0u);
}

}  // namespace
}  // namespace umrt
