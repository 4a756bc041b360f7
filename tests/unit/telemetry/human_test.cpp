// SPDX-License-Identifier: Apache-2.0
#include "telemetry/human.h"

#include <gtest/gtest.h>

#include "telemetry/graphs.h"
#include "telemetry/text_table.h"

namespace umrt {
namespace {

TEST(Human, sizes_have_three_digits_and_a_binary_unit) {
  EXPECT_EQ(human(0_B), "0 B");
  EXPECT_EQ(human(Bytes{1000}), "1000 B");
  EXPECT_EQ(human(4_KiB), "4.00 KiB");
  EXPECT_EQ(human(640_KiB), "640 KiB");
  EXPECT_EQ(human(Bytes{(1_GiB).n - 1}), "1.00 GiB");
  EXPECT_EQ(human(3000_TiB), "3000 TiB");
}

TEST(Human, durations_have_a_decimal_unit) {
  EXPECT_EQ(human(Ticks{}), "0 ns");
  EXPECT_EQ(human(Ticks{12'000}), "12.0 us");
  EXPECT_EQ(human(Ticks{6'120'000'000}), "6.12 s");
}

TEST(Human, counts_are_grouped_and_shortened_from_ten_million_on) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1'234'567), "1,234,567");
  EXPECT_EQ(human_count(12'345'678), "12.3 M");
}

TEST(Human, shares_and_factors) {
  EXPECT_EQ(times(14, 10), "1.4 times");
  EXPECT_EQ(times(155, 10), "16 times");
  EXPECT_EQ(percent(42, 100), "42 %");
  EXPECT_EQ(percent(3, 1000), "0.3 %");
  EXPECT_EQ(percent(0, 0), "0 %");
}

TEST(Human, hints_are_listed_in_words) {
  EXPECT_EQ(human(Hints{}), "");
  Hints hints;
  hints.pattern = AccessPattern::sequential;
  hints.is_read_mostly = true;
  hints.is_discardable = true;
  hints.preferred = host_processor;
  hints.preferred_node = 1;
  hints.accessed_by = 2;
  EXPECT_EQ(human(hints), "sequential, read-mostly, discardable, prefers host node 1, accessed by device 0");
}

TEST(Graphs, a_bar_shows_part_of_whole_and_neither_end_by_rounding) {
  const Glyphs& ascii = glyphs(true);
  EXPECT_EQ(bar(1, 2, 8, ascii), "####----");
  EXPECT_EQ(bar(0, 2, 4, ascii), "----");
  EXPECT_EQ(bar(2, 2, 4, ascii), "####");
  EXPECT_EQ(bar(0, 0, 4, ascii), "####");
  EXPECT_EQ(bar(1, 1'000'000, 4, ascii), "#---");
  EXPECT_EQ(bar(999'999, 1'000'000, 4, ascii), "###-");
}

TEST(Graphs, a_sparkline_stretches_and_shrinks_to_its_width) {
  const Glyphs& ascii = glyphs(true);
  EXPECT_EQ(sparkline({std::nullopt, 0, 4, 8}, 8, 4, ascii), " .+@");
  EXPECT_EQ(sparkline({0, 8}, 8, 4, ascii), "..@@");
  EXPECT_EQ(sparkline({0, 8, 8, 8}, 8, 2, ascii), "+@");
  EXPECT_EQ(sparkline({}, 8, 3, ascii), "   ");
}

TEST(Graphs, columns_are_code_points) {
  EXPECT_EQ(columns_of("▁▂é"), 3u);
  EXPECT_EQ(shortened("Größenklasse", 6, glyphs(false)), "Größe…");
  EXPECT_EQ(shortened("kurz", 6, glyphs(false)), "kurz");
}

TEST(TextTable, numbers_stay_with_their_units_at_the_end_of_a_line) {
  const std::string filler(page_columns - 8, 'x');
  EXPECT_EQ(wrapped(filler + " is 100 MiB", "  "), "  " + filler + " is\n  100 MiB\n");
}

TEST(TextTable, words_go_left_and_numbers_right) {
  TextTable table{glyphs(true)};
  table.add_column("NAME", true);
  table.add_column("SIZE", false);
  table.add_row({"a", "1 B"}, "below");
  EXPECT_EQ(table.text(1), " NAME  SIZE\n a      1 B\n   below\n");
}

TEST(TextTable, the_first_column_gives_way_to_the_width_of_the_page) {
  TextTable table{glyphs(true)};
  table.add_column("NAME", true);
  table.add_column("WIDE", false);
  table.add_row({std::string(40, 'n'), std::string(page_columns - 20, 'w')});
  EXPECT_EQ(table.text(2), "  NAME" + std::string(page_columns - 10, ' ') + "WIDE\n  " + std::string(15, 'n') + "~  " +
                               std::string(page_columns - 20, 'w') + "\n");
}

}  // namespace
}  // namespace umrt
