# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of programs that others have compiled: the table of them, their inputs, what is compared of
them, and their tables."""

import ast
import os
import re
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from support import Scratch, rows

from lab import (
    campaign,
    foreign,
    inputs,
    machines,
    matrix,
    packages,
    record,
    results,
    runs,
    runtimes,
    specs,
    tables,
)
from lab.foreign import STDOUT, Output, Package

PROGRAMS = foreign.table()


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
                for name in re.findall(r"\{inputs\}/([\w.-]+)", program.command):
                    self.assertIn(name, program.inputs)

    def test_drivers(self):
        tree = ast.parse((foreign.DRIVERS / "wheel.py").read_text())
        functions = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
        for program in PROGRAMS:
            with self.subTest(program.name):
                first, *words = program.command.split()
                if first.endswith((".c", ".py")):
                    self.assertTrue((foreign.DRIVERS / first).is_file())
                if first.endswith(".py"):
                    self.assertIn(words[0], functions)
                self.assertEqual(bool(program.links), first.endswith(".c"))


class Inputs(Scratch):
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
        self.assertTrue(Output(STDOUT).same("a 1.0", "a 1.0"))
        self.assertFalse(Output(STDOUT).same("a 1.0", "a 1.00"))

    def test_levels(self):
        dithered = Output("image", levels=1)
        self.assertTrue(dithered.same("abc", "bac"))
        self.assertFalse(dithered.same("abc", "abe"))
        self.assertFalse(dithered.same("abc", "ab"))

    def test_numbers(self):
        output = Output(STDOUT, within=1e-6)
        self.assertTrue(output.same("a 100.0 -2e-9", "a 100.00009 2e-9"))
        self.assertFalse(output.same("a 100.0", "a 100.1"))
        self.assertFalse(output.same("a 100.0", "b 100.0"))
        self.assertFalse(output.same("1 2", "1 2 3"))
        self.assertFalse(output.same("nan 1", "2 1"))

    def test_normalised(self):
        output = Output(STDOUT, without="^seconds", order=False)
        self.assertEqual(output.normalised("b\nseconds: 3\na\n"), "a\nb")
        # Bytes of an image that a text would have as ends of lines.
        self.assertEqual(Output(STDOUT).normalised("b\x85\n\ra\n"), "b\x85\n\ra\n")

    def test_fold_counts(self):
        report = (
            '{"pid":1,"folded":[{"ids":3,"moves":2,"workers":['
            '{"cpu":0,"ids":2,"switches":9,"early":1},{"cpu":1,"ids":1,"switches":4,"early":0}]}]}\n'
            '{"pid":2,"folded":[{"ids":3,"moves":1,"workers":['
            '{"cpu":0,"ids":3,"switches":5,"early":0}]}]}\n'
        )
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "folds"
            self.assertEqual(foreign.fold_counts(path)["folded"], 0)
            path.write_text(report)
            found = foreign.fold_counts(path)
        self.assertEqual(found, {"folded": 1, "switches": 18, "early": 1, "moves": 3})


SCHEDULES = matrix.read(matrix.DIRECTORY / "real.toml").schedules


class Execution(Scratch):
    """Runs of shell scripts in place of programs, and of a script in place of amp-run."""

    def setUp(self):
        super().setUp()
        self.script("bench/uniform", "echo \"LIBGOMP_AMP_FOLD = '7 threads on 2 workers'\" >&2")
        by = "test $1 = -- || { export BY=amp-run; shift; }"
        self.script("bin/amp-run", f'{by}; shift; exec "$@"')
        self.csv = self.directory / "out.csv"

    def measure(
        self, script: str, rounds: int = 1, compared: Output = Output(), **more
    ) -> dict[str, list[record.Row]]:
        """The rows of a program that is a shell script, by label."""
        path = self.script("program", script)
        package = Package("app", "", f"{path} {{threads}}", compared, **more)
        clock = foreign.OWN_CLOCK if package.own_clock else ""
        app = matrix.Program("app", seconds=clock, package=package)
        where, names = specs.machine("told 1x2+1x1"), ("stock", "ours")
        found = matrix.Matrix("t", rounds, 0, "", (app,), names, SCHEDULES, (where,))
        library = self.directory / "libgomp.so.1"
        library.touch()
        scratch = Path(tempfile.mkdtemp(dir=self.directory))
        served = {name: runtimes.linked(name, library, scratch) for name in names}
        notes = [].append
        campaign.Campaign(
            found, matrix.Sizes({}), [], self.directory, served, self.csv, scratch, notes
        ).measure()
        rows: dict[str, list[record.Row]] = {}
        for row in record.read(self.csv):
            rows.setdefault(row["label"], []).append(row)
        return rows

    def printed(self, words: str, **more) -> dict[str, str]:
        """What a program prints by label, which its clock takes for seconds."""
        log = self.directory / "log"
        log.unlink(missing_ok=True)
        self.measure(f'echo "$OMP_NUM_THREADS $1 {words}" >>{log}', **more)
        return dict(zip((one.label for one in SCHEDULES), log.read_text().splitlines()))

    @unittest.skipIf(len(machines.own_cpus()) < 2, "there is only one CPU")
    def test_environment(self):
        names = ("GOMP_AMP_FOLD", "OMP_PROC_BIND", "OMP_SCHEDULE", "BY")
        found = self.printed(" ".join(f"${name}" for name in names))
        expected = {
            "static": "2 2",
            "static, bound": "2 2 close",
            "fast cores only": "1 1",
            "folded": "2 7 auto amp-run",
        }
        self.assertEqual({name: " ".join(one.split()) for name, one in found.items()}, expected)

    @unittest.skipIf(len(machines.own_cpus()) < 2, "there is only one CPU")
    def test_a_program_that_wants_no_more_threads_than_cpus(self):
        self.assertEqual(self.printed("", few_threads=True)["folded"].split(), ["2", "2"])

    @unittest.skipIf(len(machines.own_cpus()) < 2, "there is only one CPU")
    def test_another_output_and_a_failure_are_seen(self):
        script = 'test "$OMP_PROC_BIND" = close && exit 1; echo "$BY"'
        rows = self.measure(script, rounds=2)
        same = {label: {row["fields"][:6] for row in found} for label, found in rows.items()}
        self.assertEqual((same["static"], same["folded"]), ({"same=1"}, {"same=0"}))
        self.assertEqual([row["status"] for row in rows["static, bound"]], [record.FAILED])
        self.assertIn("status 1", rows["static, bound"][0]["error"])
        # What is measured later is compared with a run of the first way.
        text = self.csv.read_text().splitlines(keepends=True)
        self.csv.write_text("".join(line for line in text if ",folded," not in line))
        rows = self.measure(script, rounds=2)
        self.assertEqual({row["fields"][:6] for row in rows["folded"]}, {"same=0"})

    @unittest.skipIf(len(machines.own_cpus()) < 2, "there is only one CPU")
    def test_files_and_clock(self):
        rows = self.measure("echo seconds: 9; echo $GOMP_AMP_FOLD >out", compared=Output("out"))
        self.assertLess(float(rows["static"][0]["value"]), 9)
        self.assertIn("same=0", rows["folded"][0]["fields"])
        self.csv.unlink()
        self.assertEqual(
            self.measure("echo seconds: 9", own_clock=True)["folded"][0]["value"], "9.0"
        )
        self.csv.unlink()
        failed = self.measure("true", compared=Output("out"))["static"][0]
        self.assertIn("made no out", failed["error"])


class Tables(unittest.TestCase):
    def rows(self, label: str, seconds: tuple[float, ...], same=1, program="app") -> list:
        found = rows("here", "", program, label, seconds, "stock", "static", matrix="real")
        for number, row in enumerate(found, 1):
            row["fields"] = f"same={same} switches={10 * number} early=0"
        return found

    def cells(self, rows: list) -> list[list[str]]:
        """Of all lines of the tables."""
        (machine,) = results.machines(rows)
        lines = tables.machine_section(machine, {}).splitlines()
        return [[one.strip() for one in line.split("|")[1:-1]] for line in lines if "|" in line]

    def test_ratios_are_taken_by_rounds(self):
        cells = self.cells(
            [
                *self.rows("static", (1, 2, 3)),
                *self.rows("fast cores only", (2, 3, 2)),
                *self.rows("static, bound", (1, 2, 3)),
                *self.rows("folded", (0.5, 1, 1.5), same=0),
            ]
        )
        expected = ["app", "2.00", "1.00", "0.67 !", "2.00", "NO: folded", "20", "0"]
        self.assertIn(expected, cells)

    def test_groups_are_sorted_by_what_folding_gains(self):
        rows = []
        for name, seconds in (("FFTW", 1.0), ("xtb", 0.5), ("john", 0.5), ("CDO", 2.0)):
            for label in ("static", "folded"):
                value = 2.0 if label == "static" else seconds
                rows += self.rows(label, (value, value), program=name)
        self.assertEqual(
            [(row[0], row[2]) for row in self.cells(rows)[2:]],
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
        failed = self.rows("folded", (1,))[0] | {"status": record.FAILED, "error": "it hung"}
        (machine,) = results.machines([*self.rows("static", (1, 2)), failed])
        text = tables.machine_section(machine, {})
        self.assertIn("| failed ", text)
        self.assertIn("it hung", text)


if __name__ == "__main__":
    unittest.main()
