# SPDX-License-Identifier: Apache-2.0
"""Where the output goes: what cannot be written is an error, and nothing but a regular file is ever replaced."""

import os
import stat
import subprocess
import threading
import unittest

from support import ENVIRONMENT, FINE, SECONDS_MAX, UMRT, UmrtTest, clean_environment, umrt

SMALL = ("demo", "--scale", "14", "--iterations", "2", "--no-compare")


def run_with(arguments, **how):
    return subprocess.run([str(a) for a in (UMRT, *arguments)], env=clean_environment(), timeout=SECONDS_MAX, **how)


class Output(UmrtTest):
    def test_says_that_standard_output_is_full(self):
        for arguments in (SMALL, (*SMALL, "--json"), ("config",), ("doctor", "--json"), ("--help",), ("--version",)):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = run_with(arguments, stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, ENVIRONMENT, result.stderr)
                self.assertIn("No space left on device", result.stderr)

    def test_writes_a_report_into_a_pipe_and_leaves_it_one(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        before = os.lstat(pipe)
        received = []
        reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
        reader.start()
        result = umrt(*SMALL, "--report", pipe)
        self.assert_code(result, FINE)
        reader.join(SECONDS_MAX)
        self.assertEqual(received, [result.stdout])
        after = os.lstat(pipe)
        self.assertTrue(stat.S_ISFIFO(after.st_mode))
        self.assertEqual(after.st_ino, before.st_ino)

    def test_follows_a_link_to_the_file_that_it_replaces(self):
        target = self.write("target.txt", "old")
        link = self.folder / "link.txt"
        link.symlink_to("target.txt")
        result = umrt(*SMALL, "--report", link)
        self.assert_code(result, FINE)
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text(), result.stdout)

    def test_leaves_the_old_report_where_the_new_one_does_not_fit(self):
        old = self.write("report.txt", "old")

        def limit():
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

        result = run_with((*SMALL, "--report", old), preexec_fn=limit, capture_output=True, text=True)
        self.assertEqual(result.returncode, ENVIRONMENT, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(old.read_text(), "old")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["report.txt"])

    def test_runs_without_standard_descriptors(self):
        report = self.folder / "report.txt"

        def close():
            for fd in (0, 1, 2):
                os.close(fd)

        result = run_with((*SMALL, "--report", report), preexec_fn=close)
        self.assertEqual(result.returncode, FINE)
        self.assertTrue(report.read_text().startswith("R-MAT graph"), report.read_text()[:80])


if __name__ == "__main__":
    unittest.main()
