// SPDX-License-Identifier: Apache-2.0
#include "kernels/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace umrt::sweep {
namespace {

TEST(Sweep, adds_to_every_word_of_its_items_and_to_none_behind_the_end) {
  std::vector<std::uint64_t> words(10, 100);
  const Arguments arguments{.words = words.data(), .word_count = 9, .words_per_item = 4, .addend = 5};
  ASSERT_EQ(item_count(arguments), 3u);
  add_to_every_word(&arguments, 1, 3);
  EXPECT_THAT(words, testing::ElementsAre(100, 100, 100, 100, 105, 105, 105, 105, 105, 100));
}

TEST(Sweep, touches_the_first_word_of_each_item) {
  std::vector<std::uint64_t> words(9, 0);
  const Arguments arguments{.words = words.data(), .word_count = 9, .words_per_item = 4, .addend = 1};
  add_to_first_word(&arguments, 0, item_count(arguments));
  EXPECT_THAT(words, testing::ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
}

}  // namespace
}  // namespace umrt::sweep
