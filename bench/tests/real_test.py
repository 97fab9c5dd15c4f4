# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of bench/real: its table of programs, its inputs, what it compares, and its tables."""

import ast
import csv
import os
import re
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from lab import runs  # noqa: E402
from realprograms import inputs, machine, packages, runner, tables  # noqa: E402
from realprograms.programs import PROGRAMS, STDOUT, Output, Program  # noqa: E402

DRIVERS = Path(runner.__file__).resolve().parent
HERE = machine.Machine(((0, 2), (5,)), "one slow core", "0=1024,2=1024,5=400")


class Table(unittest.TestCase):
    def test_names(self):
        names = [program.name for program in PROGRAMS]
        self.assertEqual(len(names), len(set(names)))

    def test_every_program_comes_from_somewhere(self):
        for program in PROGRAMS:
            with self.subTest(program.name):
                self.assertTrue(program.packages or program.wheels)
                for release in program.wheels:
                    self.assertRegex(release, r"^[\w-]+==[\d.]+$")

    def test_enough_of_each_kind(self):
        self.assertGreaterEqual(sum(bool(program.packages) for program in PROGRAMS), 10)
        self.assertGreaterEqual(len({one for each in PROGRAMS for one in each.wheels[1:]}), 5)

    def test_inputs(self):
        for program in PROGRAMS:
            with self.subTest(program.name):
                self.assertLessEqual(set(program.inputs), inputs.MAKERS.keys())
                words = " ".join(program.command)
                for name in re.findall(r"\{inputs\}/([\w.-]+)", words):
                    self.assertIn(name, program.inputs)

    def test_drivers(self):
        tree = ast.parse((DRIVERS / "drivers" / "wheel.py").read_text())
        functions = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
        for program in PROGRAMS:
            with self.subTest(program.name):
                first = program.command[0]
                if first.endswith((".c", ".py")):
                    self.assertTrue((DRIVERS / first).is_file())
                if first.endswith(".py"):
                    self.assertIn(program.command[1], functions)
                self.assertEqual(bool(program.links), first.endswith(".c"))


class Inputs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def test_the_same_each_time(self):
        def made(name: str, maker) -> bytes:
            maker(self.directory / name)
            return (self.directory / name).read_bytes()

        for maker in (
            lambda path: inputs.image(path, 40, 30),
            lambda path: inputs.family(path, 9, 50, inputs.BASES, 0.1, 0.02, 2),
            lambda path: inputs.water(path, 2),
            lambda path: inputs.noise(path, 1000),
        ):
            self.assertEqual(made("one", maker), made("two", maker))

    def test_image(self):
        inputs.image(self.directory / "image", 40, 30)
        head = b"P6\n40 30\n255\n"
        found = (self.directory / "image").read_bytes()
        self.assertEqual(found[: len(head)], head)
        self.assertEqual(len(found), len(head) + 3 * 40 * 30)
        self.assertGreater(len(set(found)), 50)

    def test_family_without_gaps_is_aligned(self):
        inputs.family(self.directory / "family", 7, 60, inputs.BASES, 0.2)
        lines = (self.directory / "family").read_text().splitlines()
        self.assertEqual(lines[::2], [f">s{number}" for number in range(7)])
        self.assertEqual({len(line) for line in lines[1::2]}, {60})
        self.assertEqual(len(set(lines[1::2])), 7)

    def test_half_a_file_is_no_input(self):
        def broken(path: Path) -> None:
            path.write_text("half")
            raise KeyboardInterrupt

        with unittest.mock.patch.dict(inputs.MAKERS, {"words": broken}):
            with self.assertRaises(KeyboardInterrupt):
                inputs.make(self.directory, "words")
        self.assertGreater(inputs.make(self.directory, "words").stat().st_size, 1000)


class Packages(unittest.TestCase):
    def test_lacking(self):
        printed = (
            "Reading package lists...\n"
            "Inst liblqr-1-0 (0.4.2-2.1 Debian:12/stable [amd64])\n"
            "Inst gmic (2.9.4-4 Debian:12/stable [amd64])\n"
            "Conf gmic (2.9.4-4 Debian:12/stable [amd64])\n"
        )
        self.assertEqual(packages.lacking(printed), ["liblqr-1-0", "gmic"])

    def test_a_program_of_the_system(self):
        with tempfile.TemporaryDirectory() as scratch:
            debian = packages.Debian(Path(scratch))
            self.assertTrue(os.access(debian.program("sh"), os.X_OK))
            own = debian.root / "usr" / "bin" / "sh"
            own.parent.mkdir(parents=True)
            own.touch()
            self.assertEqual(debian.program("sh"), own)
            with self.assertRaises(runs.RunError):
                debian.program("no such program")


class Compared(unittest.TestCase):
    def test_exactly(self):
        self.assertTrue(runner.same("a 1.0", "a 1.0", Output(STDOUT)))
        self.assertFalse(runner.same("a 1.0", "a 1.00", Output(STDOUT)))

    def test_levels(self):
        dithered = Output("image", levels=1)
        self.assertTrue(runner.same("abc", "bac", dithered))
        self.assertFalse(runner.same("abc", "abe", dithered))
        self.assertFalse(runner.same("abc", "ab", dithered))

    def test_numbers(self):
        output = Output(STDOUT, within=1e-6)
        self.assertTrue(runner.same("a 100.0 -2e-9", "a 100.00009 2e-9", output))
        self.assertFalse(runner.same("a 100.0", "a 100.1", output))
        self.assertFalse(runner.same("a 100.0", "b 100.0", output))
        self.assertFalse(runner.same("1 2", "1 2 3", output))
        self.assertFalse(runner.same("nan 1", "2 1", output))

    def test_normalised(self):
        output = Output(STDOUT, without="^seconds", order=False)
        self.assertEqual(runner.normalised("b\nseconds: 3\na\n", output), "a\nb")
        # Bytes of an image that a text would have as ends of lines.
        self.assertEqual(runner.normalised("b\x85\n\ra\n", Output(STDOUT)), "b\x85\n\ra\n")

    def test_fold_counts(self):
        report = (
            '{"pid":1,"folded":[{"ids":3,"moves":2,"workers":['
            '{"cpu":0,"ids":2,"switches":9,"early":1},{"cpu":1,"ids":1,"switches":4,"early":0}]}]}\n'
            '{"pid":2,"folded":[{"ids":3,"moves":1,"workers":['
            '{"cpu":0,"ids":3,"switches":5,"early":0}]}]}\n'
        )
        self.assertEqual(runner.fold_counts(report), {"switches": 18, "early": 1, "moves": 3})


class Execution(unittest.TestCase):
    """Runs of shell scripts in place of programs, and of a script in place of amp-run."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.build = Path(scratch.name)
        (self.build / "bin").mkdir()
        amp_run = self.build / "bin" / "amp-run"
        amp_run.write_text('#!/bin/sh\nshift 2\nexec env BY=amp-run "$@"\n')
        amp_run.chmod(0o755)
        self.notes = []
        self.runner = runner.Runner(self.build, self.notes.append, 0)
        cpus = machine.own_cpus()
        self.place = runner.Place(machine.Machine((cpus[:1], cpus[1:]), "test"), 7)

    def program(self, script: str, **others) -> Program:
        return Program("test", "", ("sh", "-c", script), Output(STDOUT), **others)

    def test_environment(self):
        names = ("GOMP_AMP_FOLD", "GOMP_AMP_FOLD_CALLS", "OMP_PROC_BIND", "BY")
        script = "echo $OMP_NUM_THREADS {threads} " + " ".join(f"${name}" for name in names)
        count = len(machine.own_cpus())
        for setting, printed in (
            (runner.STATIC, f"{count} {count}"),
            (runner.FAST_ONLY, "1 1"),
            (runner.BOUND, f"{count} {count} close"),
            (runner.TURNS, f"{count} 7 auto off amp-run"),
            (runner.CALLS, f"{count} 7 auto all amp-run"),
        ):
            program = self.program(script, calls="all")
            result = self.runner.execute(program, setting, self.place)
            self.assertEqual(result.output.split(), printed.split(), setting.name)

    def test_tuned(self):
        amp_run = self.build / "bin" / "amp-run"
        # A program in the place of amp-run that remembers, and then runs in the way it remembers.
        amp_run.write_text(
            "#!/bin/sh\n"
            "entries=$XDG_CONFIG_HOME/libgomp-amp/programs.toml\n"
            'test "$1" = --tune || { shift; exec env WAY="$(grep way $entries)" "$@"; }\n'
            "mkdir -p $XDG_CONFIG_HOME/libgomp-amp\n"
            "printf \"[[program]]\\nway = 'turns'\\n\" > $entries\n"
        )
        program = self.program('echo "$WAY"')
        settings = (runner.STATIC, runner.TUNED)
        rows = list(runner.measure(self.runner, (program,), self.place, 2, settings))
        tuned = [row for row in rows if row[2] == "tuned"]
        self.assertEqual({row[-1] for row in tuned}, {"turns"}, self.notes)
        # It prints something else than static: the way.
        self.assertEqual({row[5] for row in tuned}, {0})

    def test_a_program_that_wants_no_more_threads_than_cpus(self):
        program = self.program("echo {threads}", few_threads=True)
        result = self.runner.execute(program, runner.CALLS, self.place)
        self.assertEqual(int(result.output), len(machine.own_cpus()))

    def test_files_and_clock(self):
        output = Output("out")
        program = Program("test", "", ("sh", "-c", "echo seconds: 9; echo 5 >out"), output)
        result = self.runner.execute(program, runner.STATIC, self.place)
        self.assertEqual(result.output, "5\n")
        self.assertLess(result.seconds, 9)
        program = self.program("echo seconds: 9", own_clock=True)
        self.assertEqual(self.runner.execute(program, runner.STATIC, self.place).seconds, 9)

    def test_refused(self):
        for script, message in (("exit 3", "status 3"), ("kill -11 $$", "status -11")):
            with self.assertRaisesRegex(runs.RunError, message):
                self.runner.execute(self.program(script), runner.STATIC, self.place)
        with self.assertRaisesRegex(runs.RunError, "made no out"):
            program = Program("test", "", ("true",), Output("out"))
            self.runner.execute(program, runner.STATIC, self.place)
        with unittest.mock.patch.object(runner, "TIMEOUT_SECONDS", 0.2):
            with self.assertRaisesRegex(runs.RunError, "did not end"):
                self.runner.execute(self.program("sleep 60"), runner.STATIC, self.place)

    def test_another_output_and_a_failure_are_seen(self):
        script = 'test "$GOMP_AMP_FOLD_CALLS" = off && exit 1; echo "$BY"'
        rows = list(runner.measure(self.runner, (self.program(script),), self.place, 2))
        found = {(row[2], row[3]): row for row in rows}
        self.assertEqual(found[runner.STATIC.name, 2][5], 1)
        self.assertEqual(found[runner.CALLS.name, 2][5], 0)
        self.assertIn("FAILED", found[runner.TURNS.name, 0][4])
        self.assertNotIn((runner.TURNS.name, 1), found)


class Tables(unittest.TestCase):
    def report(self, rows: list[tuple]) -> str:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "runs.csv"
            with path.open("w", newline="") as file:
                csv.writer(file).writerows([runner.HEADER, *rows])
            return tables.report(path)

    def rows(self, setting: str, seconds: tuple[float, ...], same=1) -> list[tuple]:
        """Of a round that does not count, and of these that do."""
        return [
            ("here", "app", setting, number, second, same, 1, 10 * number, 0, 0, "", "lib 1")
            for number, second in enumerate((99.0, *seconds))
        ]

    def test_ratios_are_taken_by_rounds(self):
        text = self.report(
            [
                *self.rows("static", (1, 2, 3)),
                *self.rows("fast cores only", (2, 3, 2)),
                *self.rows("static, bound", (1, 2, 3)),
                *self.rows("turns", (0.5, 1, 1.5), same=0),
                *self.rows("calls", (1, 1, 1)),
            ]
        )
        cells = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| app")]
        self.assertEqual(
            [cell.strip() for cell in cells[0]],
            ["app", "2.00", "1.00", "0.67 !", "2.00", "2.00 !", "NO: turns", "20", "0"],
        )
        self.assertIn("Library: lib 1.", text)

    def test_runs_beside_other_programs(self):
        """They are left out, unless a setting has no others."""

        def disturbed(row: tuple) -> tuple:
            return (*row[:10], "other programs ran for 900 ms and more", row[11])

        static = self.rows("static", (9, 2, 2, 2))
        calls = self.rows("calls", (1, 1, 9, 1))
        static[1], calls[3] = disturbed(static[1]), disturbed(calls[3])
        turns = [disturbed(row) for row in self.rows("turns", (4, 4, 4, 4))]
        text = self.report([*static, *calls, *turns])
        cells = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| app")]
        self.assertEqual(
            [cell.strip() for cell in cells[0]],
            ["app", "2.00", "failed", "failed", "0.50", "2.00", "yes", "20", "0"],
        )
        self.assertIn("2 runs beside other programs are left out.", " ".join(text.split()))

    def test_tuned_beside_the_best_of_others(self):
        rows = self.rows("static", (2, 2)) + self.rows("calls", (1, 1))
        rows += self.rows("fast cores only", (1.25, 1.25))
        rows += [(*row, "turns") for row in self.rows("tuned", (1.6, 1.6))]
        lines = [
            line.split("|")[1:-1] for line in self.report(rows).splitlines() if "turns" in line
        ]
        cells = [cell.strip() for cell in lines[-1]]
        self.assertEqual(cells, ["app", "turns", "1.25", "1.60", "22 %", "2.00"])

    def test_groups_are_sorted_by_what_calls_gain(self):
        rows = []
        for name, seconds in (("FFTW", 1.0), ("xtb", 0.5), ("john", 0.5), ("CDO", 2.0)):
            for setting in runner.SETTINGS:
                value = 2.0 if setting is runner.STATIC else seconds
                found = self.rows(setting.name, (value, value))
                rows += [(row[0], name, *row[2:]) for row in found]
        lines = [line.split("|")[1:-1] for line in self.report(rows).splitlines() if "|" in line]
        cells = [[cell.strip() for cell in line] for line in lines]
        self.assertEqual(
            [(row[0], row[5]) for row in cells[2:]],
            [
                ("john", "4.00"),
                ("FFTW", "2.00"),
                ("**static loops**", "2.83"),
                ("xtb", "4.00"),
                ("**regions of microseconds**", "4.00"),
                ("CDO", "1.00"),
                ("**shared by speed already**", "1.00"),
                ("**all**", "2.38"),
            ],
        )

    def test_failures(self):
        failed = ("here", "app", "turns", 0, "FAILED: it hung", *[""] * 7)
        text = self.report([*self.rows("static", (1, 2)), failed])
        self.assertIn("| failed ", text)
        self.assertIn("- app, turns: FAILED: it hung", text)


if __name__ == "__main__":
    unittest.main()
