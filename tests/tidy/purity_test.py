# SPDX-License-Identifier: Apache-2.0
"""core, policy and trace are pure: same events in, same actions out, on every machine."""

import re
import unittest

from source_tree import RuleTest, c_files, text_of

PURE = ("runtime/core", "runtime/policy", "runtime/trace")
HEADERS = {
    "algorithm", "array", "bit", "compare", "concepts", "cstddef", "cstdint", "cstring", "deque", "functional",
    "initializer_list", "iterator", "limits", "map", "memory", "new", "numeric", "optional", "set", "span", "string",
    "string_view", "tuple", "type_traits", "utility", "variant", "vector",
    "fmt/format.h", "tl/expected.hpp", "umrt/result.h",
}  # fmt: off
WORDS = {
    r"\bunordered_\w+": "its order differs between machines; use a sorted vector, std::map or an index",
    r"\b(float|double)\b": "a decision on fractions may differ between machines; count in integers",
    r"\b(rand|random_device|mt19937\w*)\b": "chance comes in by events",
    r"\b(steady_clock|system_clock|clock_gettime|gettimeofday)\b": "time comes in by events",
    r"\b(getenv|printf|fprintf|fopen|malloc|mmap)\b": "the edges do that: config, log or os",
    r"\b(thread_local|volatile|std::atomic|std::mutex|std::thread)\b": "one thread owns the engine",
    r"\breinterpret_cast<\s*(std::)?u?intptr_t": "addresses differ between runs; compare ids",
}
CODE_ONLY = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def findings_of(path, text):
    findings = []
    for header in re.findall(r"^\s*#\s*include\s*<([^>]+)>", text, re.MULTILINE):
        if header not in HEADERS:
            findings.append(f"{path}: includes <{header}>, which a pure layer may not; pass in what it gives by an event "
                            "or an argument")  # fmt: skip
    code = CODE_ONLY.sub("", text)
    for pattern, cure in WORDS.items():
        found = re.search(pattern, code)
        if found:
            findings.append(f"{path}: uses {found.group(0)}; {cure}")
    return findings


class Purity(RuleTest):
    def test_the_engines_layers_are_pure(self):
        paths = c_files(*PURE)
        self.assertTrue(paths)
        self.assert_clean([f for path in paths for f in findings_of(path, text_of(path))])


class SelfTest(RuleTest):
    def test_each_kind_of_impurity_is_found(self):
        for snippet, word in (
            ("#include <sys/mman.h>\n", "sys/mman.h"),
            ("#include <iostream>\n", "iostream"),
            ("#include <thread>\n", "thread"),
            ("#include <random>\n", "random"),
            ("std::unordered_map<int, int> blocks;\n", "unordered_map"),
            ("bool b = 0.8 * double(n) > m;\n", "double"),
            ("auto t = std::chrono::steady_clock::now();\n", "steady_clock"),
            ("const char* p = getenv(name);\n", "getenv"),
            ("thread_local int depth;\n", "thread_local"),
            ("auto a = reinterpret_cast<std::uintptr_t>(p);\n", "reinterpret_cast"),
        ):
            with self.subTest(snippet=snippet):
                self.assert_finds(findings_of("runtime/core/x.cpp", snippet), word)

    def test_comments_and_texts_are_not_code(self):
        self.assert_clean(findings_of("x", '// a double fault\nconst char* t = "float";  /* malloc */\n'))


if __name__ == "__main__":
    unittest.main()
