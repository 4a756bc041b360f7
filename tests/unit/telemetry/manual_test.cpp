// SPDX-License-Identifier: Apache-2.0
// docs/report.md has every column and every finding in the words of their tables, and the example report as it is
// printed. UMRT_GOLDEN_WRITE=1 writes these sections of the page anew.
#include <gtest/gtest.h>

#include "telemetry/columns.h"
#include "telemetry/findings.h"
#include "telemetry/text_report.h"
#include "unit/telemetry/example_report.h"
#include "unit/telemetry/golden_file.h"

namespace umrt {
namespace {

const std::string path = UMRT_TESTS_DIR "/../docs/report.md";

// The page with the text between two marks replaced.
std::string with_section(std::string page, const std::string& name, const std::string& text) {
  const std::string begin = "<!-- begin " + name + " -->\n";
  const std::string end = "<!-- end " + name + " -->\n";
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end);
  EXPECT_NE(from, std::string::npos) << path << " lacks the mark " << begin;
  EXPECT_NE(to, std::string::npos) << path << " lacks the mark " << end;
  if (from == std::string::npos || to == std::string::npos) return page;
  return page.replace(from + begin.size(), to - from - begin.size(), text);
}

void expect_section(const std::string& name, const std::string& text) {
  const std::string page = test::read_file(path);
  const std::string wanted = with_section(page, name, text);
  if (test::is_writing_golden()) test::write_file(path, wanted);
  EXPECT_EQ(test::read_file(path), wanted) << "UMRT_GOLDEN_WRITE=1 writes the section anew";
}

template <class T>
std::string table_of(std::span<const Column<T>> columns) {
  std::string text = "| JSON key | in the text | meaning |\n| --- | --- | --- |\n";
  for (const Column<T>& column : columns) {
    text += "| `" + std::string{column.key} + "` | " + std::string{column.heading} + " | " + std::string{column.text} +
            " |\n";
  }
  return text;
}

TEST(Manual, shows_the_example_report) {
  expect_section("example", "```text\n" + to_text(test::example_report()) + "```\n");
}
TEST(Manual, explains_every_column_of_ranges) { expect_section("range columns", table_of(range_columns())); }
TEST(Manual, explains_every_counter) { expect_section("counters", table_of(counter_columns())); }
TEST(Manual, explains_every_total) { expect_section("totals", table_of(total_columns())); }
TEST(Manual, explains_every_column_of_devices) { expect_section("device columns", table_of(device_columns())); }
TEST(Manual, explains_every_column_of_the_heap) { expect_section("heap columns", table_of(heap_columns())); }
TEST(Manual, explains_every_column_of_the_comparison) { expect_section("comparison", table_of(comparison_columns())); }
TEST(Manual, explains_every_fact_of_the_run) { expect_section("run", table_of(run_columns())); }

TEST(Manual, explains_every_finding) {
  std::string text = "| rule | speaks when |\n| --- | --- |\n";
  for (const FindingRule& rule : finding_rules()) {
    text += "| `" + std::string{rule.name} + "` | " + std::string{rule.text} + " |\n";
  }
  expect_section("findings", text);
}

}  // namespace
}  // namespace umrt
