# SPDX-License-Identifier: Apache-2.0
"""How the end-to-end tests run umrt's programs: always with a time limit, and with settings from nowhere else."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import uuid

BIN = pathlib.Path(os.environ["UMRT_TEST_BIN"])
SOURCE = pathlib.Path(os.environ["UMRT_TEST_SOURCE"])
UMRT = BIN / "umrt"
SECONDS_MAX = 120  # a hang, not a measure of speed

FINE, FINDING, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130


def clean_environment(**settings):
    """The caller's environment without its own umrt settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("UMRT_")}
    return {**kept, "UMRT_CONFIG_FILE": os.devnull, **settings}


def run(*arguments, **settings):
    return subprocess.run(
        [str(a) for a in arguments],
        env=clean_environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )


def umrt(*arguments, **settings):
    return run(UMRT, *arguments, **settings)


def processes_with(mark):
    """Processes whose environment has the mark: what a run has left behind."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def new_mark():
    return "umrt-test-" + uuid.uuid4().hex


class UmrtTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="umrt-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_code(self, result, code):
        self.assertEqual(result.returncode, code, f"stdout:\n{result.stdout}\nstderr:\n{result.stderr}")

    def json_of(self, result, code=FINE):
        self.assert_code(result, code)
        return json.loads(result.stdout)

    def assert_equal_to_plain_memory(self, demo):
        self.assertTrue(demo["check"]["was_done"])
        self.assertEqual(demo["check"]["ranks_differing"], 0)
        self.assertEqual(demo["check"]["levels_differing"], 0)
