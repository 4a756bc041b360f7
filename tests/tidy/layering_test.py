# SPDX-License-Identifier: Apache-2.0
"""Every #include of our own goes to a layer that runtime/layers.txt allows, and libraries stay where they belong."""

import pathlib
import re
import unittest

from source_tree import RuleTest, c_files, text_of

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

# The layers that speak the public interface's types; the others know no more of it than umrt_result.
SPEAK_THE_INTERFACE = ("api", "device")

# Programs see the public headers; the umrt command also the layers that make its reports. bench/ may see everything.
PROGRAMS = {
    "kernels": {"umrt", "kernels"},
    "examples": {"umrt"},
    "tools/umrt": {"umrt", "kernels", "bench", "sim", "trace", "telemetry", "config", "base"},
}
# A library that stands here may be included in these places alone.
LIBRARIES = {
    "CLI/": ("tools",),
    "spdlog/": ("tools",),
    "toml++/": ("runtime/config",),
    "nlohmann/": ("runtime/telemetry", "tools", "tests"),
    "gtest/": ("tests",),
    "gmock/": ("tests",),
    "rapidcheck": ("tests",),
    "benchmark/": ("bench",),
    "cuda": ("runtime/device/cuda",),
    "cupti": ("runtime/device/cuda",),
}


def edges_of(text):
    """Layer to the layers that it may include, itself and the edges of its edges with it."""
    direct = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            layer, _, allowed = line.partition(":")
            direct[layer.strip()] = allowed.split()
    closed = {}
    for layer, allowed in direct.items():  # lowest first, so what a layer allows is closed already
        closed[layer] = {layer}.union(*(closed[lower] for lower in allowed)) if allowed else {layer}
    return closed


def layer_of(path, layers):
    """The layer of a path below runtime/: the longest of the layers that it is in."""
    matching = [layer for layer in layers if path.startswith(layer + "/")]
    return max(matching, key=len, default=None)


def layer_findings(path, text, edges):
    here = layer_of(str(pathlib.Path(path).relative_to("runtime")), edges)
    if here is None:
        return [f"{path}: in no layer of runtime/layers.txt; move it into one, or add a row for its folder"]
    findings = []
    for kind, target in INCLUDE.findall(text):
        there = layer_of(target, edges)
        if there is not None and there not in edges[here]:
            allowed = ", ".join(sorted(edges[here]))
            findings.append(
                f"{path}: includes {target} of layer {there}, but {here} may include {allowed}; move the code to a "
                "higher layer, or pass what it needs as an argument"
            )
        elif target.startswith("umrt/") and target != "umrt/result.h" and not here.startswith(SPEAK_THE_INTERFACE):
            findings.append(f"{path}: includes {target}; {here} may see umrt/result.h alone, use the layer's own types")
        elif kind == '"' and there is None and not target.startswith("umrt/"):
            findings.append(f'{path}: includes "{target}", which names no layer; write it as "LAYER/file.h"')
    return findings


def program_findings(path, text, edges):
    folder = next(folder for folder in PROGRAMS if str(path).startswith(folder + "/"))
    findings = []
    for _, target in INCLUDE.findall(text):
        head = layer_of(target, edges) or target.partition("/")[0]
        is_ours = head in edges or head in ("umrt", "kernels", "bench")
        if is_ours and "/" in target and head not in PROGRAMS[folder]:
            allowed = ", ".join(sorted(PROGRAMS[folder]))
            findings.append(f"{path}: includes {target}; {folder} may include {allowed} only")
    return findings


def library_findings(path, text):
    findings = []
    for _, target in INCLUDE.findall(text):
        for library, places in LIBRARIES.items():
            if target.startswith(library) and not any(str(path).startswith(place + "/") for place in places):
                findings.append(f"{path}: includes {target}, which belongs in {', '.join(places)} only")
    return findings


class Layering(RuleTest):
    edges = edges_of(text_of("runtime/layers.txt"))

    def test_the_runtime_keeps_to_layers_txt(self):
        paths = c_files("runtime")
        self.assertTrue(paths)
        self.assert_clean([f for path in paths for f in layer_findings(path, text_of(path), self.edges)])

    def test_programs_see_what_programs_may_see(self):
        paths = c_files(*PROGRAMS)
        self.assert_clean([f for path in paths for f in program_findings(path, text_of(path), self.edges)])

    def test_libraries_stay_where_they_belong(self):
        self.assert_clean([f for path in c_files() for f in library_findings(path, text_of(path))])


class SelfTest(RuleTest):
    edges = edges_of("base:\ncore: base\ndevice: core\nos: base\ndevice/soft: device os\napi: device/soft\n")

    def test_edges_are_transitive(self):
        self.assertEqual(self.edges["api"], {"api", "device/soft", "device", "os", "core", "base"})

    def test_an_include_upwards_is_found(self):
        upwards = layer_findings("runtime/core/x.cpp", '#include "os/clock.h"\n', self.edges)
        self.assert_finds(upwards, "os/clock.h", "move")

    def test_a_folder_below_device_is_a_layer_of_its_own(self):
        upwards = layer_findings("runtime/device/device.h", '#include "device/soft/ring.h"\n', self.edges)
        self.assert_finds(upwards, "device/soft")
        self.assert_clean(layer_findings("runtime/device/soft/a.h", '#include "device/device.h"\n', self.edges))

    def test_an_include_without_a_layer_is_found(self):
        self.assert_finds(layer_findings("runtime/core/x.cpp", '#include "engine.h"\n', self.edges), "LAYER/file.h")

    def test_the_public_header_in_a_layer_below_is_found(self):
        self.assert_finds(layer_findings("runtime/os/x.cpp", "#include <umrt/umrt.h>\n", self.edges), "umrt/result.h")

    def test_a_file_outside_of_every_layer_is_found(self):
        self.assert_finds(layer_findings("runtime/stray.cpp", "", self.edges), "layers.txt")

    def test_an_example_that_looks_inside_is_found(self):
        self.assert_finds(program_findings("examples/x.cpp", '#include "core/engine.h"\n', self.edges), "umrt only")

    def test_a_tools_library_in_the_runtime_is_found(self):
        self.assert_finds(library_findings("runtime/api/x.cpp", "#include <CLI/CLI.hpp>\n"), "tools")


if __name__ == "__main__":
    unittest.main()
