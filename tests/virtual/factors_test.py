# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of loops that have speedup factors of their own on a virtual machine.

Takes the build directory and the program as arguments."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lab

MACHINE = "1x3.0+1x1.0"
# What each loop's factors make of the slow core; elsewhere it is as slow as the machine says.
SLOW = {"flat": 1.0, "steep": 8.0, "combined": 5.0}
WHERE = {"before", "inline", "flat", "between", "steep", "plain", "after", "combined"}
# Of a factor: what reading the clocks takes.
LIMIT = 0.01


def offsets(program: Path) -> dict[str, str]:
    """The loops as MODULE+0xOFFSET: in the region's function by the addresses that their starts
    return to, in the order of the source; the one of a combined construct by its function."""
    if not shutil.which("objdump") or os.uname().machine != "x86_64":
        raise unittest.SkipTest("needs objdump and an x86-64 machine, to find calls by its output")
    command = ["objdump", "-d", "--no-show-raw-insn", program]
    code = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    region, combined = (
        re.search(rf"^0*([0-9a-f]+) <main\._omp_fn\.{number}>:\n((?:.+\n)+)", code, re.M)
        for number in (0, 1)
    )
    starts = re.findall(r"call .*GOMP_loop_\w*start\S*\n *([0-9a-f]+):", region[2])
    flat, steep, *_ = starts
    found = {"flat": flat, "steep": steep, "combined": combined[1]}
    return {loop: f"{program}+0x{address}" for loop, address in found.items()}


def slowness(printed: str) -> dict[tuple[str, int], float]:
    """What the program printed, by place and thread."""
    fields = [line.split() for line in printed.splitlines() if not line.startswith("libgomp ")]
    return {(where, int(thread)): float(value) for where, thread, value in fields}


class Factors(unittest.TestCase):
    build: Path
    program: Path

    @classmethod
    def setUpClass(cls):
        cls.loops = offsets(cls.program)

    def run_with(self, schedule: str, *lines: str) -> dict[tuple[str, int], float]:
        with tempfile.TemporaryDirectory() as scratch:
            options = []
            if lines:
                path = Path(scratch) / "factors"
                path.write_text("".join(f"{line}\n" for line in lines))
                options = ["--sf-file", str(path)]
            printed, _ = lab.run(
                self.build, MACHINE, [self.program], *options, OMP_SCHEDULE=schedule
            )
        found = slowness(printed)
        self.assertEqual(found.keys(), {(where, thread) for where in WHERE for thread in (0, 1)})
        return found

    def test_without(self):
        for (where, thread), value in self.run_with("static").items():
            due = 3 if thread else 1
            self.assertAlmostEqual(value / due, 1, delta=LIMIT, msg=where)

    def test_loops_of_their_own(self):
        lines = [f"{self.loops[loop]} 1:{factor}" for loop, factor in SLOW.items()]
        # With one iteration a thread, static and this one give thread 1 its own iteration.
        for schedule in ("static", "static,1"):
            for (where, thread), value in self.run_with(schedule, *lines).items():
                due = SLOW.get(where, 3.0) if thread else 1.0
                self.assertAlmostEqual(value / due, 1, delta=LIMIT, msg=f"{schedule} {where}")

    def test_program(self):
        found = self.run_with("static", "program 1:6", f"{self.loops['flat']} 1:1")
        for (where, thread), value in found.items():
            due = (1 if where == "flat" else 6) if thread else 1
            self.assertAlmostEqual(value / due, 1, delta=LIMIT, msg=where)

    def test_factors_are_relative(self):
        # Both classes twice as fast as nothing: the ratio is what counts.
        found = self.run_with("static", f"{self.loops['flat']} 0:2,1:4")
        for place, due in ((("flat", 0), 1), (("flat", 1), 2), (("steep", 1), 3)):
            self.assertAlmostEqual(found[place] / due, 1, delta=LIMIT, msg=place)


if __name__ == "__main__":
    Factors.program = Path(sys.argv.pop())
    Factors.build = Path(sys.argv.pop())
    unittest.main()
