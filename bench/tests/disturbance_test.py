# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what is called a disturbed run: with made-up counts of the kernel, and a real one."""

import os
import subprocess
import sys
import unittest
from pathlib import Path


from support import Scratch, rows

from lab import disturbance, machines, record, results, runs, tables
from lab.disturbance import Finding, Snapshot, Watch, deciding, judge
from lab.runtimes import OURS, Runtime

TICK = 1 / os.sysconf("SC_CLK_TCK")


def judged(cpus=2, seconds=1.0, **counted) -> Finding:
    """What is made of a run of a second that counted this."""
    after = {"busy": seconds * cpus, "own": seconds * cpus} | counted
    return judge(Snapshot(0.0), Snapshot(seconds, **after), cpus)


class Judged(unittest.TestCase):
    def test_a_quiet_run(self):
        self.assertFalse(judged())
        self.assertFalse(judged(stolen=0.015))
        self.assertFalse(judged(own=1.95))

    def test_stolen_time(self):
        self.assertIn("50 ms stolen", str(judged(stolen=0.05)))
        # A tick says nothing of a run that lasts a few.
        self.assertFalse(judged(seconds=0.05, stolen=TICK))

    def test_other_programs(self):
        self.assertIn("other programs ran for 500 ms", str(judged(own=1.5)))
        self.assertTrue(judged(cpus=16, own=15.5))
        # What a kernel does itself on each of many CPUs.
        self.assertFalse(judged(cpus=64, own=63.6))

    def test_thieves_are_part_of_the_machine(self):
        self.assertFalse(judged(own=1.5, thieves=0.5))
        self.assertTrue(judged(own=1.2, thieves=0.5))

    def test_severity_is_the_worst(self):
        found = judged(stolen=0.2, own=1.8)
        self.assertEqual(len(found.reasons), 2)
        self.assertNotIn(",", str(found))
        self.assertAlmostEqual(found.severity, 10)


class MadeUpProc(Scratch):
    def stat(self, **cpus) -> None:
        """cpus: user ticks and stolen ticks of each."""
        lines = ["cpu  9 9 9 9 9 9 9 9 0 0"]
        for name, (user, stolen) in cpus.items():
            lines.append(f"{name} {user} 0 0 1000 0 5 5 {stolen} 0 0")
        (self.directory / "stat").write_text("\n".join([*lines, "intr 1 2 3", ""]))

    def watch(self, *cpus: int) -> Watch:
        return Watch(cpus, self.directory)

    def test_only_the_run_s_cpus_count(self):
        self.stat(cpu0=(0, 0), cpu1=(0, 0), cpu10=(0, 0))
        watch = self.watch(1)
        watch.begin()
        self.stat(cpu0=(900, 900), cpu1=(0, 0), cpu10=(900, 900))
        self.assertFalse(watch.end())

    def test_stolen_and_foreign_time(self):
        self.stat(cpu0=(0, 0), cpu1=(0, 0))
        watch = self.watch(0, 1)
        watch.begin()
        self.stat(cpu0=(100, 0), cpu1=(0, 50))
        self.assertIn(f"{1000 * 50 * TICK:.0f} ms stolen", str(watch.end()))
        self.assertIn(f"ran for {1000 * 100 * TICK:.0f} ms", str(watch.end()))

    def test_thieves_are_found_by_name(self):
        self.stat(cpu0=(0, 0))
        directory = self.directory / "123"
        directory.mkdir()
        times = "S 1 1 1 0 -1 4194560 100 0 0 0 {} 20 0 0 20 0"
        (directory / "stat").write_text(f"123 (amp-emu) {times.format(0)}")
        watch = self.watch(0)
        watch.begin()
        self.stat(cpu0=(100, 0))
        (directory / "stat").write_text(f"123 (amp-emu) {times.format(100)}")
        self.assertFalse(watch.end())
        (directory / "stat").write_text(f"123 (a) (b) {times.format(100)}")
        self.assertTrue(watch.end())

    def test_no_counts_at_all(self):
        watch = self.watch(0)
        watch.begin()
        self.assertFalse(watch.end())


class RealDisturbance(Scratch):
    def test_a_busy_process_on_the_same_cpu(self):
        cpu = machines.own_cpus()[0]
        spin = [sys.executable, "-c", "while True: pass"]
        result = "result: seconds=1 verified=1 threads=1 amp=100 runtime=/x"
        program = self.file(
            "program",
            f"#!{sys.executable}\nimport time\nbegun = time.process_time()\n"
            f"while time.process_time() < begun + 0.3: pass\nprint('{result}')\n",
        )
        program.chmod(0o755)
        run = runs.Run((str(program),), Runtime(OURS, Path("/x"), Path("/")), (cpu,), "static")
        busy = subprocess.Popen(spin, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        try:
            found = runs.execute(run).disturbed
        finally:
            busy.kill()
            busy.wait()
        self.assertIn("other programs ran for", str(found))


class Repeated(unittest.TestCase):
    def attempts(self, *severities: float, repeat: int) -> tuple[float, int]:
        """The severity of what is chosen of runs with these, and how many were run."""
        todo = [Finding(("x",) if severity else (), severity) for severity in severities]
        left = iter(todo)
        chosen = disturbance.undisturbed(lambda: next(left), lambda one: one, repeat)
        return chosen.severity, len(todo) - len(list(left))

    def test_until_one_is_not_disturbed(self):
        self.assertEqual(self.attempts(0, 9, repeat=2), (0, 1))
        self.assertEqual(self.attempts(3, 2, 0, 9, repeat=5), (0, 3))

    def test_the_least_disturbed_stands(self):
        self.assertEqual(self.attempts(3, 2, 4, 1, repeat=2), (2, 3))
        self.assertEqual(self.attempts(3, 1, repeat=0), (3, 1))


class Marked(unittest.TestCase):
    def test_only_a_round_that_the_number_hangs_on(self):
        for values, expected in (
            ((), None),
            ((1.3,), None),
            # One round that takes half as long again does not change the others' median.
            ((1.0, 1.001, 1.5, 0.999, 1.002), None),
            ((1.0, 1.005, 1.5), None),
            ((1.0, 1.015), None),
            ((1.0, 1.03), 0),
            ((1.0, 1.1, 1.25), 2),
            ((1.0, 1.0, 1.1, 1.1), 0),
            ((100.0, 103.0, 140.0), 2),
        ):
            with self.subTest(values=values):
                self.assertEqual(deciding(values), expected)

    def row(self, schedule: str, number: int, seconds: str, text: str = "") -> record.Row:
        (one,) = rows("m", "", "p", schedule, (seconds,), OURS, disturbed=text)
        return one | {"round": str(number)}

    def test_rows_of_an_evaluation(self):
        row = self.row
        (found,) = results.machines(
            [
                row("static", 1, "2"),
                row("static", 2, "2"),
                row("aid_hybrid", 1, "1", "9 involuntary switches"),
                row("aid_hybrid", 2, "4"),
                row("aid_static", 1, "1", "7 involuntary switches"),
                row("aid_static", 2, "1"),
            ]
        )
        self.assertRegex(tables.times(found), r"2 \[2, 2\] +\| 2.5 \[1, 4\] ! \| 1 \[1, 1\] +\|")
        text = tables.disturbances(found)
        self.assertIn("in 1 of 3 cells", text)
        self.assertIn("1 of these rounds were disturbed", text)
        self.assertIn("9 involuntary switches", tables.machine_section(found, {}, [found]))

    def test_a_quiet_machine_s_table_has_no_footnotes(self):
        """Rounds as this host has them when it is quiet: each was stolen from, and all are within
        half a percent but one."""
        seconds = {"static": (2.0, 2.006, 1.996), "aid_hybrid": (1.003, 1.0, 1.2)}
        (found,) = results.machines(
            [
                self.row(label, number, str(value), "30 ms stolen by the host")
                for label, values in seconds.items()
                for number, value in enumerate(values)
            ]
        )
        text = tables.machine_section(found, {}, [found])
        self.assertNotIn("!", text)
        self.assertNotIn("disturbed", text)


if __name__ == "__main__":
    unittest.main()
