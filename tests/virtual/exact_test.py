# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that loops take as long in virtual time as an independent simulation computes.

Takes the build directory as its argument. The iterations spin until the thread's CPU clock says so,
so that they cost the same however busy and however fast the host is; what is left of its noise is
far below the limit, within which none of these cases could be mistaken for another."""

import sys
import unittest
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))

import exact
from measured import measured

LIMIT = 0.10
RUNS = 3


class Makespan(unittest.TestCase):
    build: Path

    @measured
    def compare(self, machine: str, shape: str, schedule: str, *arguments: str):
        words = [f"--shape={shape}", *arguments]
        nominal = exact.costs(self.build, *words)
        runs = [
            exact.run(self.build, machine, schedule, *words, "--by-clock=1") for _ in range(RUNS)
        ]
        ratio = median(run.seconds / exact.simulated(run, nominal) for run in runs)
        print(f"{machine} {shape} {schedule}: {ratio:.4f}", flush=True)
        self.assertAlmostEqual(ratio, 1, delta=LIMIT, msg=f"{shape} {schedule}")

    def test_shapes(self):
        for shape in exact.SHAPES:
            for schedule in exact.SCHEDULES:
                with self.subTest(shape=shape, schedule=schedule):
                    self.compare(exact.MACHINE, shape, schedule)

    def test_chunks(self):
        for schedule in ("static,7", "dynamic,16", "guided,20"):
            with self.subTest(schedule):
                self.compare("2x4.0+1x2.0+3x1.0", "exponential", schedule)

    @measured
    def test_the_work_is_all_charged(self):
        words = ["--shape=exponential", "--by-clock=1"]
        nominal = sum(exact.costs(self.build, *words[:1]))
        for machine in (exact.MACHINE, "8x1"):
            # What else the real machine does can only add to it, and does.
            work = min(exact.run(self.build, machine, "dynamic", *words).work for _ in range(RUNS))
            self.assertGreater(work / nominal, 1 - LIMIT, msg=machine)
            self.assertLess(work / nominal, 1 + 3 * LIMIT, msg=machine)

    def test_removals_queue(self):
        """Of 400 iterations of next to nothing, each costs a removal, on any number of cores."""
        removal = 50e-6
        words = ["--iterations=400", "--mean-ns=1"]

        @measured
        def check(machine: str):
            run = exact.run(self.build, machine, "dynamic", *words, removal_ns=50000)
            self.assertGreaterEqual(run.seconds, 400 * removal)
            self.assertLessEqual(run.seconds, 1.5 * 400 * removal)

        for machine in ("2x1", "8x1", "4x3.0+4x1.0"):
            with self.subTest(machine):
                check(machine)


if __name__ == "__main__":
    Makespan.build = Path(sys.argv.pop())
    unittest.main()
