// SPDX-License-Identifier: Apache-2.0
#include "config/setting_value.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace umrt {
namespace {

Bytes size_of(std::string_view text, Bytes whole = 0_B) {
  const auto parsed = parse_size(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? resolve_size(*parsed, whole) : 0_B;
}

TEST(SettingValue, TheEightWordsOfFlagsAreReadInAnyCase) {
  for (const char* text : {"1", "on", "true", "yes", "On", "TRUE"}) EXPECT_EQ(parse_flag(text), true) << text;
  for (const char* text : {"0", "off", "false", "no", "OFF", "No"}) EXPECT_EQ(parse_flag(text), false) << text;
  for (const char* text : {"", "2", "o", "onn", "|", "enable"}) EXPECT_EQ(parse_flag(text), std::nullopt) << text;
}

TEST(SettingValue, SizesTakeBinaryUnitsAndPlainBytes) {
  EXPECT_EQ(size_of("0"), 0_B);
  EXPECT_EQ(size_of("4096"), 4096_B);
  EXPECT_EQ(size_of("7B"), 7_B);
  EXPECT_EQ(size_of("64KiB"), 64_KiB);
  EXPECT_EQ(size_of("512 mib"), 512_MiB);
  EXPECT_EQ(size_of("1.5GiB"), 1536_MiB);
  EXPECT_EQ(size_of("0.25 TiB"), 256_GiB);
}

TEST(SettingValue, PercentagesAreOfTheWholeWithoutOverflow) {
  EXPECT_EQ(size_of("50%", 8_GiB), 4_GiB);
  EXPECT_EQ(size_of("12.5 %", 8_GiB), 1_GiB);
  EXPECT_EQ(size_of("100%", {~std::uint64_t{0}}).n, ~std::uint64_t{0});
  EXPECT_EQ(size_of("0%", 8_GiB), 0_B);
}

TEST(SettingValue, WhatIsNoSizeIsRefused) {
  for (const char* text : {"", "KiB", "-1", "1.5", "1..5GiB", ".5GiB", "5.GiB", "1GB", "1 G", "0x10", "1e9", "101%",
                           "1 2", "20000000TiB", "18446744073709551616", "1.0000001GiB", "nan", "1KiBx"}) {
    EXPECT_EQ(parse_size(text).has_value(), false) << text;
  }
}

RC_GTEST_PROP(SettingValueProperty, EveryNumberOfBytesIsReadBackFromItsText, (std::uint64_t bytes)) {
  const auto parsed = parse_size(std::to_string(bytes));
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(parsed->number == bytes);
}

RC_GTEST_PROP(SettingValueProperty, AShareIsNeverMoreThanTheWhole, (std::uint64_t whole)) {
  const auto percent = *rc::gen::inRange(0, 101);
  const Bytes part = resolve_size(*parse_size(std::to_string(percent) + "%"), {whole});
  RC_ASSERT(part.n <= whole);
  RC_ASSERT(part.n >= whole / 100 * static_cast<std::uint64_t>(percent));
}

RC_GTEST_PROP(SettingValueProperty, AnyTextIsAnsweredWithoutACrash, (const std::string& text)) {
  const auto size = parse_size(text);
  if (size && size->is_share) RC_ASSERT(size->number <= 1'000'000u);
}

}  // namespace
}  // namespace umrt
