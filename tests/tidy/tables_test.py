# SPDX-License-Identifier: Apache-2.0
"""Every row of every table has a text, a place in the docs, and a test that names it."""

import re
import unittest

from cpp_tables import rows_of
from source_tree import C_SUFFIXES, RuleTest, files, text_of

SETTINGS, POLICIES = "runtime/config/settings.cpp", "runtime/policy/policies.cpp"
REASONS, COMMANDS = "runtime/core/reason.cpp", "tools/umrt/commands.cpp"


def tests_text(*folders):
    return "\n".join(
        text_of(path)
        for path in files()
        if str(path).startswith(tuple(f"tests/{f}/" for f in folders)) and path.suffix in C_SUFFIXES | {".py", ".toml"}
    )


def setting_line(row):
    """How docs/settings.md writes a row."""
    _, variable, key, kind, default, text = row[:6]
    values = row[6].replace("|", ", ") if kind == "choice" else f"{row[7]} to {row[8]}" if kind == "count" else kind
    return f"| `{key}` | `{variable}` | {values} | {default or 'empty'} | {text} |"


def settings_findings(rows, page):
    lines = set(page.splitlines())
    return [
        f"docs/settings.md: lacks the row of {row[2]} as {SETTINGS} has it; write: {setting_line(row)}"
        for row in rows
        if setting_line(row) not in lines
    ]


def named_findings(names, page, page_name, what):
    return [f"{page_name}: does not mention {what} `{name}`; describe it there" for name in names if f"`{name}`" not in page]


def untested_findings(names, tests, what, where):
    return [
        f"no test names {what} {name}; write one in {where} that fails when it does something else"
        for name in names
        if not re.search(rf"\b{re.escape(name)}\b", tests)
    ]


class Tables(RuleTest):
    def test_settings(self):
        rows = rows_of(text_of(SETTINGS), "rows")
        self.assertGreater(len(rows), 10)
        self.assert_clean(settings_findings(rows, text_of("docs/settings.md")))

    def test_policies(self):
        names = [row[0] for row in rows_of(text_of(POLICIES), "rows")]
        self.assertTrue(names)
        self.assert_clean(named_findings(names, text_of("docs/policies.md"), "docs/policies.md", "policy"))
        tests = [str(path) for path in files() if str(path).startswith("tests/unit/policy/")]
        for name in names:
            self.assertIn(f"tests/unit/policy/{name}_test.cpp", tests, f"policy {name} has no test of its own; write that file")

    def test_reasons(self):
        rows = rows_of(text_of(REASONS), "rows")
        enumerators = [row[0].removeprefix("Reason::") for row in rows]
        for enumerator, row in zip(enumerators, rows):
            self.assertEqual(row[1], enumerator.replace("_", "-"), f"{REASONS}: name a reason as its enumerator, with dashes")
            self.assertTrue(row[2], f"{REASONS}: {row[1]} has no text")
        named = [name for name in enumerators if name != "none"]
        page = text_of("docs/policies.md")
        self.assert_clean(named_findings([n.replace("_", "-") for n in named], page, "docs/policies.md", "reason"))
        tests = tests_text("unit", "property").replace("-", "_")
        self.assert_clean(untested_findings(named, tests, "reason", "tests/unit/core or tests/unit/policy"))

    def test_commands(self):
        names = [row[0] for row in rows_of(text_of(COMMANDS), "table")]
        self.assertTrue(names)
        pages = "\n".join(text_of(path) for path in files() if path.suffix == ".md")
        for name in names:
            self.assertIn(f"umrt {name}", pages, f"no page mentions `umrt {name}`; docs/command.md is the place")
        self.assert_clean(untested_findings(names, tests_text("e2e"), "command", "tests/e2e"))


class SelfTest(RuleTest):
    table = 'constexpr Row rows[] = {\n  {"a", "U_A", "a.b", "count", "1",\n   "Does "  // why\n   "it, well.", "", 1, 8},\n};'

    def test_a_table_is_read_with_joined_texts(self):
        self.assertEqual(rows_of(self.table, "rows"), [["a", "U_A", "a.b", "count", "1", "Does it, well.", "", "1", "8"]])

    def test_nested_braces_are_one_field(self):
        self.assertEqual(rows_of('R t[] = {{"lru", {f, g}, "x"}, {"uvm", {}, "y"}};', "t")[1], ["uvm", None, "y"])

    def test_a_row_that_the_page_tells_otherwise_is_found(self):
        rows = rows_of(self.table, "rows")
        page = "| `a.b` | `U_A` | 1 to 8 | 1 | Does it, well. |\n"
        self.assert_clean(settings_findings(rows, page))
        self.assert_finds(settings_findings(rows, page.replace("well", "badly")), "a.b", "write: | `a.b`")

    def test_what_no_page_and_no_test_names_is_found(self):
        self.assert_finds(named_findings(["lru", "min"], "`lru`", "p.md", "policy"), "`min`")
        self.assert_finds(untested_findings(["sample", "evict"], "Reason::sample", "reason", "x"), "evict")


if __name__ == "__main__":
    unittest.main()
