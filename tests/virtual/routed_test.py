# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that loops which the compiler routed are behind neither the threads of all cores with equal
parts nor those of the fast cores alone, once the library has learned them.

Takes the build directory and the program of routed.cc."""

import sys
import unittest
from pathlib import Path

import lab

# Machines, and how many of their cores are fast.
MACHINES = {"4x3.0+4x1.0": 4, "4x2.0+4x1.0": 4, "1x4.0+3x3.0+4x1.0": 4}
SCHEDULES = ("aid_hybrid", "aid_dynamic")
# How much longer a run may take: of the first ones, and of those after them; and what the threads
# of the slow cores add to a region, in nanoseconds: they are started and waited for, run or not.
LONGER = (0.05, 0.01)
REGION_NS = 550


class Routed(unittest.TestCase):
    build: Path
    program: Path

    def times(self, machine: str, schedule: str, **variables: str) -> dict[str, list[float]]:
        printed, report = lab.run(
            self.build, machine, [self.program], OMP_SCHEDULE=schedule, **variables
        )
        self.assertEqual(report["work"], "counted")
        lines = (line.split() for line in printed.splitlines())
        return {name: [float(first), float(others)] for name, first, others in lines}

    def test_are_not_behind(self):
        for machine, fast in MACHINES.items():
            static = self.times(machine, "static")
            alone = self.times(machine, "static", OMP_NUM_THREADS=str(fast))
            for schedule in SCHEDULES:
                found = self.times(machine, schedule)
                for name, times in found.items():
                    for when, time in enumerate(times):
                        best = min(static[name][when], alone[name][when])
                        with self.subTest(machine=machine, schedule=schedule, loop=name, when=when):
                            self.assertLessEqual(time, best * (1 + LONGER[when]) + REGION_NS)


if __name__ == "__main__":
    Routed.program = Path(sys.argv.pop())
    Routed.build = Path(sys.argv.pop())
    unittest.main()
