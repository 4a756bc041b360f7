// SPDX-License-Identifier: Apache-2.0
// Walks the tables of columns. That each row is in docs/report.md is held by manual_test.cpp.
#include "telemetry/columns.h"

#include <gtest/gtest.h>

#include <set>

namespace umrt {
namespace {

bool ends_in(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

template <class T>
void check_table(std::span<const Column<T>> columns) {
  std::set<std::string_view> keys;
  for (const Column<T>& column : columns) {
    SCOPED_TRACE(column.key);
    EXPECT_TRUE(keys.insert(column.key).second) << "the key is there twice";
    EXPECT_FALSE(column.text.empty()) << "say what the column means";
    EXPECT_EQ(column.heading.empty(), column.shown == Shown::json) << "what is in the text needs a heading";
    const bool is_bytes =
        std::holds_alternative<Bytes& (*)(T&)>(column.get) || std::holds_alternative<Bytes (*)(const T&)>(column.get);
    EXPECT_TRUE(!is_bytes || column.key.find("bytes") != std::string_view::npos) << "a size says so in its key";
    EXPECT_TRUE(!std::holds_alternative<Ticks& (*)(T&)>(column.get) || ends_in(column.key, "_ms"));
    const bool is_ratio = std::holds_alternative<Permille& (*)(T&)>(column.get) ||
                          std::holds_alternative<Permille (*)(const T&)>(column.get);
    EXPECT_EQ(is_ratio, ends_in(column.key, "_ratio"));
  }
}

TEST(Columns, of_ranges_have_texts_and_keys_with_units) { check_table(range_columns()); }
TEST(Columns, of_counters_have_texts_and_keys_with_units) { check_table(counter_columns()); }
TEST(Columns, of_totals_have_texts_and_keys_with_units) { check_table(total_columns()); }
TEST(Columns, of_devices_have_texts_and_keys_with_units) { check_table(device_columns()); }
TEST(Columns, of_the_heap_have_texts_and_keys_with_units) { check_table(heap_columns()); }
TEST(Columns, of_the_comparison_have_texts_and_keys_with_units) { check_table(comparison_columns()); }
TEST(Columns, of_the_run_have_texts_and_keys_with_units) { check_table(run_columns()); }

TEST(Columns, that_share_a_json_object_have_different_keys) {
  std::set<std::string_view> keys;
  for (const auto& column : counter_columns()) keys.insert(column.key);
  for (const auto& column : range_columns()) EXPECT_FALSE(keys.contains(column.key)) << column.key;
  for (const auto& column : total_columns()) EXPECT_FALSE(keys.contains(column.key)) << column.key;
}

TEST(Columns, a_zero_is_an_empty_cell_and_a_figure_has_its_unit) {
  ReportRange range;
  range.name = "edges";
  range.bytes = 1536_MiB;
  const auto text = [&range](std::string_view key) {
    for (const auto& column : range_columns()) {
      if (column.key == key) return cell(column, range);
    }
    return std::string{"no such column"};
  };
  EXPECT_EQ(text("label"), "edges");
  EXPECT_EQ(text("bytes"), "1.50 GiB");
  EXPECT_EQ(text("page_class_bytes"), "2M");
  EXPECT_EQ(text("freed_ms"), "");
  range.count = 1'200;
  EXPECT_EQ(text("label"), "edges × 1,200");
}

}  // namespace
}  // namespace umrt
