// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/graph_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace umrt::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string edge_list_error(std::string_view text) {
  const auto result = parse_edge_list(text, "g.txt");
  return result ? "no error" : result.error().message;
}
std::string matrix_error(std::string_view text) {
  const auto result = parse_matrix_market(text, "m.mtx");
  return result ? "no error" : result.error().message;
}

TEST(EdgeListFile, takes_comments_blank_lines_tabs_weights_and_line_ends_of_every_kind) {
  const auto list = parse_edge_list("# a graph\r\n# Nodes: 3 Edges: 3\r\n0\t1\r\n\n% other\n 1 2 0.5 \n2,0", "g.txt");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->vertex_count, 3u);
  EXPECT_THAT(list->edges, ElementsAre(Edge{0, 1}, Edge{1, 2}, Edge{2, 0}));
}

TEST(EdgeListFile, numbers_vertices_anew_where_most_numbers_are_unused) {
  const auto list = parse_edge_list("1000000000000 7\n7 500\n", "g.txt");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->vertex_count, 3u);
  EXPECT_THAT(list->edges, ElementsAre(Edge{2, 0}, Edge{0, 1}));
}

TEST(EdgeListFile, names_line_found_and_expected) {
  EXPECT_EQ(edge_list_error("0 1\n-2 3\n"), "g.txt:2: found \"-2\", expected a source vertex that is not negative");
  EXPECT_EQ(edge_list_error("0 1\n2 x3\n"), "g.txt:2: found \"x3\", expected the whole number of a target vertex");
  EXPECT_EQ(edge_list_error("0 1.5\n"), "g.txt:1: found \"1.5\", expected the whole number of a target vertex");
  EXPECT_EQ(edge_list_error("0 1\n2"), "g.txt:2: found \"2\", expected two vertex numbers on a line");
  EXPECT_EQ(edge_list_error("0 1 heavy\n"), "g.txt:1: found \"heavy\", expected the end of the line or a number");
  EXPECT_EQ(edge_list_error("0 99999999999999999999\n"),
            "g.txt:1: found \"99999999999999999999\", expected a target vertex below 2^64");
  EXPECT_EQ(edge_list_error("# nothing\n"),
            "g.txt:1: found no edge in the whole file, expected lines \"SOURCE TARGET\"");
}

TEST(EdgeListFile, believes_no_header_that_the_size_of_the_file_contradicts) {
  EXPECT_EQ(
      edge_list_error("# Nodes: 1000000000000 Edges: 1000000000000\n0 1\n"),
      "g.txt:1: found 1000000000000 edges in the header, expected at most 1 edges, which is what the 4 bytes that "
      "follow have room for: the file is truncated or the header wrong");
  EXPECT_EQ(edge_list_error("# Nodes: 9 Edges: 3\n0 1\n1000 2000\n"),
            "g.txt:3: found the end of the file after 2 edges, expected 3 edges as line 1 says: the file is truncated");
}

TEST(EdgeListFile, shows_unprintable_text_in_a_printable_way) {
  EXPECT_THAT(edge_list_error("0 \x1b[31m\xff\n"), HasSubstr("found \"\\x1b[31m\\xff\""));
  EXPECT_THAT(edge_list_error(std::string(100, 'z')), HasSubstr(std::string(40, 'z') + "\"..."));
}

TEST(MatrixMarketFile, takes_pattern_real_integer_general_and_symmetric) {
  const auto general =
      parse_matrix_market("%%MatrixMarket matrix coordinate pattern general\n% note\n\n3 3 2\n1 2\n3 1\n", "m.mtx");
  ASSERT_TRUE(general) << general.error().message;
  EXPECT_EQ(general->vertex_count, 3u);
  EXPECT_THAT(general->edges, ElementsAre(Edge{0, 1}, Edge{2, 0}));
  const auto symmetric =
      parse_matrix_market("%%MatrixMarket MATRIX Coordinate Real Symmetric\n3 3 2\n2 1 -1.5e3\n3 3 1\n", "m.mtx");
  ASSERT_TRUE(symmetric) << symmetric.error().message;
  EXPECT_THAT(symmetric->edges, ElementsAre(Edge{1, 0}, Edge{0, 1}, Edge{2, 2}));
  EXPECT_TRUE(parse_matrix_market("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 7\n", "m.mtx"));
}

TEST(MatrixMarketFile, names_line_found_and_expected) {
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THAT(matrix_error("%%MatrixMarket matrix array real general\n2 2\n1\n"), HasSubstr("m.mtx:1: found"));
  EXPECT_THAT(matrix_error("%%MatrixMarket matrix coordinate complex general\n"),
              HasSubstr("pattern, real or integer"));
  EXPECT_EQ(matrix_error(pattern), "m.mtx:1: found the end of the file, expected a line \"ROWS COLUMNS ENTRIES\"");
  EXPECT_EQ(matrix_error(pattern + "2 3 1\n1 1\n"),
            "m.mtx:2: found 2 rows and 3 columns, expected as many rows as columns, for a graph");
  EXPECT_EQ(matrix_error(pattern + "3 3 2\n1 2\n0 1\n"), "m.mtx:4: found \"0\", expected a row from 1 to 3");
  EXPECT_EQ(matrix_error(pattern + "3 3 2\n1 2\n1 4\n"), "m.mtx:4: found \"4\", expected a column from 1 to 3");
  EXPECT_EQ(matrix_error(pattern + "3 3 1\n-1 2\n"), "m.mtx:3: found \"-1\", expected a row from 1 to 3");
  EXPECT_EQ(matrix_error(real + "2 2 1\n1 2 one\n"), "m.mtx:3: found \"one\", expected a number");
  EXPECT_EQ(matrix_error(pattern + "3 3 2\n1 2\n     \n"),
            "m.mtx:4: found the end of the file after 1 entries, expected 2 entries as the header says: the file is "
            "truncated");
  EXPECT_EQ(matrix_error(pattern + "3 3 1\n1 2\n2 3\n"),
            "m.mtx:4: found \"2 3\", expected the end of the file after 1 entries");
  EXPECT_EQ(matrix_error(pattern + "3 3 many\n"),
            "m.mtx:2: found \"many\", expected the number of entries, a whole number of at least 0");
}

TEST(MatrixMarketFile, believes_no_header_that_the_size_of_the_file_contradicts) {
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_THAT(matrix_error(pattern + "3 3 1000000000000\n1 2\n"),
              HasSubstr("found 1000000000000 entries in the header"));
  EXPECT_THAT(matrix_error(pattern + "1000000000000 1000000000000 1\n1 2\n"),
              HasSubstr("found 1000000000000 rows in the header, expected at most 1000016 rows for 1 entries"));
}

RC_GTEST_PROP(GraphFile, no_text_crashes_a_parser, (const std::string& text)) {
  const auto list = parse_edge_list(text, "any");
  if (!list) RC_ASSERT(list.error().message.starts_with("any:"));
  const auto matrix = parse_matrix_market("%%MatrixMarket matrix coordinate pattern general\n" + text, "any");
  if (!matrix) RC_ASSERT(matrix.error().message.starts_with("any:"));
}

class GraphFileOnDisk : public testing::Test {
 protected:
  GraphFileOnDisk() {
    std::string pattern = testing::TempDir() + "umrt-graph-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~GraphFileOnDisk() override { std::filesystem::remove_all(folder_); }

  std::string write(std::string_view text) {
    const std::string path = folder_ + "/graph";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string error_of(const std::string& path) {
    const auto result = read_graph_file(path);
    return result ? "no error" : result.error().message;
  }

  std::string folder_;
};

TEST_F(GraphFileOnDisk, is_told_apart_by_its_content) {
  EXPECT_EQ(read_graph_file(write("0 1\n"))->edges, (std::vector<Edge>{{0, 1}}));
  EXPECT_EQ(read_graph_file(write("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n"))->edges,
            (std::vector<Edge>{{1, 0}}));
}

TEST_F(GraphFileOnDisk, that_is_missing_empty_a_directory_or_binary_is_an_error_that_says_so) {
  EXPECT_EQ(error_of(folder_ + "/none"), folder_ + "/none: no such file");
  EXPECT_EQ(error_of(folder_), folder_ + ": found a directory, expected a graph file");
  EXPECT_THAT(error_of(write("")), HasSubstr("the file is empty"));
  EXPECT_THAT(error_of(write(std::string("\x7f"
                                         "ELF\0\0",
                                         6))),
              HasSubstr("binary data (byte 0x00 at offset 4)"));
  EXPECT_THAT(error_of(write("\x1f\x8b\x08")), HasSubstr("compressed with gzip"));
}

}  // namespace
}  // namespace umrt::graph
