#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the command ampsim: what it writes, and what it says of bad input.

ampsim_test.py <ampsim> <ampsim-chart> Ampsim|Chart
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

GOOD = """cores = "2x3.0+4x1.0"
policy = "hass-s"
[[program]]
name = "solver"
work = 8
factor = 2.8
copies = 3
[[program]]
name = "team"
work = 8
threads = 4
serial_percent = 5
at = 0.5
"""
PROGRAM = 'cores = "2x3.0+4x1.0"\n[[program]]\nname = "a"\n'
TWO = PROGRAM + "work = 1\n"
# A scenario that is wrong; the line, and words that the message has.
BAD = [
    ("[machine\n", 1, "expected TOML"),
    ('policy = "hafs"\n', 1, "cores", "missing", "4x3.0+4x1.0"),
    ('cores = "4x3.0+-1x1.0"\n', 1, "cores", "-1x1.0", "COUNTxGHZ"),
    ("cores = 4\n", 1, "cores: 4", "quotes"),
    ('cores = "1x1"\ncopies = 3\n', 2, "unknown key 'copies'", "policy", "seed"),
    ('cores = "1x1"\n', 1, "no program arrives", "[[program]]"),
    ('cores = "1x1"\npolicy = "hass"\n', 2, "'hass'", "hass-s", "hafs"),
    (TWO + "[parameters]\nprobes = 4\n[x]\ny = 1\n", 6, "sticky", "'probes'"),
    ('policy = "hass-s"\n' + TWO + "[parameters]\nprobes = -1\n", 7, "-1", "0 to 100", "threads"),
    (PROGRAM, 2, "work", "missing", "slowest cores"),
    (PROGRAM + "work = -1\n", 4, "[[program]]: work: -1", "1e-06 to 1e+09"),
    (PROGRAM + 'work = "long"\n', 4, "work", "long"),
    (PROGRAM + "work = nan\n", 4, "work", "nan"),
    (TWO + "speed = 2\n", 5, "unknown key 'speed'", "factor"),
    (TWO + "factor = 0.5\n", 5, "factor: 0.5", "1 to 1000"),
    (TWO + "factors = [1]\n", 5, "factors", "2 numbers"),
    (TWO + "factors = [1, -2]\n", 5, "factors: -2"),
    (TWO + "factor = 2\nfactors = [1, 2]\n", 6, "factors", "one of both"),
    (TWO + "threads = 1.5\n", 5, "threads: 1.5"),
    (TWO + "copies = 0\n", 1, "no program arrives"),
    (TWO + "runs = 0\n", 5, "runs: 0", "stop_after_runs"),
    (TWO + '[[program]]\nname = "a"\nwork = 1\n', 6, "name: 'a'", "no other program"),
    (TWO + "phases = [{ work = 1, fac = 2 }]\n", 5, "phases: unknown key 'fac'"),
    (TWO + "phases = []\n", 5, "phases", "list"),
    (TWO + "[machine]\nllc_kib = -5\n", 6, "[machine]: llc_kib: -5"),
    (TWO + "[[arrivals]]\nrate = 1\n", 5, "seconds", "missing"),
    (TWO + '[[arrivals]]\nrate = 1\nseconds = 1\nprograms = ["b"]\n', 8, "programs: 'b'"),
]


def run(*arguments, cwd=None):
    command = [str(argument) for argument in arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, timeout=900, check=False
    )


class Scenarios(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)

    def scenario(self, text, name="chip.toml"):
        path = self.here / name
        path.write_text(text)
        return path


class Ampsim(Scenarios):
    def test_bad_input_is_named_and_nothing_is_written(self):
        for text, line, *words in BAD:
            with self.subTest(text=text):
                path = self.scenario(text)
                done = run(AMPSIM, "run", path, "--output", self.here / "out")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr.startswith(f"ampsim: {path}:{line}: "), done.stderr)
                for word in [*words, "expected"]:
                    self.assertIn(word, done.stderr)
                self.assertFalse((self.here / "out").exists())

    def test_bad_command_lines(self):
        path = self.scenario(GOOD)
        for arguments in (
            ["run", self.here / "none.toml"],
            ["run", path, "--policy", "none"],
            ["run", path, "--set", "probes"],
            ["run", path, "--set", "probes=x"],
            ["run", path, "--set", "none=1"],
            ["tables", "--only", "Z"],
            ["nothing"],
            [],
        ):
            with self.subTest(arguments=arguments):
                done = run(AMPSIM, *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertNotEqual(done.stderr, "")

    def test_results_are_whole(self):
        done = run(AMPSIM, "run", self.scenario(GOOD), "--output", self.here / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("4 runs", done.stdout)
        names = {path.name for path in (self.here / "out").iterdir()}
        self.assertEqual(names, {"runs.csv", "cores.csv", "speed.csv"})
        with open(self.here / "out/runs.csv", newline="") as file:
            runs = list(csv.DictReader(file))
        with open(self.here / "out/cores.csv", newline="") as file:
            segments = list(csv.DictReader(file))
        self.assertEqual(sorted(row["program"] for row in runs), ["solver"] * 3 + ["team"])
        for arrival in range(4):
            cpu = sum(
                float(row["cpu_s_class0"]) + float(row["cpu_s_class1"])
                for row in runs
                if int(row["arrival"]) == arrival
            )
            drawn = sum(
                (float(row["to_s"]) - float(row["from_s"])) * float(row["share"])
                for row in segments
                if int(row["arrival"]) == arrival
            )
            self.assertAlmostEqual(cpu, drawn, places=6)

    def test_a_seed_repeats(self):
        path = self.scenario(GOOD + "[[arrivals]]\nrate = 3\nseconds = 5\n")
        first, second = (run(AMPSIM, "run", path).stdout for _ in range(2))
        self.assertEqual(first, second)
        other = run(AMPSIM, "run", self.scenario("seed = 2\n" + path.read_text())).stdout
        self.assertNotEqual(first, other)

    def test_policies_are_listed(self):
        done = run(AMPSIM, "policies")
        self.assertEqual(done.returncode, 0)
        for name in ("hass-s", "hass-d", "ipc", "hafs", "sticky", "gts", "best-static"):
            self.assertRegex(done.stdout, rf"(?m)^{name}$")


class Chart(Scenarios):
    def test_charts(self):
        run(AMPSIM, "run", self.scenario(GOOD), "--output", self.here / "out")
        done = run(CHART, self.here / "out")
        if "install python3-matplotlib" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("cores.svg", "speed.svg"):
            self.assertIn("<svg", (self.here / "out" / name).read_text())
        done = run(CHART, self.here / "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected a file of ampsim run --output", done.stderr)


if __name__ == "__main__":
    AMPSIM, CHART = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    done = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result
    for _, reason in done.skipped:
        print(reason)
    sys.exit(77 if done.skipped and done.wasSuccessful() else not done.wasSuccessful())
