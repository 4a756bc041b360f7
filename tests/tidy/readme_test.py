# SPDX-License-Identifier: Apache-2.0
"""The README's program is one that is built and run: examples/hello.cpp."""

import re
import unittest

from source_tree import RuleTest, text_of

PROGRAM = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Readme(RuleTest):
    def test_shows_the_program_that_is_tested(self):
        shown = PROGRAM.search(text_of("README.md"))
        self.assertIsNotNone(shown, "README.md: shows no program in a ```cpp block")
        built = "".join(line for line in text_of("examples/hello.cpp").splitlines(True) if not line.startswith("//"))
        self.assertEqual(shown[1], built, "README.md: its program is not examples/hello.cpp; copy that")

    def test_the_program_is_short(self):
        self.assertLessEqual(PROGRAM.search(text_of("README.md"))[1].count("\n"), 20)


if __name__ == "__main__":
    unittest.main()
