# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of caps on the memory's bandwidth on a virtual machine.

Takes the build directory and the program of bandwidth.cc as arguments."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lab

# Each thread computes for one unit of work: a fast core alone takes 1, a slow one 3.
MACHINE = "2x3.0+2x1.0"
WHERE = ("static", "loop", "after")


def site(program: Path) -> str:
    """The loop as MODULE+0xOFFSET: by the address that its start returns to."""
    if not shutil.which("objdump") or os.uname().machine != "x86_64":
        raise unittest.SkipTest("needs objdump and an x86-64 machine, to find calls by its output")
    command = ["objdump", "-d", "--no-show-raw-insn", program]
    code = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (address,) = re.findall(r"call .*GOMP_loop_\w*start\S*\n *([0-9a-f]+):", code)
    return f"{program}+0x{address}"


class Bandwidth(unittest.TestCase):
    build: Path
    program: Path

    def run_with(self, caps: str, demand: str) -> tuple[dict[tuple[str, int], float], dict]:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "demand"
            path.write_text(demand)
            options = ["--bandwidth", caps, "--demand", str(path)] if caps else []
            printed, report = lab.run(
                self.build, MACHINE, [self.program], *options, OMP_SCHEDULE="static"
            )
        fields = [line.split() for line in printed.splitlines() if not line.startswith("libgomp ")]
        found = {(where, int(thread)): float(value) for where, thread, value in fields}
        self.assertEqual(found.keys(), {(where, thread) for where in WHERE for thread in range(4)})
        return found, report

    def expect(self, caps: str, demand: str, **due: tuple[float, float]):
        """DUE: of each place, the time that the fast cores take, and that of the slow ones."""
        found, _ = self.run_with(caps, demand)
        for (where, thread), value in found.items():
            expected = due[where][thread // 2]
            self.assertAlmostEqual(
                value / expected, 1, delta=0.001, msg=f"{caps}: {where} {thread}"
            )

    def everywhere(self, caps: str, fast: float, slow: float):
        """Every core of speed 1 demands 1 GB/s: the fast ones 3 each, all of them 8."""
        both = (fast, slow)
        self.expect(caps, "program 1\n", static=both, loop=both, after=both)

    def test_without(self):
        self.everywhere("", 1, 3)

    def test_enough_for_all(self):
        self.everywhere("8,0:2,1:6", 1, 3)

    def test_half_of_what_all_demand(self):
        # At half the speed the fast cores take 2. The slow ones then have done 1 of 3, and need 2
        # GB/s alone, which there are.
        self.everywhere("4", 2, 4)

    def test_too_little_even_for_the_slow_ones(self):
        # 1 of 8: the fast cores take 8, in which the slow ones do 1 of 3. Then 1 of 2: they take 4.
        self.everywhere("1", 8, 12)

    def test_a_class_alone(self):
        self.everywhere("0:1", 1, 6)
        # 3 of 6: the fast ones take 2. The slow ones do not notice.
        self.everywhere("1:3", 2, 3)

    def test_a_class_and_all(self):
        # The fast class has 3 of 6, the slow one all of its 2; both have 2 of these 5. The fast
        # cores take 5, in which the slow ones do 2 of 3.
        self.everywhere("2,1:3", 5, 6)

    def test_a_loop_of_its_own(self):
        self.expect(
            "4",
            f"program 0\n{site(self.program)} 1\n",
            static=(1, 3),
            loop=(2, 4),
            after=(1, 3),
        )
        self.expect(
            "4",
            f"program 1\n{site(self.program)} 0\n",
            static=(2, 4),
            loop=(1, 3),
            after=(2, 4),
        )

    def test_report(self):
        _, report = self.run_with("4,0:3", "program 1\n")
        memory = report["memory"]
        self.assertEqual(memory["caps"], "4,0:3")
        # A fast core does 3 units of speed 1 in one of work: 3 GB/s.
        self.assertAlmostEqual(memory["bytes"] / report["work_ns"], 3, delta=0.001)
        self.assertAlmostEqual(memory["bound_ns"], memory["bytes"] / 4, delta=2)
        self.assertLess(memory["bound_ns"], report["makespan_ns"])
        self.assertNotIn("memory", self.run_with("", "")[1])


if __name__ == "__main__":
    Bandwidth.program = Path(sys.argv.pop())
    Bandwidth.build = Path(sys.argv.pop())
    unittest.main()
