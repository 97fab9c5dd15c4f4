# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the time that cores compute, spin and sleep on a virtual machine, by which its energy is
modelled.

Takes the build directory and the program of bandwidth.cc as arguments."""

import sys
import unittest
from pathlib import Path

import lab

MACHINE = "2x3.0+2x1.0"
# The program has three parts of 5 ms of work each, after each of which threads wait for all:
# two fast cores compute for 15 ms and wait for 30, two slow ones compute for 45.
FAST_BUSY, SLOW_BUSY, FAST_WAIT = 30e6, 90e6, 60e6


class Energy(unittest.TestCase):
    build: Path
    program: Path

    def run_with(self, *options: str, machine: str = MACHINE, **variables: str) -> dict:
        _, report = lab.run(
            self.build, machine, [self.program], *options, OMP_SCHEDULE="static", **variables
        )
        return report

    def expect_spinning(self, due: float, **variables: str):
        report = self.run_with(**variables)
        fast, slow = report["classes"]
        self.assertEqual((fast["used"], slow["used"]), (2, 2))
        for name in ("spin_ns", "parallel_spin_ns"):
            self.assertAlmostEqual(fast[name], due, delta=0.01 * FAST_WAIT, msg=name)
            self.assertLess(slow[name], 0.01 * FAST_WAIT, msg=name)
        self.assertAlmostEqual(fast["parallel_busy_ns"], FAST_BUSY, delta=0.01 * FAST_BUSY)
        self.assertAlmostEqual(slow["parallel_busy_ns"], SLOW_BUSY, delta=0.01 * SLOW_BUSY)
        self.assertLessEqual(fast["parallel_busy_ns"], fast["busy_ns"])

    def test_waiters_that_sleep(self):
        self.expect_spinning(0, OMP_WAIT_POLICY="passive")

    def test_waiters_that_spin(self):
        self.expect_spinning(FAST_WAIT, OMP_WAIT_POLICY="active")

    def test_waiters_that_spin_for_a_while(self):
        # 100 000 turns of 15 ns, three times on two cores.
        self.expect_spinning(9e6, GOMP_SPINCOUNT="100000")

    def test_energy_follows(self):
        report = self.run_with(OMP_WAIT_POLICY="active")
        seconds = report["parallel"]["makespan_ns"] / 1e9
        # exynos5422: all four cores compute or spin throughout.
        watts = 2 * 0.12 + 2 * 0.845 + 2 * 0.1575
        self.assertAlmostEqual(report["parallel"]["energy"]["watts"], watts, delta=0.01 * watts)
        self.assertAlmostEqual(
            report["parallel"]["energy"]["edp_js"],
            watts * seconds**2,
            delta=0.01 * watts * seconds**2,
        )

    def test_cores_that_run_nothing_are_off(self):
        report = self.run_with(OMP_NUM_THREADS="2")
        self.assertEqual([one["used"] for one in report["classes"]], [2, 0])
        self.assertEqual(report["classes"][1]["spin_ns"], 0)


if __name__ == "__main__":
    Energy.program = Path(sys.argv.pop())
    Energy.build = Path(sys.argv.pop())
    unittest.main()
