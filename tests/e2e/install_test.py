# SPDX-License-Identifier: Apache-2.0
"""What an installation holds, and that programs in C11 and C++20 build against it, with CMake and with pkg-config."""

import os
import re
import unittest

from support import BIN, FINE, SOURCE, UmrtTest, run

BUILD = BIN.parent
PUBLIC = SOURCE / "include" / "umrt"

C_PROGRAM = r"""
#include <stdio.h>
#include <umrt/umrt.h>

static void add_one(const void* arguments, uint64_t begin, uint64_t end) {
  uint64_t* words = *(uint64_t* const*)arguments;
  for (uint64_t i = begin; i < end; ++i) words[i] += 1;
}

int main(void) {
  void* words = NULL;
  if (umrt_init(NULL) != UMRT_SUCCESS || umrt_malloc(&words, 8000) != UMRT_SUCCESS) return 1;
  ((uint64_t*)words)[999] = 41;
  if (umrt_launch(NULL, add_one, &words, sizeof words, 1000, 0) != UMRT_SUCCESS) return 2;
  if (umrt_synchronize() != UMRT_SUCCESS) return 3;
  printf("answer %d\n", (int)((uint64_t*)words)[999]);
  return umrt_free(words) != UMRT_SUCCESS || umrt_shutdown() != UMRT_SUCCESS;
}
"""

CPP_PROGRAM = r"""
#include <umrt/umrt.hpp>

#include <cstdio>

int main() {
  umrt::runtime runtime;
  umrt::buffer<int> words(1000);
  words[999] = 41;
  umrt::launch(words.size(), [at = words.span()](std::uint64_t i) { at[i] += 1; });
  umrt::synchronize();
  std::printf("answer %d\n", words[999]);
}
"""

CMAKE_PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES @LANGUAGE@)
set(CMAKE_@LANGUAGE@_STANDARD @STANDARD@)
set(CMAKE_@LANGUAGE@_STANDARD_REQUIRED ON)
set(CMAKE_@LANGUAGE@_EXTENSIONS OFF)
find_package(umrt 0.1 REQUIRED)
add_executable(consumer @FILE@)
target_compile_options(consumer PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(consumer PRIVATE umrt::umrt)
"""

PROGRAMS = {  # CMake's language: file, content, standard, compiler
    "C": ("program.c", C_PROGRAM, "11", ("cc", "-std=c11")),
    "CXX": ("program.cpp", CPP_PROGRAM, "20", ("c++", "-std=c++20")),
}


class Install(UmrtTest):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        self.assert_code(run("cmake", "--install", BUILD, "--prefix", self.prefix), FINE)
        (self.pc,) = self.prefix.rglob("umrt.pc")
        (self.library,) = self.prefix.rglob("libumrt.so")

    def output_of(self, *command, **settings):
        result = run(*command, **settings)
        self.assert_code(result, FINE)
        return result.stdout

    def configure(self, folder, build):  # with the build program that tools/setup installs
        return run("cmake", "-G", "Ninja", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def program(self, language):
        name, content, standard, compiler = PROGRAMS[language]
        folder = self.folder / language
        folder.mkdir()
        (folder / name).write_text(content)
        project = CMAKE_PROJECT.replace("@LANGUAGE@", language).replace("@STANDARD@", standard).replace("@FILE@", name)
        (folder / "CMakeLists.txt").write_text(project)
        return folder, folder / name, compiler

    def test_serves_find_package(self):
        for language in PROGRAMS:
            with self.subTest(language=language):
                folder, _, _ = self.program(language)
                build = folder / "build"
                self.assert_code(self.configure(folder, build), FINE)
                self.output_of("cmake", "--build", build)
                self.assertEqual(self.output_of(build / "consumer"), "answer 42\n")

    def test_serves_pkg_config(self):
        flags = self.output_of("pkg-config", "--cflags", "--libs", "umrt", PKG_CONFIG_PATH=str(self.pc.parent)).split()
        for language in PROGRAMS:
            with self.subTest(language=language):
                folder, source, compiler = self.program(language)
                self.output_of(*compiler, "-Wall", "-Wextra", "-Werror", source, "-o", folder / "consumer", *flags)
                output = self.output_of(folder / "consumer", LD_LIBRARY_PATH=str(self.library.parent))
                self.assertEqual(output, "answer 42\n")

    def test_may_be_moved_elsewhere(self):
        moved = self.folder / "moved"
        self.prefix.rename(moved)
        (pc,) = moved.rglob("umrt.pc")
        flags = self.output_of("pkg-config", "--cflags", "umrt", PKG_CONFIG_PATH=str(pc.parent)).strip()
        self.assertEqual(os.path.normpath(flags.removeprefix("-I")), str(moved / "include"))

    def test_is_refused_where_another_version_is_wanted(self):
        folder, _, _ = self.program("C")
        project = folder / "CMakeLists.txt"
        project.write_text(project.read_text().replace("umrt 0.1", "umrt 0.2"))
        result = self.configure(folder, folder / "build")
        self.assertNotEqual(result.returncode, FINE)
        self.assertIn("umrt", result.stderr)

    def test_installs_the_public_headers_and_no_others(self):
        installed = {path.relative_to(self.prefix / "include") for path in (self.prefix / "include").rglob("*.h*")}
        self.assertEqual(installed, {path.relative_to(PUBLIC.parent) for path in PUBLIC.iterdir()})

    def test_holds_the_licence_and_the_command(self):
        self.assertEqual(len(list(self.prefix.rglob("LICENSE"))), 1)
        self.output_of(self.prefix / "bin" / "umrt", "--version", LD_LIBRARY_PATH=str(self.library.parent))

    def test_names_the_library_by_its_version(self):
        version = re.search(r"project\(umrt VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        names = {path.name for path in self.library.parent.glob("libumrt.so*")}
        self.assertEqual(names, {"libumrt.so", f"libumrt.so.{version.split('.')[0]}", f"libumrt.so.{version}"})

    def test_needs_no_library_that_only_a_tool_uses(self):
        dynamic = self.output_of("readelf", "--dynamic", "--wide", self.library)
        needed = set(re.findall(r"\(NEEDED\).*\[(.+?)\.so", dynamic))
        self.assertLessEqual(needed, {"libfmt", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64"})


if __name__ == "__main__":
    unittest.main()
