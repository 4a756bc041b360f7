# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs, and prints what its readers expect. Its figures are no test: a loaded machine misses goals."""

import json
import unittest

from support import FINDING, FINE, USAGE, UmrtTest, umrt

NAMES = {
    "sweep.lru.limit_ratio",
    "fault.2m.over_bare",
    "fault.64k.over_bare",
    "fits.over_plain",
    "malloc.pair_ns",
    "engine.event_ns",
}


class Bench(UmrtTest):
    def test_prints_every_figure_with_its_goal(self):
        result = umrt("bench", "--smoke", "--json")
        self.assertIn(result.returncode, (FINE, FINDING), result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["schema_version"], 1)
        self.assertGreater(answer["machine"]["cores"], 0)
        names = [figure["name"] for figure in answer["results"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual(NAMES, set(names))
        for figure in answer["results"]:
            self.assertEqual(list(figure), ["name", "value", "unit", "goal", "holds", "detail"])
            self.assertGreater(figure["value"], 0, figure)

    def test_measures_what_is_named_alone(self):
        answer = json.loads(umrt("bench", "--smoke", "--json", "engine").stdout)
        self.assertEqual([figure["name"] for figure in answer["results"]], ["engine.event_ns"])

    def test_the_table_has_a_line_for_each(self):
        result = umrt("bench", "--smoke", "fits")
        self.assertIn(result.returncode, (FINE, FINDING), result.stderr)
        self.assertIn("fits.over_plain", result.stdout)

    def test_refuses_a_measurement_that_it_does_not_have(self):
        result = umrt("bench", "warp")
        self.assert_code(result, USAGE)
        self.assertIn("warp", result.stderr)


if __name__ == "__main__":
    unittest.main()
