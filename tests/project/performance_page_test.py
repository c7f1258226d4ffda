#!/usr/bin/env python3
"""The performance page says what the claims files say, and its chart shows what the page says."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import make_performance_chart as drawer  # noqa: E402
import make_performance_page as maker  # noqa: E402


def claim(**changes):
    return {"id": "shapes/boolean", "ours": 123.456, "peer_name": "FCL", "peer": 370.368, "unit": "ns",
            "ratio": 3.0, "goal": 2.0, "agree": True} | changes


class PerformancePage(unittest.TestCase):
    def page(self, claims, machine=None, old=""):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "shapes.json").write_text(json.dumps({"claims": claims}), encoding="utf-8")
            if machine:
                (folder / "shapes.machine").write_text(machine, encoding="utf-8")
            return maker.page(folder, old)

    def test_a_claim_is_a_line(self):
        self.assertIn("| shapes/boolean | 123.5 | 370.4 | FCL | ns | **3.00 ×** | 2.00 × | agree |", self.page([claim()]))

    def test_missed_goals_and_differing_answers_are_shown(self):
        text = self.page([claim(ratio=1.5, agree=False)])
        self.assertIn("| 1.50 × | 2.00 × (missed) | **differ** |", text)

    def test_machine_and_date_are_shown(self):
        text = self.page([claim()], "cpu: A Processor\ncores: 2\ncompiler: g++ 12\ndate: 2030-01-02\n")
        self.assertIn("A Processor; cores 2; g++ 12; 2030-01-02", text)

    def test_sections_that_were_not_measured_again_stay(self):
        old = self.page([claim(peer_name="Old")]) + "\n## trees\n\n| trees/build |\n"
        text = self.page([claim()], old=old)
        self.assertNotIn("Old", text)
        self.assertEqual(text.count("## shapes"), 1)
        self.assertTrue(text.endswith("\n## trees\n\n| trees/build |\n"))
        self.assertEqual(self.page([claim()], old=text), text)

    def test_a_section_says_what_it_is_about(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "trees_bench.cpp"
            source.write_text("// Trees beside\n// others.\n//\n//     bench_trees\n\nint main() {}\n", encoding="utf-8")
            self.assertEqual(maker.subject("trees", pathlib.Path(folder)), "Trees beside\nothers.")
            self.assertEqual(maker.subject("others", pathlib.Path(folder)), "")

    def test_no_claims_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(SystemExit):
            maker.page(folder)

    def test_the_chart_has_every_time_beside_a_library_and_nothing_else(self):
        text = self.page([claim(ratio=3.0), claim(ratio=0.5, peer_name="Coal 3"), claim(ratio=7.0, unit="MB"),
                          claim(ratio=8.0, peer_name="graze, no cache"), claim(ratio=9.0, peer_name="FCLx")])
        self.assertEqual(drawer.rows_of(text), [("shapes", ["FCL", "Coal"], [3.0, 0.5])])
        chart = drawer.chart(text)
        self.assertEqual((chart.count('class="dot"'), chart.count('class="slower"')), (1, 1))
        self.assertIn("1 of 2 are at 1 × or more", chart)
        self.assertIn("1.75 ×", chart)  # the median

    def test_the_chart_is_that_of_the_page(self):
        page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
        self.assertTrue((ROOT / "docs/performance.svg").read_text(encoding="utf-8") == drawer.chart(page),
                        "docs/performance.svg is not the chart of docs/performance.md: run ./dev docs pages")


if __name__ == "__main__":
    unittest.main()
