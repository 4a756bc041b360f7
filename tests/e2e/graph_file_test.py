# SPDX-License-Identifier: Apache-2.0
"""Graphs from files: the ones that tests ship, small ones of each kind, and bad ones."""

import os
import unittest

from support import FINE, SOURCE, USAGE, UmrtTest, umrt

QUICK = ("demo", "--quick", "--no-compare", "--json", "--graph")


class GraphFile(UmrtTest):
    def test_that_the_tests_ship_runs(self):
        files = [f for f in sorted((SOURCE / "tests" / "data").rglob("*")) if f.suffix in (".txt", ".mtx", ".el")]
        self.assertTrue(files)
        for file in files:
            with self.subTest(file=file.name):
                demo = self.json_of(umrt(*QUICK, file))
                self.assert_equal_to_plain_memory(demo)
                self.assertGreater(demo["graph"]["edges"], 0)

    def test_of_one_edge_or_one_vertex_runs(self):
        for text, vertices in (("0 1\n", 2), ("0 0", 1), ("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", 1)):
            with self.subTest(text=text):
                demo = self.json_of(umrt(*QUICK, self.write("g", text)))
                self.assert_equal_to_plain_memory(demo)
                self.assertEqual(demo["graph"]["vertices"], vertices)

    def test_numbers_levels_along_the_edges(self):
        path = self.write("path.txt", "".join(f"{v} {v + 1}\n" for v in range(40)) + "0 7\n")
        job = self.json_of(umrt(*QUICK, path))["job"]
        self.assertEqual(job["search_start"], 0)
        self.assertEqual(job["search_reached"], 41)
        self.assertEqual(job["search_levels"], 41 - 6)

    def test_that_is_bad_is_a_message_with_the_place_and_wrong_usage(self):
        banner = "%%MatrixMarket matrix coordinate pattern general\n"
        for name, content, words in (
            ("negative", "0 1\n-3 4\n", ':2: found "-3"'),
            ("word", "0 1\n1 two\n", ':2: found "two"'),
            ("half", "0 1\n7", ':2: found "7"'),
            ("promise", "# Nodes: 5 Edges: 1000000000000\n0 1\n", "found 1000000000000 edges in the header"),
            ("truncated", "# Nodes: 3 Edges: 3\n0 1\n1000 2000\n", "truncated"),
            ("comments", "# only\n# comments\n", "found no edge"),
            ("empty", "", "empty"),
            ("binary", bytes(range(256)), "binary"),
            ("gzip", b"\x1f\x8b\x08\x00", "gunzip"),
            ("entries", banner + "3 3 1000000000000\n1 2\n", "found 1000000000000 entries in the header"),
            ("rows", banner + "1000000000000 1000000000000 1\n1 2\n", "found 1000000000000 rows in the header"),
            ("index", banner + "3 3 1\n1 4\n", ':3: found "4"'),
            ("short", banner + "3 3 2\n1 2\n     \n", "truncated"),
            ("complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 0 0\n", "pattern, real or integer"),
        ):
            with self.subTest(name=name):
                path = self.write(name, content)
                result = umrt(*QUICK, path)
                self.assert_code(result, USAGE)
                self.assertIn(str(path), result.stderr)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_that_is_missing_or_no_file_is_wrong_usage(self):
        for path, words in ((self.folder / "none", "no such file"), (self.folder, "directory"), (os.devnull, "regular")):
            with self.subTest(path=path):
                result = umrt(*QUICK, path)
                self.assert_code(result, USAGE)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
