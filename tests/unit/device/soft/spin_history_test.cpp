// SPDX-License-Identifier: Apache-2.0
#include "device/soft/spin_history.h"

#include <gtest/gtest.h>

namespace umrt::soft {
namespace {

int worthwhile_of(SpinHistory& spins, int times) {
  int count = 0;
  for (int i = 0; i < times; ++i) count += spins.is_worthwhile() ? 1 : 0;
  return count;
}

TEST(SpinHistory, spins_until_it_was_twice_in_vain) {
  SpinHistory spins;
  spins.was_in_vain();
  EXPECT_EQ(worthwhile_of(spins, 100), 100);
  spins.was_in_vain();
  EXPECT_LT(worthwhile_of(spins, 100), 10);
}

TEST(SpinHistory, tries_again_now_and_then_and_goes_on_when_it_pays) {
  SpinHistory spins;
  for (int i = 0; i < 1000; ++i) spins.was_in_vain();
  EXPECT_EQ(worthwhile_of(spins, 64), 4);
  spins.paid();
  EXPECT_EQ(worthwhile_of(spins, 64), 64);
}

}  // namespace
}  // namespace umrt::soft
