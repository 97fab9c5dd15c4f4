# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that counted work gives the same digits in every run, and what --work says.

Takes the build directory, the program of digits.cc and one that does not count."""

import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lab
from lab import environment

MACHINE = "4x3.0+4x1.0"
SCHEDULES = ("static", "dynamic", "guided", "aid_static", "aid_hybrid", "aid_dynamic")
TASKS = ("upstream", "fifo")
# At a time, so that they disturb each other.
RUNS = 3


class Digits(unittest.TestCase):
    build: Path
    program: Path
    uncounted: Path

    def run_once(self, *options: str, **variables: str) -> tuple[str, dict]:
        printed, report = lab.run(self.build, MACHINE, [self.program], *options, **variables)
        report.pop("pid")
        return printed, report

    def test_are_the_same_in_every_run(self):
        for schedule in SCHEDULES:
            for tasks in TASKS:
                variables = {"OMP_SCHEDULE": schedule, "GOMP_TASK_SCHEDULE": tasks}
                with ThreadPoolExecutor(RUNS) as pool:
                    runs = list(pool.map(lambda _, v=variables: self.run_once(**v), range(RUNS)))
                with self.subTest(**variables):
                    self.assertEqual(runs[0][1]["work"], "counted")
                    self.assertEqual(runs[0][1]["handovers"], 0)
                    for run in runs:
                        self.assertEqual(run, runs[0])

    def test_are_the_same_however_large_the_environment_is(self):
        with tempfile.NamedTemporaryFile("w", suffix=".demand") as demand:
            demand.write("program 1\n")
            demand.flush()
            for options in ((), ("--bandwidth=1:2", f"--demand={demand.name}")):
                runs = []
                for size in (0, 1, 2, 3, 50):
                    variables = {f"ANOTHER_VARIABLE_{number}": "1" for number in range(size)}
                    runs.append(self.run_once(*options, **variables))
                with self.subTest(options):
                    for run in runs:
                        self.assertEqual(run, runs[0])

    def test_processor_time_can_be_asked_for(self):
        _, report = self.run_once("--work=timed")
        self.assertEqual(report["work"], "timed")

    def test_a_program_that_does_not_count(self):
        _, report = lab.run(self.build, MACHINE, [self.uncounted])
        self.assertEqual(report["work"], "timed")
        words = [self.build / "bin/amp-emu", "virtual", MACHINE, "--work=counted", self.uncounted]
        done = subprocess.run(
            words, env=environment.clean(), capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        for part in (str(self.uncounted), "does not count its work", "amp-gcc --amp-count"):
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    Digits.uncounted = Path(sys.argv.pop())
    Digits.program = Path(sys.argv.pop())
    Digits.build = Path(sys.argv.pop())
    unittest.main()
