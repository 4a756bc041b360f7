# SPDX-License-Identifier: Apache-2.0
"""On a terminal: the progress bar, and Ctrl-C."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from support import FINE, INTERRUPTED, SECONDS_MAX, UMRT, UmrtTest, clean_environment, new_mark, processes_with, umrt

CTRL_C = b"\x03"


class Terminal:
    """umrt as the foreground of a terminal of its own."""

    def __init__(self, *arguments, **settings):
        self.output = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(UMRT, [str(UMRT), *arguments], clean_environment(TERM="xterm", **settings))

    def read_until(self, words):
        """Until the output has the words, or the program has ended when there are none."""
        end = time.monotonic() + SECONDS_MAX
        while words is None or words not in self.output:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"no {words!r} within {SECONDS_MAX} s in {self.output!r}")
            try:
                piece = os.read(self.fd, 65536)
            except OSError:  # the terminal's other end is closed
                piece = b""
            if not piece:
                break
            self.output += piece

    def type(self, keys):
        os.write(self.fd, keys)

    def exit_code(self):
        self.read_until(None)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class OnATerminal(UmrtTest):
    def test_work_shows_a_bar_and_the_report_comes_last(self):
        terminal = Terminal("demo", "--scale", "16", "--iterations", "4", "--no-compare", "--ascii")
        self.assertEqual(terminal.exit_code(), FINE, terminal.output)
        self.assertIn(b"this run: PageRank", terminal.output)
        self.assertIn(b"[####", terminal.output)
        self.assertIn(b"\x1b[K", terminal.output)
        after_last_bar = terminal.output.rsplit(b"\x1b[K", 1)[1]
        self.assertIn(b"bit for bit", after_last_bar)

    def test_ctrl_c_ends_the_job_with_the_report_so_far(self):
        mark = new_mark()
        terminal = Terminal("demo", "--scale", "14", "--seconds", "100", "--ascii", MARK=mark)
        terminal.read_until(b"PageRank")
        terminal.type(CTRL_C)
        self.assertEqual(terminal.exit_code(), INTERRUPTED, terminal.output)
        self.assertIn(b"Interrupted", terminal.output)
        self.assertIn(b"umrt placement report", terminal.output)
        self.assertEqual(processes_with(mark), [])

    def test_ctrl_c_before_the_job_ends_the_program_at_once(self):
        terminal = Terminal("demo", "--scale", "22", "--no-compare", "--ascii")
        terminal.read_until(b"generating the graph")
        terminal.type(CTRL_C)
        self.assertEqual(terminal.exit_code(), -signal.SIGINT, terminal.output)
        self.assertNotIn(b"PageRank", terminal.output)

    def test_ctrl_c_during_the_check_ends_it_with_the_report(self):
        terminal = Terminal("demo", "--scale", "19", "--iterations", "12", "--no-compare", "--ascii")
        terminal.read_until(b"checking against plain memory")
        terminal.type(CTRL_C)
        self.assertEqual(terminal.exit_code(), INTERRUPTED, terminal.output)
        self.assertIn(b"Interrupted: results were not checked.", terminal.output)
        self.assertIn(b"umrt placement report", terminal.output)


class InAPipe(UmrtTest):
    def test_an_interrupt_ends_the_job_with_the_report_so_far(self):
        mark = new_mark()
        with subprocess.Popen(
            [UMRT, "demo", "--scale", "14", "--seconds", "100"],
            env=clean_environment(MARK=mark),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            end = time.monotonic() + SECONDS_MAX
            while len(processes_with(mark)) < 2 and process.poll() is None:  # the device's process is up
                self.assertLess(time.monotonic(), end)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, INTERRUPTED, stderr)
        self.assertIn("Interrupted", stdout)
        self.assertEqual(processes_with(mark), [])

    def test_a_second_interrupt_leaves_no_process_behind(self):
        mark = new_mark()
        with subprocess.Popen(
            [UMRT, "demo", "--scale", "18", "--seconds", "100"],
            env=clean_environment(MARK=mark),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            end = time.monotonic() + SECONDS_MAX
            while len(processes_with(mark)) < 2 and process.poll() is None:
                self.assertLess(time.monotonic(), end)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=SECONDS_MAX)
        self.assertIn(process.returncode, (INTERRUPTED, -signal.SIGINT))
        while processes_with(mark):  # the device ends by itself
            self.assertLess(time.monotonic(), end)

    def test_work_is_quiet(self):
        self.assertEqual(umrt("demo", "--scale", "12", "--iterations", "2").stderr, "")


if __name__ == "__main__":
    unittest.main()
