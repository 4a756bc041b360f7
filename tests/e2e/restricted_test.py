# SPDX-License-Identifier: Apache-2.0
"""Where the system allows less: each restriction has its outcome, and no run leaves a process behind."""

import ctypes
import errno
import os
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

from support import BIN, ENVIRONMENT, SECONDS_MAX, UMRT, UmrtTest, clean_environment, new_mark, processes_with

QUICK = ("demo", "--quick", "--no-compare", "--json")

# From <sys/prctl.h>, <linux/seccomp.h> and <linux/filter.h>.
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_THP_DISABLE = 38, 22, 41
SECCOMP_MODE_FILTER = 2
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
# System calls by their number on x86-64.
NUMBERS = {
    "clone3": 435,
    "memfd_create": 319,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "sched_setaffinity": 203,
    "userfaultfd": 323,
}
NOBODY = 65534


def prctl(*arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(*(ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments)) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def refuse(names, error=errno.EPERM):
    """A seccomp filter as containers have them: these system calls fail."""

    def restrict():
        program = struct.pack("HBBI", LOAD_WORD, 0, 0, 0)  # the number of the system call
        for left, name in zip(range(len(names), 0, -1), names):
            program += struct.pack("HBBI", JUMP_IF_EQUAL, left, 0, NUMBERS[name])
        program += struct.pack("HBBI", RETURN, 0, 0, SECCOMP_RET_ALLOW)
        program += struct.pack("HBBI", RETURN, 0, 0, SECCOMP_RET_ERRNO | error)
        kept = ctypes.create_string_buffer(program, len(program))
        filter_of = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(kept))
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(filter_of, len(filter_of)))

    return restrict


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def one_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def be_nobody():
    if os.geteuid() != 0:
        return  # is unprivileged already
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def all_of(*restrictions):
    def restrict():
        for each in restrictions:
            each()

    return restrict


def no_huge_pages():
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


def copies_are_staged(demo):
    return demo["report"]["run"]["copy_way"] == "staged"


NO_PROCESS_VM = ["process_vm_readv", "process_vm_writev"]

# What is restricted, how, and for the runs that work: what shows in the result.
WORKS = (
    ("an unprivileged user", be_nobody, None),
    ("one CPU", one_cpu, lambda demo: demo["report"]["run"]["workers"] == 1),
    ("no huge pages", no_huge_pages, lambda demo: not demo["report"]["run"]["has_huge_pages"]),
    ("no locked memory", limit(resource.RLIMIT_MEMLOCK, 0), None),
    ("no core files", limit(resource.RLIMIT_CORE, 0), None),
    ("8 descriptors", limit(resource.RLIMIT_NOFILE, 8), None),
    ("512 MiB of address space", limit(resource.RLIMIT_AS, 512 << 20), None),
    ("sched_setaffinity is forbidden", refuse(["sched_setaffinity"]), None),
    ("memfd_create is forbidden", refuse(["memfd_create"]), None),
    ("process_vm_* is forbidden", refuse(NO_PROCESS_VM), copies_are_staged),
    ("process_vm_* is missing", refuse(NO_PROCESS_VM, errno.ENOSYS), copies_are_staged),
    ("much at once", all_of(be_nobody, one_cpu, refuse([*NO_PROCESS_VM, "memfd_create"])), copies_are_staged),
)
# For the runs that do not: the exit code is that of the environment, and the message has this.
REFUSED = (
    ("clone3 is missing", refuse(["clone3"], errno.ENOSYS), "UMRT_ERROR_NO_DEVICE: cannot start the device process"),
    ("userfaultfd is forbidden", all_of(be_nobody, refuse(["userfaultfd"])), "UMRT_ERROR_NOT_SUPPORTED: userfaultfd is"),
    ("100 MiB of address space", limit(resource.RLIMIT_AS, 100 << 20), "UMRT_ERROR_OUT_OF_MEMORY"),
)


class Restricted(UmrtTest):
    @classmethod
    def setUpClass(cls):
        """The program where any user can run it; a checkout may lie where only its owner can look."""
        folder = tempfile.TemporaryDirectory(prefix="umrt-e2e-")
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.program = shutil.copy(UMRT, folder.name)
        shutil.copy(next((BIN.parent / "lib").glob("libumrt.so.?")), folder.name)
        cls.library_path = folder.name

    def run_under(self, restrict, **settings):
        self.mark = new_mark()
        environment = clean_environment(LD_LIBRARY_PATH=self.library_path, MARK=self.mark, **settings)
        return subprocess.run(
            [self.program, *QUICK],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            preexec_fn=restrict,
        )

    def check_works(self, restrict, shows):
        result = self.run_under(restrict)
        demo = self.json_of(result)
        self.assert_equal_to_plain_memory(demo)
        self.assertTrue(shows is None or shows(demo), result.stdout)
        self.assertEqual(processes_with(self.mark), [])

    def check_is_refused(self, restrict, words):
        result = self.run_under(restrict)
        self.assert_code(result, ENVIRONMENT)
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(processes_with(self.mark), [])

    def test_says_in_the_log_that_copies_are_staged(self):
        result = self.run_under(refuse(NO_PROCESS_VM))
        self.assertIn("through shared memory: process_vm_readv and process_vm_writev: Operation not perm", result.stderr)

    def test_says_no_where_a_way_is_asked_for_that_is_forbidden(self):
        result = self.run_under(refuse(NO_PROCESS_VM), UMRT_SOFT_COPY_WAY="process_vm")
        self.assert_code(result, ENVIRONMENT)
        self.assertIn("UMRT_ERROR_NOT_SUPPORTED: soft.copy_way is process_vm", result.stderr)


for what, restrict, shows in WORKS:
    name = "test_works_where_" + what.replace(" ", "_")
    setattr(Restricted, name, lambda self, restrict=restrict, shows=shows: self.check_works(restrict, shows))
for what, restrict, words in REFUSED:
    name = "test_refuses_by_name_where_" + what.replace(" ", "_")
    setattr(Restricted, name, lambda self, restrict=restrict, words=words: self.check_is_refused(restrict, words))


if __name__ == "__main__":
    unittest.main()
