# SPDX-License-Identifier: Apache-2.0
"""Every file of tests/data_bad is refused by name, with the exit code of wrong usage, and leaves nothing behind."""

import unittest

from support import SOURCE, USAGE, UmrtTest, umrt

FILES = sorted((SOURCE / "tests" / "data_bad").iterdir())


class BadGraphFile(UmrtTest):
    pass


for path in FILES:

    def test(self, path=path):
        result = umrt("demo", "--quick", "--no-compare", "--json", "--graph", path)
        self.assert_code(result, USAGE)
        self.assertIn(path.name, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertLessEqual(len(result.stderr.strip().splitlines()), 3, result.stderr)

    setattr(BadGraphFile, "test_" + path.name.replace("-", "_").replace(".", "_") + "_is_refused", test)


if __name__ == "__main__":
    assert FILES
    unittest.main()
