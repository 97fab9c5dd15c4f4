# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what amp-emu virtual reports of folded teams.

Takes the build directory and the program of folded.cc as its arguments."""

import sys
import unittest
from pathlib import Path

import lab


class Folded(unittest.TestCase):
    build: Path
    program: Path

    def run_test(self, machine: str, fold: str, ids: list[int], test: str, **more: str) -> dict:
        """The report of a test of the program."""
        _, report = lab.run(
            self.build,
            machine,
            [self.program],
            VIRTUAL_MACHINE=machine,
            VIRTUAL_IDS=",".join(map(str, ids)),
            GOMP_AMP_FOLD=fold,
            GOMP_AMP_TEST_RANGES="fixed",
            GTEST_FILTER=f"Folded.{test}",
            **more,
        )
        return report

    def workers(self, machine: str, fold: str, ids: list[int], test: str) -> list[dict]:
        """The workers of the one size of teams that a test of the program runs."""
        (team,) = self.run_test(machine, fold, ids, test)["folded"]
        self.assertEqual(team["ids"], sum(ids))
        self.assertEqual([worker["cpu"] for worker in team["workers"]], list(range(len(ids))))
        self.assertEqual([worker["ids"] for worker in team["workers"]], ids)
        return team["workers"]

    def test_switches(self):
        """Five regions in which each id has the turn, and waits once before the last one: for the
        next region. In addition each has the turn once or twice when it is born, and in the first
        region waits twice, as nobody knows whether that has tasks."""
        for worker in self.workers("1x2.0+1x1.0", "3", [4, 2], "OneOf*"):
            self.assertGreaterEqual(worker["switches"], 5 * (worker["ids"] - 1))
            self.assertLessEqual(worker["switches"], 8 * worker["ids"])

    def test_who_waits_for_other_cores_is_not_stuck(self):
        """In real time each core waits for the seven others, for longer than who watches allows a
        worker that sleeps."""
        ids = [2, 2, 2, 2, 0, 0, 0, 0]
        for worker in self.workers("4x3.0+4x1.0", "1", ids, "AUniform*"):
            self.assertEqual(worker["early"], 0)

    def test_threads_that_join_do_not_block_each_other(self):
        """All of them bind themselves, under one lock."""
        ids = [3, 3, 3, 3, 1, 1, 1, 1]
        report = self.run_test(
            "4x3.0+4x1.0", "2", ids, "AUniform*", GOMP_AMP_VIRTUAL_PATIENCE_MS="10000"
        )
        self.assertEqual(report["handovers"], 0)

    def test_early_wakes(self):
        workers = self.workers("1x2.0+1x1.0", "3", [4, 2], "WhoWaits*")
        self.assertGreaterEqual(workers[0]["early"], 1)

    def test_nothing_is_folded(self):
        teams = {"VIRTUAL_MACHINE": "2x1", "VIRTUAL_IDS": "1,1"}
        only = {"GTEST_FILTER": "Folded.Nowait*"}
        _, report = lab.run(self.build, "2x1", [self.program], **teams, **only)
        self.assertNotIn("folded", report)


if __name__ == "__main__":
    Folded.program = Path(sys.argv.pop())
    Folded.build = Path(sys.argv.pop())
    unittest.main()
