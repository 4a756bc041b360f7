# SPDX-License-Identifier: Apache-2.0
"""Links and paths in the pages lead somewhere."""

import pathlib
import re
import unittest

from source_tree import ROOT, RuleTest, files, text_of

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# `runtime/core/engine.h` in a sentence is as good as a link. Braces, stars and capitals stand for more than one file.
PATH = re.compile(r"`((?:runtime|include|tests|tools|docs|kernels|bench|examples|cmake)/[\w./-]+?)/?`")


def anchors(text):
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(text)}


def link_findings(page, text, read, exists):
    findings = []
    prose = FENCE.sub("", text)
    for target in LINK.findall(prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (pathlib.Path(page).parent / path) if path else pathlib.Path(page)
        if not exists(file):
            findings.append(f"{page}: links to {target}, which is not there; correct the link")
        elif anchor and anchor not in anchors(read(file)):
            findings.append(f"{page}: links to {target}, but that page has no such heading; correct the link")
    for path in PATH.findall(prose):
        if not re.search(r"[A-Z]{3,}", path) and not exists(pathlib.Path(path)):
            findings.append(f"{page}: mentions `{path}`, which is not there; correct the path")
    return findings


class Links(RuleTest):
    def test_links_and_paths_lead_somewhere(self):
        pages = [path for path in files() if path.suffix == ".md"]
        self.assertTrue(pages)
        exists = lambda path: (ROOT / path).exists()
        self.assert_clean([f for page in pages for f in link_findings(page, text_of(page), text_of, exists)])


class SelfTest(RuleTest):
    pages = {"docs/a.md": "# The engine's life\n", "runtime/core/a.h": ""}

    def findings(self, text):
        known = lambda path: str(path) in self.pages
        return link_findings("docs/b.md", text, lambda path: self.pages[str(path)], known)

    def test_dead_links_anchors_and_paths_are_found(self):
        self.assert_finds(self.findings("[x](none.md)"), "none.md")
        self.assert_finds(self.findings("[x](a.md#none)"), "no such heading")
        self.assert_finds(self.findings("see `runtime/core/none.h`"), "none.h")

    def test_good_ones_and_code_are_left_alone(self):
        text = "[x](a.md#the-engines-life) `runtime/core/a.h` `runtime/policy/NAME.cpp` [y](https://a.org)\n```\n[z](q)\n```\n"
        self.assert_clean(self.findings(text))


if __name__ == "__main__":
    unittest.main()
