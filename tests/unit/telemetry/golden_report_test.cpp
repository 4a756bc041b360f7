// SPDX-License-Identifier: Apache-2.0
// The reports of the example run, compared with the files in golden/ to the byte. UMRT_GOLDEN_WRITE=1 writes them anew:
// look at what changed before committing.
#include <gtest/gtest.h>

#include <sstream>

#include "telemetry/graphs.h"
#include "telemetry/json_report.h"
#include "telemetry/text_report.h"
#include "telemetry/text_table.h"
#include "unit/telemetry/example_report.h"
#include "unit/telemetry/golden_file.h"

namespace umrt {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = UMRT_TESTS_DIR "/unit/telemetry/golden/" + name;
  if (test::is_writing_golden()) test::write_file(path, text);
  EXPECT_EQ(test::read_file(path), text) << "UMRT_GOLDEN_WRITE=1 writes " << path << " anew";
}

TEST(GoldenReport, text_is_as_in_the_golden_file) { expect_golden("report.txt", to_text(test::example_report())); }

TEST(GoldenReport, plain_ascii_text_is_as_in_the_golden_file) {
  const std::string text = to_text(test::example_report(), {.is_ascii = true});
  expect_golden("report_ascii.txt", text);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << "not ASCII: " << static_cast<int>(c);
}

TEST(GoldenReport, json_is_as_in_the_golden_file) { expect_golden("report.json", to_json(test::example_report())); }

TEST(GoldenReport, no_line_is_wider_than_the_page) {
  std::istringstream lines{to_text(test::example_report())};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), page_columns) << line;
}

}  // namespace
}  // namespace umrt
