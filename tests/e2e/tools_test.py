# SPDX-License-Identifier: Apache-2.0
"""The command's own face, the doctor, the settings, and the example programs."""

import json
import unittest

from support import BIN, FINDING, FINE, USAGE, UmrtTest, run, umrt

COMMANDS = ("demo", "bench", "config", "doctor")


class Command(UmrtTest):
    def test_explains_itself(self):
        result = umrt("--help")
        self.assert_code(result, FINE)
        for name in COMMANDS:
            self.assertIn(name, result.stdout)
            help_of_command = umrt(name, "--help")
            self.assert_code(help_of_command, FINE)
            self.assertIn("--json", help_of_command.stdout)

    def test_says_its_version_and_how_it_was_built(self):
        result = umrt("--version")
        self.assert_code(result, FINE)
        self.assertRegex(result.stdout, r"^umrt \d+\.\d+\.\d+ \(library \d+\.\d+\.\d+\)\nbuild: ")

    def test_names_the_subcommands_that_there_are(self):
        result = umrt("nonsense")
        self.assert_code(result, USAGE)
        for word in ("nonsense", "demo", "doctor"):
            self.assertIn(word, result.stderr)

    def test_refuses_what_it_does_not_know(self):
        for arguments in ((), ("fly",), ("demo", "--fly")):
            with self.subTest(arguments=arguments):
                result = umrt(*arguments)
                self.assert_code(result, USAGE)
                self.assertNotEqual(result.stderr, "")


class Doctor(UmrtTest):
    def test_tells_what_the_machine_allows_and_tries_it(self):
        result = umrt("doctor", "--json")
        self.assertIn(result.returncode, (FINE, FINDING), result.stdout)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["verdict"], "fine" if result.returncode == FINE else "limited")
        checks = {check["name"]: check for check in answer["checks"]}
        self.assertEqual(checks["trial run"]["verdict"], "fine")
        for check in answer["checks"]:
            self.assertEqual(check["cure"] == "", check["verdict"] == "fine", check)

    def test_prints_the_same_as_text(self):
        text = umrt("doctor").stdout
        for check in json.loads(umrt("doctor", "--json").stdout)["checks"]:
            self.assertIn(check["name"], text)


class Config(UmrtTest):
    def rows(self, **settings):
        answer = self.json_of(umrt("config", "--json", **settings))
        return {row["key"]: row for row in answer["settings"]}

    def test_prints_each_setting_with_its_value_and_source(self):
        rows = self.rows(UMRT_POLICY="uvm")
        self.assertEqual(rows["policy"]["value"], "uvm")
        self.assertIn("UMRT_POLICY", rows["policy"]["source"])
        self.assertEqual(rows["prefetch"]["source"], "default")
        text = umrt("config", UMRT_POLICY="uvm").stdout
        for key, row in rows.items():
            self.assertIn(key, text)
            self.assertIn(row["variable"], text)

    def test_takes_a_file_and_the_environment_wins_over_it(self):
        file = self.write("umrt.toml", 'policy = "uvm"\nprefetch = false\n')
        rows = self.rows(UMRT_CONFIG_FILE=str(file), UMRT_PREFETCH="on")
        self.assertEqual(rows["policy"]["value"], "uvm")
        self.assertIn(str(file), rows["policy"]["source"])
        self.assertIn("UMRT_PREFETCH", rows["prefetch"]["source"])

    def test_refuses_a_bad_value_by_name(self):
        result = umrt("config", UMRT_SOFT_DEVICES="lots")
        self.assert_code(result, USAGE)
        self.assertIn("UMRT_SOFT_DEVICES", result.stderr)
        self.assertIn("lots", result.stderr)

    def test_refuses_a_broken_file_by_name(self):
        file = self.write("umrt.toml", "policy = = 3\n")
        result = umrt("config", UMRT_CONFIG_FILE=str(file))
        self.assert_code(result, USAGE)
        self.assertIn(str(file), result.stderr)


class Examples(UmrtTest):
    def test_saxpy_adds_up(self):
        result = run(BIN / "saxpy")
        self.assert_code(result, FINE)
        self.assertEqual(result.stdout, "sum 3670016, expected 3670016\n")

    def test_hello_says_what_it_counted(self):
        result = run(BIN / "hello")
        self.assert_code(result, FINE)
        self.assertIn("= 499999500000", result.stdout)


if __name__ == "__main__":
    unittest.main()
