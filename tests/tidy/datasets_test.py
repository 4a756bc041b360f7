# SPDX-License-Identifier: Apache-2.0
"""The scripts of tools/datasets make what they say, and the shipped files are what they made."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from source_tree import ROOT

RECORDS = """Package: b
Pre-Depends: a (>= 1)
Depends: c:any | d, a, unknown

Package: a
Depends: a

Package: d

Package: c
Version: 1
Depends: a,
 d
"""


class Datasets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, script, *arguments):
        output = self.folder / "out"
        subprocess.run([sys.executable, "-B", ROOT / "tools" / "datasets" / script, output, *arguments],
                       check=True, stderr=subprocess.DEVNULL)  # fmt: skip
        return output.read_text()

    def dependencies(self, *arguments):
        (self.folder / "Packages").write_text(RECORDS)
        text = self.made("debian_dependencies.py", "--packages", self.folder / "Packages", *arguments)
        return [line for line in text.splitlines() if not line.startswith("#")], text

    def test_dependencies_are_the_first_alternatives_among_the_packages_themselves(self):
        edges, text = self.dependencies("--names", self.folder / "names")
        self.assertEqual((self.folder / "names").read_text(), "0 a\n1 b\n2 c\n3 d\n")
        self.assertEqual(edges, ["1\t0", "1\t2", "2\t0", "2\t3"])
        self.assertIn("# Nodes: 4 Edges: 4\n", text)

    def test_the_matrix_is_the_same_graph_from_1(self):
        self.dependencies("--matrix-market", self.folder / "m")
        self.assertEqual((self.folder / "m").read_text().splitlines()[2:], ["4 4 4", "2 1", "2 3", "3 1", "3 4"])

    def test_trimming_keeps_the_most_needed(self):
        edges, text = self.dependencies("--edges-max", "1", "--names", self.folder / "names")
        self.assertEqual(edges, ["1\t0"])
        self.assertEqual((self.folder / "names").read_text(), "0 a\n1 c\n")

    def test_the_shipped_ring_is_what_the_script_makes(self):
        shipped = (ROOT / "tests" / "data" / "generated.txt").read_text()
        self.assertTrue(self.made("ring_of_cliques.py") == shipped, "make tests/data/generated.txt anew")

    def test_both_shipped_forms_of_the_dependencies_are_one_graph(self):
        folder = ROOT / "tests" / "data"

        def numbers(name, skip):
            return [tuple(map(int, line.split())) for line in (folder / name).read_text().splitlines()[skip:]]

        edges = numbers("debian-dependencies.txt", 4)
        self.assertGreater(len(edges), 10_000)
        self.assertEqual(numbers("debian-dependencies.mtx", 3), [(a + 1, b + 1) for a, b in edges])


if __name__ == "__main__":
    unittest.main()
