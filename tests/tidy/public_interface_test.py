# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles alone, and the library exports just what the headers declare."""

import os
import pathlib
import re
import subprocess
import unittest

from source_tree import ROOT, RuleTest, text_of

CC, CXX = os.environ.get("UMRT_TEST_CC", "cc"), os.environ.get("UMRT_TEST_CXX", "c++")
LIBRARY = pathlib.Path(os.environ.get("UMRT_TEST_BINARY", ROOT / "build" / "release"), "lib", "libumrt.so")
STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-pedantic", "-Werror", "-fsyntax-only"]


def headers(suffix):
    return sorted(path.relative_to(ROOT) for path in (ROOT / "include").rglob(f"*{suffix}"))


def compile_findings(code, compiler, language, standard, name):
    command = [compiler, "-x", language, f"-std={standard}", *STRICT, "-I", str(ROOT / "include"), "-"]
    result = subprocess.run(command, input=code, stderr=subprocess.PIPE, text=True)
    if result.returncode == 0:
        return []
    return [f"{name}: does not compile alone as {standard}; include what it uses:\n{result.stderr}"]


def include(header):
    return f"#include <{header.relative_to('include')}>\n"


def declared(text):
    """Functions that a header declares with UMRT_API."""
    return set(re.findall(r"\bUMRT_API\b[^;{]*?\b(umrt_\w+)\s*\(", text))


def exported(nm_output):
    """Functions and objects of `nm -D --defined-only`; 'A' is a version's name."""
    return {line.split()[-1].partition("@")[0] for line in nm_output.splitlines() if line.split()[-2] != "A"}


def symbol_findings(declares, exports):
    missing = [f"{name}: is declared but not exported; implement it, or add it to runtime/api/libumrt.map"
               for name in sorted(declares - exports)]  # fmt: skip
    extra = [f"{name}: is exported but in no public header; declare it with UMRT_API, or hide it"
             for name in sorted(exports - declares)]  # fmt: skip
    return missing + extra


class PublicInterface(RuleTest):
    def test_each_c_header_compiles_alone_as_c_and_cpp(self):
        self.assertTrue(headers(".h"))
        for header in headers(".h"):
            self.assert_clean(compile_findings(include(header), CC, "c", "c11", header))
            self.assert_clean(compile_findings(include(header), CXX, "c++", "c++20", header))

    def test_each_cpp_header_compiles_alone(self):
        for header in headers(".hpp"):
            self.assert_clean(compile_findings(include(header), CXX, "c++", "c++20", header))

    def test_the_library_exports_what_the_headers_declare(self):
        declares = set().union(*(declared(text_of(header)) for header in headers(".h")))
        self.assertIn("umrt_init", declares)
        nm = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], stdout=subprocess.PIPE, text=True, check=True)
        self.assert_clean(symbol_findings(declares, exported(nm.stdout)))


class SelfTest(RuleTest):
    def test_a_header_that_lacks_an_include_is_found(self):
        self.assert_finds(compile_findings("uint32_t f(void);\n", CC, "c", "c11", "a.h"), "a.h", "uint32_t")
        self.assert_finds(compile_findings("inline std::string s;\n", CXX, "c++", "c++20", "a.hpp"), "a.hpp")

    def test_declarations_and_exports_are_read(self):
        self.assertEqual(declared("UMRT_API umrt_result umrt_a(int (*umrt_f)(void));\nUMRT_API const char*\numrt_b(void);"),
                         {"umrt_a", "umrt_b"})  # fmt: skip
        self.assertEqual(exported("0000 T umrt_a@@UMRT_0\n0000 A UMRT_0\n"), {"umrt_a"})

    def test_a_symbol_too_many_or_too_few_is_found(self):
        self.assert_finds(symbol_findings({"umrt_a"}, set()), "umrt_a", "not exported")
        self.assert_finds(symbol_findings(set(), {"_ZN4umrt6EngineE"}), "hide it")


if __name__ == "__main__":
    unittest.main()
