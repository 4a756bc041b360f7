// SPDX-License-Identifier: Apache-2.0
// The C interface: the placement report into a buffer and into a file.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/runtime_fixture.h"

namespace umrt::test {
namespace {

class AbiReport : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    words = allocate(mib, "powers");
    ASSERT_TRUE(succeeds(Fill{words, 0}.launch(nullptr, mib)));
    ASSERT_TRUE(succeeds(umrt_synchronize()));
    folder = std::filesystem::path(::testing::TempDir()) / ("umrt-report-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder);
    EXPECT_TRUE(succeeds(umrt_free(words)));
    RuntimeTest::TearDown();
  }
  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::uint64_t* words = nullptr;
  std::filesystem::path folder;
};

TEST_F(AbiReport, FillsABufferOfTheBytesThatItAskedFor) {
  for (const auto format : {UMRT_REPORT_TEXT, UMRT_REPORT_JSON}) {
    std::size_t needed = 0;
    ASSERT_TRUE(succeeds(umrt_report(format, nullptr, 0, &needed)));
    ASSERT_GT(needed, 100u);
    std::string text(2 * needed, '#');
    ASSERT_TRUE(succeeds(umrt_report(format, text.data(), text.size(), &needed)));
    EXPECT_EQ(text.find('\0'), needed - 1);
    EXPECT_THAT(text, ::testing::HasSubstr("powers"));
    EXPECT_EQ(text[0] == '{', format == UMRT_REPORT_JSON);
  }
}

TEST_F(AbiReport, HasTheHeapAndWhatIsSmallInIt) {
  std::vector<void*> small(300);
  for (void*& pointer : small) ASSERT_TRUE(succeeds(umrt_malloc(&pointer, 100)));
  const auto path = folder / "heap";
  ASSERT_TRUE(succeeds(umrt_report_file(UMRT_REPORT_JSON, path.c_str())));
  EXPECT_THAT(content(path), ::testing::HasSubstr("\"small_allocations\": 300,\n"));
  EXPECT_THAT(content(path), ::testing::HasSubstr("\"small_allocations_bytes\": 30000,\n"));
  EXPECT_THAT(content(path), ::testing::HasSubstr("\"small_ranges_bytes\": 131072\n"));
  EXPECT_THAT(content(path), ::testing::ContainsRegex("\"is_shared\": true"));
  ASSERT_TRUE(succeeds(umrt_report_file(UMRT_REPORT_TEXT, path.c_str())));
  EXPECT_THAT(content(path), ::testing::HasSubstr("\nHEAP  addresses of managed memory\n"));
  for (void* const pointer : small) EXPECT_TRUE(succeeds(umrt_free(pointer)));
}

TEST_F(AbiReport, CutsTheTextWhereTheBufferEnds) {
  std::string text(64, '#');
  std::size_t needed = 0;
  ASSERT_TRUE(succeeds(umrt_report(UMRT_REPORT_TEXT, text.data(), 16, &needed)));
  EXPECT_GT(needed, 16u);
  EXPECT_EQ(text.find('\0'), 15u);
  EXPECT_EQ(text.substr(16), std::string(48, '#'));
  ASSERT_TRUE(succeeds(umrt_report(UMRT_REPORT_TEXT, text.data(), 16, nullptr)));
}

TEST_F(AbiReport, RefusesWhatItCannotDoByName) {
  std::size_t needed = 7;
  const auto no_format = static_cast<umrt_report_format>(9);
  EXPECT_TRUE(fails(umrt_report(no_format, nullptr, 0, &needed), UMRT_ERROR_INVALID_VALUE, {"format", "9"}));
  EXPECT_TRUE(fails(umrt_report(UMRT_REPORT_TEXT, nullptr, 10, &needed), UMRT_ERROR_INVALID_VALUE, {"buffer"}));
  EXPECT_EQ(needed, 7u) << "outputs are written on success alone";
  EXPECT_TRUE(fails(umrt_report_file(no_format, (folder / "report").c_str()), UMRT_ERROR_INVALID_VALUE, {"format"}));
  EXPECT_TRUE(fails(umrt_report_file(UMRT_REPORT_TEXT, nullptr), UMRT_ERROR_INVALID_VALUE, {"path"}));
  const std::string missing = folder / "missing" / "report";
  EXPECT_TRUE(fails(umrt_report_file(UMRT_REPORT_TEXT, missing.c_str()), UMRT_ERROR_SYSTEM, {missing}));
}

TEST_F(AbiReport, ReplacesAFileWholeAndLeavesNothingBeside) {
  const auto path = folder / "report.json";
  std::ofstream(path) << std::string(1 << 20, '#');
  ASSERT_TRUE(succeeds(umrt_report_file(UMRT_REPORT_JSON, path.c_str())));
  const std::string text = content(path);
  EXPECT_EQ(text.front(), '{');
  EXPECT_THAT(text, ::testing::HasSubstr("powers"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("#####")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

}  // namespace
}  // namespace umrt::test
