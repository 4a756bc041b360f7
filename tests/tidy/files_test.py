# SPDX-License-Identifier: Apache-2.0
"""Rules for every file: licence, guard, length, names, and nothing that belongs elsewhere."""

import re
import unittest

from source_tree import C_SUFFIXES, RuleTest, files, text_of

LICENSED = C_SUFFIXES | {".py", ".cmake", ".sh"}
LINES_MAX = 300
LINES_MAX_OF_TESTS = 500  # a suite or a model reads from top to bottom
LONGER = {  # a file that may be longer, and why
    "include/umrt/umrt.h": "the whole C interface, half of it comments, read from top to bottom",
    "include/umrt/umrt.hpp": "the whole C++ interface",
}
BAD_NAMES = {"util", "utils", "common", "manager", "misc", "v2", "tmp", "helper", "helpers", "stuff"}
DATA = ("tests/data/", "tests/data_bad/")
# Written in pieces, so that this file holds none of them itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(home/[a-z]\w*|roo" r"t/|wor" r"k/)")


def licence_findings(path, text):
    lines = text.splitlines()[:2]
    if any("SPDX-License-Identifier: Apache-2.0" in line for line in lines):
        return []
    return [f"{path}: has no licence; begin it with a comment `SPDX-License-Identifier: Apache-2.0`"]


def guard_findings(path, text):
    if "#pragma once" in text:
        return []
    if str(path).startswith("include/") and re.search(r"^#ifndef (\w+)\n#define \1$", text, re.MULTILINE):
        return []
    return [f"{path}: may be included twice; write `#pragma once` below its comment"]


def purpose_findings(path, text):
    lines = text.splitlines()
    if len(lines) > 1 and re.match(r"(//|/\*|\s?\*)", lines[1]):
        return []
    return [f"{path}: does not say what it is; write one paragraph of comment below the licence"]


def length_findings(path, text):
    lines = text.count("\n")
    limit = LINES_MAX_OF_TESTS if str(path).startswith("tests/") else LINES_MAX
    if lines <= limit or str(path) in LONGER:
        return []
    return [f"{path}: has {lines} lines, more than {limit}; is it two concepts? Split it by what it decides"]


def name_findings(path):
    words = {word for part in path.split("/") for word in re.split(r"[_.-]", part.lower())}
    return [f"{path}: the name says {word}, which says nothing; name it by what it is" for word in sorted(words & BAD_NAMES)]


def text_findings(path, text):
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            findings.append(f"{path}:{number}: is unfinished; finish it, or leave it out")
        if MACHINE_PATH.search(line):
            findings.append(f"{path}:{number}: names a path of one machine; make it relative, or a setting")
        if line != line.rstrip():
            findings.append(f"{path}:{number}: ends in spaces; remove them")
    if text and not text.endswith("\n"):
        findings.append(f"{path}: does not end its last line; add a newline")
    return findings


class Files(RuleTest):
    paths = [path for path in files() if not str(path).startswith(DATA)]

    def each(self, rule, wanted):
        paths = [path for path in self.paths if wanted(path)]
        self.assertTrue(paths)
        self.assert_clean([f for path in paths for f in rule(str(path), text_of(path))])

    def test_sources_carry_their_licence(self):
        has_licence = lambda p: p.suffix in LICENSED or p.name == "CMakeLists.txt" or p.parent.name == ".ci"
        self.each(licence_findings, has_licence)

    def test_headers_are_guarded(self):
        self.each(guard_findings, lambda p: p.suffix in (".h", ".hpp"))

    def test_headers_say_what_they_are(self):
        self.each(purpose_findings, lambda p: p.suffix in (".h", ".hpp") and p.parts[0] == "runtime")

    def test_files_are_short(self):
        self.each(length_findings, lambda p: p.suffix in LICENSED)

    def test_names_say_something(self):
        self.assert_clean([f for path in self.paths for f in name_findings(str(path))])

    def test_nothing_is_unfinished_or_of_one_machine(self):
        self.each(text_findings, lambda p: p.suffix in LICENSED | {".md", ".txt", ".json", ".toml", ".map", ""})


class SelfTest(RuleTest):
    def test_each_rule_finds_its_bad_example(self):
        self.assert_finds(licence_findings("a.h", "// nothing\n"), "a.h", "SPDX")
        self.assert_finds(guard_findings("runtime/a.h", "#ifndef A\n#define A\n#endif\n"), "#pragma once")
        self.assert_finds(purpose_findings("a.h", "// SPDX\n#pragma once\n"), "what it is")
        self.assert_finds(length_findings("a.cpp", "\n" * 301), "301")
        self.assert_finds(name_findings("runtime/core/string_util.h"), "util")
        self.assert_finds(text_findings("a.cpp", "// TO" "DO: more\n"), "a.cpp:1", "finish")
        self.assert_finds(text_findings("a.cpp", 'open("/wor' 'k/x");\n'), "one machine")
        self.assert_finds(text_findings("a.cpp", "int a; \n"), "spaces")
        self.assert_finds(text_findings("a.cpp", "int a;"), "newline")

    def test_good_examples_pass(self):
        self.assert_clean(guard_findings("include/umrt/a.h", "#ifndef A_H\n#define A_H\n#endif\n"))
        self.assert_clean(text_findings("a.md", "see https://a.org/home/x and tests/work/y\n"))
        self.assert_clean(name_findings("runtime/core/utilisation.h"))


if __name__ == "__main__":
    unittest.main()
