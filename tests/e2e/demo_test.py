# SPDX-License-Identifier: Apache-2.0
"""The main job: results, report, options."""

import json
import unittest

from support import ENVIRONMENT, FINE, USAGE, UmrtTest, new_mark, processes_with, umrt

SMALL = ("demo", "--scale", "16", "--iterations", "4")


class Demo(UmrtTest):
    def test_has_the_results_of_plain_memory_with_half_of_the_memory(self):
        demo = self.json_of(umrt(*SMALL, "--json"))
        self.assert_equal_to_plain_memory(demo)
        self.assertEqual(demo["graph"]["vertices"], 1 << 16)
        self.assertEqual(demo["graph"]["edges"], 16 << 16)
        self.assertGreater(demo["job"]["search_reached"], demo["graph"]["vertices"] // 2)
        totals = demo["report"]["totals"]
        self.assertEqual(demo["job"]["footprint_bytes"], totals["footprint_peak_bytes"])
        self.assertLessEqual(totals["peak_bytes"], totals["budget_bytes"])

    def test_evicts_when_the_budget_is_less_than_the_job(self):
        demo = self.json_of(umrt("demo", "--scale", "19", "--iterations", "3", "--no-compare", "--json"))
        self.assert_equal_to_plain_memory(demo)
        totals = demo["report"]["totals"]
        self.assertLessEqual(totals["budget_bytes"], demo["job"]["footprint_bytes"] // 2)
        self.assertGreater(totals["evictions"], 0)
        self.assertGreater(totals["refaults"], 0)

    def test_compares_with_no_prefetch_and_with_uvm_by_running_them(self):
        rows = self.json_of(umrt(*SMALL, "--json"))["report"]["comparison"]
        self.assertEqual([row["label"] for row in rows], ["this run", "no prefetch", "policy uvm"])
        for row in rows:
            self.assertGreater(row["elapsed_ms"], 0)
        self.assertEqual(self.json_of(umrt(*SMALL, "--no-compare", "--json"))["report"]["comparison"], [])

    def test_names_the_arrays_in_the_report(self):
        ranges = self.json_of(umrt(*SMALL, "--no-compare", "--json"))["report"]["ranges"]
        names = {r["name"] for r in ranges}
        self.assertLessEqual({"offsets", "edges", "rank", "next_rank", "contribution", "levels"}, names)

    def test_prints_the_report_last_and_nothing_else_into_a_pipe(self):
        result = umrt(*SMALL, "--ascii")
        self.assert_code(result, FINE)
        self.assertEqual(result.stderr, "")
        before, report = result.stdout.split("umrt placement report")
        self.assertIn("bit for bit", before)
        self.assertIn("edges", report)
        self.assertTrue(result.stdout.isascii())

    def test_writes_the_report_to_a_file(self):
        for name in ("report.txt", "report.json"):
            path = self.folder / name
            result = umrt(*SMALL, "--no-compare", "--report", path)
            self.assert_code(result, FINE)
            text = path.read_text()
            if name.endswith(".json"):
                self.assert_equal_to_plain_memory(json.loads(text))
            else:
                self.assertEqual(text, result.stdout)
        result = umrt(*SMALL, "--no-compare", "--report", self.folder / "none" / "report.txt")
        self.assert_code(result, ENVIRONMENT)
        self.assertIn("cannot be written", result.stderr)
        self.assertIn("bit for bit", result.stdout)

    def test_gives_the_same_numbers_for_the_same_seed_and_others_for_another(self):
        jobs = [self.json_of(umrt(*SMALL, "--no-compare", "--json", "--seed", seed))["job"] for seed in (5, 5, 6)]
        reached = [job["search_reached"] for job in jobs]
        self.assertEqual(reached[0], reached[1])
        self.assertNotEqual(reached[0], reached[2])

    def test_shares_the_work_between_two_devices(self):
        demo = self.json_of(umrt("demo", "--scale", "17", "--iterations", "3", "--devices", "2", "--no-compare", "--json"))
        self.assert_equal_to_plain_memory(demo)
        self.assertEqual(demo["job"]["devices"], 2)
        self.assertEqual(len(demo["report"]["devices"]), 2)
        for device in demo["report"]["devices"]:
            self.assertGreater(device["launches"], 0)

    def test_takes_a_budget_in_percent_and_as_a_size(self):
        job = ("demo", "--scale", "18", "--iterations", "2", "--no-compare", "--json")
        demo = self.json_of(umrt(*job, "--budget", "32MiB"))
        self.assertEqual(demo["job"]["budget_bytes"], 32 << 20)
        demo = self.json_of(umrt(*job, "--budget", "75%"))
        self.assertAlmostEqual(demo["job"]["budget_bytes"], demo["job"]["footprint_bytes"] * 0.75, delta=2 << 20)

    def test_leaves_a_budget_from_the_environment_alone(self):
        demo = self.json_of(umrt(*SMALL, "--no-compare", "--json", UMRT_DEVICE_BUDGET="40MiB"))
        self.assertEqual(demo["job"]["budget_bytes"], 40 << 20)

    def test_runs_as_long_as_it_is_told(self):
        demo = self.json_of(umrt("demo", "--scale", "14", "--seconds", "0.5", "--no-compare", "--json"))
        self.assert_equal_to_plain_memory(demo)
        self.assertGreaterEqual(demo["job"]["pagerank_s"], 0.5)

    def test_leaves_no_process_behind(self):
        mark = new_mark()
        self.assert_code(umrt(*SMALL, "--no-compare", MARK=mark), FINE)
        self.assertEqual(processes_with(mark), [])

    def test_says_what_is_wrong_with_an_option(self):
        for arguments, words in (
            (("--budget", "1KiB"), "budget"),
            (("--budget", "many"), "many"),
            (("--budget=-5%",), "-5%"),
            (("--policy", "magic"), "magic"),
            (("--devices", "0"), "--devices"),
            (("--scale", "99"), "--scale"),
            (("--frobnicate",), "frobnicate"),
        ):
            with self.subTest(arguments=arguments):
                result = umrt("demo", *arguments, *(() if "--scale" in arguments else ("--scale", "10")))
                self.assert_code(result, USAGE)
                self.assertIn(words, result.stderr)

    def test_says_what_is_wrong_with_a_setting(self):
        for variable, value in (
            ("UMRT_DEVICE_BUDGET", "plenty"),
            ("UMRT_POLICY", "magic"),
            ("UMRT_PREFETCH", "perhaps"),
            ("UMRT_SOFT_FAULT_WAY", "teleport"),
        ):
            with self.subTest(variable=variable):
                result = umrt("demo", "--scale", "10", **{variable: value})
                self.assert_code(result, USAGE)
                self.assertIn(value, result.stderr)

    def test_says_when_the_job_is_larger_than_the_arena(self):
        result = umrt("demo", "--scale", "19", "--no-compare", UMRT_ARENA_BYTES="32MiB")
        self.assertIn(result.returncode, (USAGE, ENVIRONMENT), result.stderr)
        self.assertRegex(result.stderr, "arena|SIZE_OVERFLOW|OUT_OF_MEMORY")


if __name__ == "__main__":
    unittest.main()
