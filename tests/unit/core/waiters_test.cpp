// SPDX-License-Identifier: Apache-2.0
#include "core/waiters.h"

#include <gtest/gtest.h>

namespace umrt {
namespace {

Waiter waiter(std::uint32_t block, ProcessorId processor = host_processor) {
  Waiter w;
  w.block = {block};
  w.processor = processor;
  return w;
}

std::vector<std::uint32_t> blocks_of(const Waiters& waiters) {
  std::vector<std::uint32_t> blocks;
  for (auto i = waiters.oldest(); i != Waiters::none; i = waiters.newer(i)) blocks.push_back(waiters.at(i).block.n);
  return blocks;
}

TEST(Waiters, AreKeptOldestFirstWhateverIsRemoved) {
  Waiters waiters{4};
  waiters.add(waiter(1));
  const auto second = waiters.add(waiter(2));
  waiters.add(waiter(3));
  waiters.remove(second);
  waiters.add(waiter(4));
  EXPECT_EQ(blocks_of(waiters), (std::vector<std::uint32_t>{1, 3, 4}));
  waiters.remove(waiters.oldest());
  EXPECT_EQ(blocks_of(waiters), (std::vector<std::uint32_t>{3, 4}));
}

TEST(Waiters, AFullTableSaysSoAndPlacesComeBack) {
  Waiters waiters{2};
  waiters.add(waiter(1));
  const auto second = waiters.add(waiter(2));
  EXPECT_EQ(waiters.add(waiter(3)), Waiters::none);
  waiters.remove(second);
  EXPECT_NE(waiters.add(waiter(3)), Waiters::none);
  EXPECT_EQ(waiters.count(), 2u);
}

TEST(Waiters, AreFoundByGranuleAndProcessor) {
  Waiters waiters{4};
  waiters.add(waiter(7, device_processor(0)));
  EXPECT_NE(waiters.find({7}, {0}, device_processor(0)), Waiters::none);
  EXPECT_EQ(waiters.find({7}, {0}, host_processor), Waiters::none);
  EXPECT_EQ(waiters.find({7}, {1}, device_processor(0)), Waiters::none);
  EXPECT_TRUE(waiters.has({7}, device_processor(0)));
  EXPECT_FALSE(waiters.has({7}, device_processor(1)));
}

}  // namespace
}  // namespace umrt
