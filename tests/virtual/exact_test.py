# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that loops take as long in virtual time as an independent simulation computes.

Takes the build directory as its argument."""

import sys
import unittest
from pathlib import Path

import exact

# What the simulation leaves out: the library's own work.
LIMIT = 0.01


class Makespan(unittest.TestCase):
    build: Path

    def compare(self, machine: str, shape: str, schedule: str):
        words = [f"--shape={shape}"]
        run = exact.run(self.build, machine, schedule, *words)
        ratio = run.seconds / exact.simulated(run, exact.costs(self.build, *words))
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

    def test_the_work_is_all_charged(self):
        words = ["--shape=exponential"]
        nominal = sum(exact.costs(self.build, *words))
        for machine in (exact.MACHINE, "8x1"):
            work = exact.run(self.build, machine, "dynamic", *words).work
            self.assertAlmostEqual(work / nominal, 1, delta=LIMIT, msg=machine)

    def test_removals_queue(self):
        """Of 400 iterations of next to nothing, each costs a removal, on any number of cores."""
        removal = 50e-6
        words = ["--iterations=400", "--mean-ns=1"]
        for machine in ("2x1", "8x1", "4x3.0+4x1.0"):
            run = exact.run(self.build, machine, "dynamic", *words, removal_ns=50000)
            # Each thread's last one finds that there are no more.
            threads = len(run.slowness)
            self.assertGreaterEqual(run.seconds, 400 * removal, msg=machine)
            self.assertLessEqual(run.seconds, (401 + threads) * removal, msg=machine)


if __name__ == "__main__":
    Makespan.build = Path(sys.argv.pop())
    unittest.main()
