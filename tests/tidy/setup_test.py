# SPDX-License-Identifier: Apache-2.0
"""tools/setup on machines of every kind, played by stand-ins for dpkg-query, apt-get, apt-cache and sudo."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from source_tree import ROOT, text_of

# The stand-ins keep what is installed, what apt knows, and what was asked of them in files of their folder.
DPKG_QUERY = '#!/bin/sh\nfor package; do :; done\ngrep -qx "$package" installed 2>/dev/null && echo installed\n'
APT_CACHE = '#!/bin/sh\nshift 2\nfor package; do grep -qx "$package" known 2>/dev/null || exit 100; done\n'
APT_GET = """#!/bin/sh
echo "$*" >>calls
case "$*" in
*" update"*) [ -f broken ] && { echo "no route to mirror"; exit 100; }; cat mirror >>known 2>/dev/null ;;
*) for word; do case $word in -*|install|DPkg*) ;; *) echo "$word" >>installed ;; esac; done ;;
esac
"""
SUDO = '#!/bin/sh\ncase "$1" in -n|-v) exit 0 ;; esac\nexec "$@"\n'
NEEDED = ("bash", "dirname", "grep", "env", "mktemp", "rm", "cat", "sh")


def packages():
    lists = re.findall(r"^\w+_packages=\(\n(.*?)^\)", text_of("tools/setup"), re.MULTILINE | re.DOTALL)
    return [[name for line in text.splitlines() for name in line.partition("#")[0].split()] for text in lists]


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o777)
        for name in NEEDED:
            self.folder.joinpath(name).symlink_to(shutil.which(name))
        stand_ins = {"dpkg-query": DPKG_QUERY, "apt-cache": APT_CACHE, "apt-get": APT_GET, "sudo": SUDO, "sleep": "#!/bin/sh\n"}
        for name, text in stand_ins.items():
            self.write(name, text)
            self.folder.joinpath(name).chmod(0o755)
        shutil.copy(ROOT / "tools" / "setup", self.folder / "setup")
        self.build, self.test = packages()
        self.write("known", "\n".join(self.build + self.test) + "\n")

    def write(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o666)

    def lines(self, name):
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    def setup_of(self, what):
        """Runs it as an ordinary user, whoever runs the tests."""
        command = ["bash", self.folder / "setup", what]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--clear-groups", *command]
        command[0] = shutil.which(command[0])
        environment = {"PATH": str(self.folder), "TMPDIR": str(self.folder)}
        return subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)  # fmt: skip

    def test_what_is_missing_is_announced_and_installed_once(self):
        self.write("installed", "g++\ncmake\n")
        first = self.setup_of("build")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("ninja-build", first.stderr)
        self.assertNotIn("cmake", first.stderr)
        self.assertEqual(sorted(self.lines("installed")), sorted(self.build))
        second = self.setup_of("build")
        self.assertEqual((second.returncode, second.stdout, second.stderr), (0, "", ""))
        self.assertEqual(len(self.lines("calls")), 1)

    def test_testing_installs_more_than_building(self):
        self.write("installed", "\n".join(self.build) + "\n")
        self.assertEqual(self.setup_of("test").returncode, 0)
        self.assertEqual(sorted(self.lines("installed")), sorted(self.build + self.test))

    def test_without_root_and_sudo_one_line_says_what_is_missing(self):
        (self.folder / "sudo").unlink()
        self.write("installed", "\n".join(self.build[1:]) + "\n")
        result = self.setup_of("build")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn(self.build[0], result.stderr)
        self.assertEqual(self.lines("calls"), [])

    def test_a_fresh_machine_is_updated_first(self):
        (self.folder / "known").unlink()
        self.write("known", "")
        self.write("mirror", "\n".join(self.build) + "\n")
        result = self.setup_of("build")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("update", self.lines("calls")[0])
        self.assertEqual(sorted(self.lines("installed")), sorted(self.build))

    def test_a_package_that_no_mirror_has_is_named(self):
        self.write("known", "")
        self.write("mirror", "\n".join(self.build[:-1]) + "\n")
        result = self.setup_of("build")
        self.assertEqual(result.returncode, 3)
        self.assertIn(self.build[-1], result.stderr.splitlines()[-1])

    def test_apts_own_words_are_shown_when_it_fails(self):
        self.write("known", "")
        self.write("broken", "")
        result = self.setup_of("build")
        self.assertEqual(result.returncode, 3)
        self.assertIn("no route to mirror", result.stderr)

    def test_a_system_without_apt_is_told_the_packages(self):
        (self.folder / "apt-get").unlink()
        result = self.setup_of("build")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("libfmt-dev", result.stderr)


if __name__ == "__main__":
    unittest.main()
