# SPDX-License-Identifier: Apache-2.0
"""Every C and C++ file is as clang-format 14 writes it."""

import re
import shutil
import subprocess
import unittest

from source_tree import ROOT, RuleTest, c_files

TOOL = "clang-format-14"


def badly_formatted(paths, **options):
    result = subprocess.run(
        [TOOL, "--dry-run", "-Werror", *map(str, paths)], cwd=ROOT, stderr=subprocess.PIPE, text=True, **options
    )
    return sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", result.stderr, re.MULTILINE)))


class Format(RuleTest):
    def setUp(self):
        self.assertTrue(shutil.which(TOOL), f"{TOOL} is missing; `tools/setup test` installs it")

    def test_all_sources_are_formatted(self):
        names = badly_formatted(c_files())
        self.assert_clean([f"{name}: is not formatted; run `{TOOL} -i {name}`" for name in names])

    def test_a_bad_snippet_is_found(self):
        found = badly_formatted(["--assume-filename=x.cpp"], input="int  a  ;\n")
        self.assertEqual(found, ["x.cpp"])


if __name__ == "__main__":
    unittest.main()
