# SPDX-License-Identifier: Apache-2.0
"""The core of the suite once per file of tests/configs/: the same results whatever the settings."""

import unittest

from support import SOURCE, UmrtTest, umrt

CONFIGS = sorted((SOURCE / "tests" / "configs").glob("*.toml"))


class Config(UmrtTest):
    def check(self, config):
        demo = self.json_of(umrt("demo", "--quick", "--no-compare", "--json", UMRT_CONFIG_FILE=str(config)))
        self.assert_equal_to_plain_memory(demo)
        return demo["report"]

    def test_has_a_row_for_every_file(self):
        self.assertEqual(set(EXPECTED), {config.stem for config in CONFIGS})


EXPECTED = {  # what shows in the report that the setting was heard
    "copy_way": lambda report: report["run"]["fault_way"] == "copy",
    "staged_copies": lambda report: report["run"]["copy_way"] == "staged",
    "no_huge_pages": lambda report: report["run"]["has_huge_pages"] is False,
    "two_devices": lambda report: len(report["devices"]) == 2,
    "tiny_budget": lambda report: report["totals"]["budget_bytes"] == 12 << 20,
    "policy_uvm": lambda report: report["run"]["policy"] == "uvm",
}

for path in CONFIGS:

    def test(self, path=path):
        self.assertTrue(EXPECTED[path.stem](self.check(path)))

    setattr(Config, f"test_{path.stem}_changes_no_result", test)


if __name__ == "__main__":
    unittest.main()
