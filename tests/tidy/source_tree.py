# SPDX-License-Identifier: Apache-2.0
"""The files that the rules look at, and how a rule reports: a list of sentences, one a finding."""

import os
import pathlib
import unittest

ROOT = pathlib.Path(os.environ.get("UMRT_TEST_SOURCE", pathlib.Path(__file__).parents[2]))
NOT_OURS = {"build", ".git", "shared", "__pycache__", ".cache"}
C_SUFFIXES = {".h", ".hpp", ".c", ".cpp"}


def files():
    """Every file of the source tree, as a path relative to its root, in order."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS)
        found += [pathlib.Path(folder, name).relative_to(ROOT) for name in sorted(names)]
    return [path for path in found if path.name != ".git"]  # a worktree's is a file


def c_files(*folders):
    wanted = [pathlib.Path(folder).parts for folder in folders]
    return [
        path
        for path in files()
        if path.suffix in C_SUFFIXES and (not wanted or any(path.parts[: len(parts)] == parts for parts in wanted))
    ]


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


class RuleTest(unittest.TestCase):
    longMessage = False

    def assert_clean(self, findings):
        self.assertEqual(findings, [], "\n  " + "\n  ".join(findings))

    def assert_finds(self, findings, *words):
        """A rule's self-test: it must find just this one thing in a bad snippet."""
        self.assertEqual(len(findings), 1, f"expected one finding, got {findings}")
        for word in words:
            self.assertIn(word, findings[0], f"{word!r} is not in {findings[0]!r}")
