# SPDX-License-Identifier: Apache-2.0
"""`umrt bench --smoke`: every measurement runs and its figures are complete. What they are worth is no test's business."""

import unittest

from support import FINE, USAGE, UmrtTest, umrt


class Bench(UmrtTest):
    def test_every_measurement_runs_and_says_what_it_found(self):
        report = self.json_of(umrt("bench", "--smoke", "--json"))
        self.assertEqual(report["schema_version"], 1)
        self.assertGreater(report["machine"]["cores"], 0)
        names = [result["name"] for result in report["results"]]
        self.assertEqual(len(names), len(set(names)))
        for promised in ("sweep.lru.limit_ratio", "fault.2m.over_bare", "fault.64k.over_bare", "fits.over_plain"):
            self.assertIn(promised, names)
        for result in report["results"]:
            self.assertEqual(list(result), ["name", "value", "unit", "goal", "holds", "detail"])
            self.assertGreater(result["value"], 0, result)

    def test_the_table_has_a_line_for_each(self):
        result = umrt("bench", "--smoke", "fits")
        self.assert_code(result, FINE)
        self.assertIn("fits.over_plain", result.stdout)

    def test_an_unknown_name_is_wrong_usage(self):
        result = umrt("bench", "nonsense")
        self.assert_code(result, USAGE)
        self.assertIn("nonsense", result.stderr)


if __name__ == "__main__":
    unittest.main()
