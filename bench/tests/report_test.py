# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of bench/report: what is made of the rows of a record."""

import csv
import importlib.util
import lzma
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import BENCH, Scratch, rows

from lab import matrix, record, results, scaling, specs, stats, summary, tables, targets


def runtime(where: specs.MachineSpec) -> str:
    return "virtual" if where.virtual else "ours"


class Statistics(unittest.TestCase):
    def test_intervals(self):
        self.assertEqual(stats.median_interval([3.0, 1.0, 2.0]), (1.0, 3.0))
        self.assertEqual(stats.median_interval([float(i) for i in range(9)]), (1.0, 7.0))
        self.assertGreaterEqual(stats.coverage(9, 2), 0.95)
        self.assertLess(stats.coverage(9, 3), 0.95)


class Reports(Scratch):
    A = ("A", "virtual 4x3+4x1")

    def setUp(self):
        super().setUp()
        best = "dynamic best of 8, 64"
        self.rows = [
            *rows(*self.A, "ep", "static", (2, 4, 3), bound="1"),
            *rows(*self.A, "ep", "dynamic", (1, 2, 2)),
            *rows(*self.A, "ep", best, (4, 4, 4), schedule="dynamic,8"),
            *rows(*self.A, "ep", best, (1.25, 2, 1.5), schedule="dynamic,64"),
            *rows(*self.A, "ep", "aid_hybrid", (1, 2, 1)),
            *rows(*self.A, "is", "static", (1, 1, 1), bound="0.5"),
            *rows(*self.A, "is", "aid_hybrid", (1.1, 1.1, 1.1)),
        ]

    def machine(self) -> results.Results:
        (found,) = results.machines(self.rows)
        return found

    def test_order_of_columns(self):
        labels = [column.label for column in self.machine().columns]
        self.assertEqual(labels, ["static", "dynamic", "dynamic best of 8, 64", "aid_hybrid"])
        for row in self.rows:
            row["matrix"] = "full"
        self.rows += rows(*self.A, "ep", "guided", (1,), matrix="full")
        labels = [column.label for column in self.machine().columns]
        self.assertEqual(labels[2:4], ["dynamic best of 8, 64", "guided"])

    def test_best_of_is_chosen_by_program(self):
        found = self.machine()
        cell = found.cells["ep", results.Column("dynamic best of 8, 64", "virtual")]
        self.assertEqual((cell.schedule, cell.values), ("dynamic,64", [1.25, 2.0, 1.5]))

    def test_speed_is_taken_by_rounds(self):
        found = self.machine()
        column, static = results.Column("aid_hybrid", "virtual"), found.baseline("static")
        self.assertAlmostEqual(found.speed("ep", column, static), 2.0)
        self.assertAlmostEqual(found.share("ep", column), 1.0)
        self.assertAlmostEqual(found.share("is", column), 0.5 / 1.1)
        self.assertIsNone(found.speed("is", results.Column("dynamic", "virtual"), static))

    def test_bound_of_each_core_alone(self):
        steal, alone = ("S", "steal 1x2+1x1"), {"threads": "1"}
        self.rows = [
            *rows(*steal, "ep", "static", (3, 4), pinning="{0},{1}", threads="2", classes="0/1"),
            *rows(*steal, "ep", "fast cores only", (3, 3), pinning="{0}", **alone),
        ]
        self.assertIsNone(self.machine().share("ep", self.machine().base))
        self.rows += rows(*steal, "ep", "slow core only", (6, 3), pinning="{1}", **alone)
        found = self.machine()
        self.assertEqual(found.bounds("ep"), {"1": 2.0, "2": 1.5})
        self.assertAlmostEqual(found.share("ep", found.base), (2 / 3 + 1.5 / 4) / 2)
        # One core stands for its class.
        for row in self.rows:
            row["classes"] = "0,2/1"
        self.assertAlmostEqual(self.machine().bounds("ep")["1"], 1 / (2 / 3 + 1 / 6))

    def test_gains_and_losses(self):
        found = self.machine()
        column = results.Column("aid_hybrid", "virtual")
        over_static, over_dynamic = summary.gains(found)[column]
        self.assertAlmostEqual(over_static.mean, (2 + 1 / 1.1) / 2 - 1)
        self.assertAlmostEqual(over_static.geometric, (2 / 1.1) ** 0.5 - 1)
        self.assertEqual(over_static.least_program, "is")
        self.assertAlmostEqual(over_dynamic.geometric, 0.0)
        (loss,) = summary.losses(found)
        self.assertEqual((loss.program, loss.best_other.label), ("is", "static"))
        self.assertAlmostEqual(loss.behind, 0.1)
        self.assertEqual((loss.least, loss.most), (loss.behind, loss.behind))

    def test_last_rows_of_performance(self):
        self.rows = [
            *rows(*self.A, "ep", "static", (2, 4, 3), bound="1"),
            *rows(*self.A, "ep", "aid_hybrid", (1, 2, 1)),
            *rows(*self.A, "is", "static", (1, 1, 1), bound="0.5"),
            *rows(*self.A, "is", "aid_hybrid", (1.1, 1.1, 1.1)),
            *rows(*self.A, "cg", "static", (1, 1, 1), bound="0.25"),
            *rows(*self.A, "cg", "aid_hybrid", (0.5, 0.5, 0.5)),
        ]
        last = {}
        for line in tables.performance(self.machine()).splitlines():
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            last[name] = cells[-1]
        # Speeds of 2 (100 %) for ep, 1 / 1.1 (0.5 / 1.1) for is and 2 (0.25 / 0.5) for cg.
        self.assertEqual(last["mean"], "1.64 (65 %)")
        self.assertEqual(last["median"], "2.00 (50 %)")
        self.assertEqual(last["least"], "0.91 (45 %)")

    def test_baseline_is_the_stock_runtimes(self):
        self.rows = [
            *rows("m", "as is", "ep", "static", (1,), runtime="llvm"),
            *rows("m", "as is", "ep", "static", (2,), runtime="stock"),
        ]
        self.assertEqual(self.machine().baseline("static").runtime, "stock")

    def test_a_later_library_replaces_the_earlier(self):
        self.rows += rows(*self.A, "is", "aid_hybrid", (0.5,), library_sha256="new")
        cell = self.machine().cells["is", results.Column("aid_hybrid", "virtual")]
        self.assertEqual(cell.values, [0.5])

    def test_speedups_over_one_core(self):
        alone = rows("one", "virtual 1x3+1x1", "ep", "static", (16, 16))
        everything = results.machines(self.rows + alone)
        reference = next(one for one in everything if one.name == "one")
        found = scaling.scaling([one for one in everything if one is not reference], reference)
        self.assertEqual(found.ideal, {"A": 16.0})
        static = results.Column("static", "virtual")
        self.assertAlmostEqual(found.speedups["ep", static, "A"], 16 / 3)

    def written(self) -> Path:
        """The rows in a file."""
        path = self.directory / "in.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, record.COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows)
        return path

    def test_command(self):
        path = self.written()
        out = self.directory / "out"
        subprocess.run([BENCH / "report", path, "--out", out], check=True, capture_output=True)
        text = (out / "report.md").read_text()
        self.assertIn("is: aid_hybrid 10.0 % behind static(BS)", text)
        self.assertIn("2.00 (100 %)", text)
        missing = subprocess.run([BENCH / "report", out / "none.csv"], capture_output=True)
        self.assertEqual(missing.returncode, 2)


class Targets(unittest.TestCase):
    def results(self, *wanted: matrix.Target, title: str = "") -> list[results.Results]:
        found = results.machines(
            [
                *rows("A", "steal 1x2+1x1", "ep", "static", (2, 4, 3), "stock", bound="1.5"),
                *rows("A", "steal 1x2+1x1", "ep", "aid_hybrid", (2, 2, 1.6), "ours"),
                *rows("B", "virtual 1x2+1x1", "ep", "aid_hybrid", (2.1, 2.1, 2.1)),
            ]
        )
        entry = matrix.Matrix("m", 1, 0, "", (), (), (), (), title, targets=wanted)
        for machine in found:
            machine.matrix = entry
        return found

    def reached(self, **wanted) -> list[tuple[str, bool]]:
        found = self.results(matrix.Target(schedules="aid_*", **wanted))
        return [(one.reached, one.met) for each in found for one in targets.reached(each, found)]

    def test_limits(self):
        self.assertEqual(self.reached(share=0.75), [("75.0 %", True)])
        self.assertEqual(self.reached(share=0.76), [("75.0 %", False)])
        self.assertEqual(self.reached(times=0.6, of="static"), [("0.533 x", True)])
        self.assertEqual(self.reached(times=0.5, of="static, stock"), [("0.533 x", False)])
        self.assertEqual(self.reached(times=0, of="static"), [("0.533 x", True)])
        self.assertEqual(self.reached(at_most=2, machines="A"), [("2.0", True)])
        self.assertEqual(self.reached(at_most=2, machines="B"), [("2.1", False)])
        for limit, met in ((0.06, True), (0.04, False)):
            found = self.reached(within=limit, on="A", machines="B")
            self.assertEqual(found, [("1.050 x", met)])

    def test_share(self):
        found = self.results(matrix.Target(share=0.5, schedules="static"))
        (one,) = targets.reached(found[0], found)
        self.assertEqual((one.reached, one.met), ("50.0 %", True))

    def test_table_of_a_figure(self):
        found = self.results(matrix.Target(schedules="aid_*", times=0.5, of="static"), title="T")
        text = tables.machine_section(found[0], {}, found)
        self.assertIn("# m: T", tables.heading(found[:1]))
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
        rows_of = {row[0]: row[1:] for row in cells if row}
        self.assertEqual(rows_of["static(BS), stock"][:3], ["3.000 !", "1.00", "50.0 %"])
        last = ["at most 0.5 x static(BS), stock", "0.533 x", "NO"]
        self.assertEqual(rows_of["aid_hybrid, ours"][3:], last)
        numbers = {46789.2: "46789", 2.5: "2.500", 0.00227: "0.00227"}
        self.assertEqual({one: tables._number(one) for one in numbers}, numbers)
        self.assertIn(
            "Targets:", tables.machine_section(self.results(*found[0].matrix.targets)[0], {})
        )


class ReportsOfTasks(Reports):
    """The same with tasks beside; `lu` has loops and tasks, `fib` tasks only."""

    def setUp(self):
        super().setUp()
        self.loops_only = list(self.rows)
        self.rows += [
            *rows(*self.A, "lu", "static", (4, 4, 4), bound="1"),
            *self.tasks("lu", "fifo", (2.5, 2.5, 2.5), bound="9"),
            *self.tasks("lu", "upstream", (2, 2, 2), bound="9"),
            *self.tasks("fib", "upstream", (4, 4, 4), bound="2"),
            *self.tasks("fib", "fifo", (2, 2, 1), bound="9"),
        ]

    def tasks(self, program: str, mode: str, seconds: tuple[float, ...], **more: str) -> list:
        labels = f"tasks, {mode}", f"tasks:{mode}"
        return rows(*self.A, program, labels[0], seconds, schedule=labels[1], **more)

    def parts(self) -> list[results.Results]:
        return self.machine().parts

    upstream = results.Column("tasks, upstream", "virtual", "upstream")
    fifo = results.Column("tasks, fifo", "virtual", "fifo")

    def test_order_of_columns(self):
        labels = [column.label for column in self.machine().columns]
        loops = ["static", "dynamic", "dynamic best of 8, 64", "aid_hybrid"]
        self.assertEqual(labels, [*loops, "tasks, fifo", "tasks, upstream"])

    def test_loops_are_called_so_beside_tasks(self):
        found = self.machine()
        titles = [found.title(column) for column in (found.columns[0], found.columns[2], self.fifo)]
        expected = ["loops, static(BS)", "loops, dynamic best of 8, 64", "tasks, fifo"]
        self.assertEqual(titles, expected)
        self.rows = self.loops_only
        self.assertEqual(self.machine().title(found.columns[0]), "static(BS)")

    def test_parts_have_their_baselines(self):
        loops, tasks = self.parts()
        self.assertEqual((loops.name, loops.programs), ("A", ["ep", "is", "lu"]))
        self.assertEqual((tasks.name, tasks.programs), ("A, tasks only", ["fib"]))
        self.assertEqual((loops.base.label, tasks.base), ("static", self.upstream))
        self.assertAlmostEqual(loops.speed("lu", self.fifo, loops.base), 1.6)
        self.assertEqual(loops.speeds(self.fifo, loops.base).keys(), {"lu"})
        self.assertAlmostEqual(tasks.speed("fib", self.fifo, tasks.base), 2.0)
        # Of the loops, and where there are none of upstream's tasks.
        self.assertAlmostEqual(loops.share("lu", self.fifo), 0.4)
        self.assertAlmostEqual(tasks.share("fib", self.fifo), 1.0)
        self.rows = self.loops_only
        (alone,) = self.parts()
        self.assertEqual(alone.name, "A")

    def test_a_program_whose_loops_failed_has_loops(self):
        failed = {"status": record.FAILED, "seconds": "", "value": "", "error": "wrong"}
        self.rows += [row | failed for row in rows(*self.A, "fib", "static", (0,))]
        (found,) = self.parts()
        self.assertIn("fib", found.programs)

    def test_gains_and_losses_of_tasks(self):
        loops, tasks = self.parts()
        found = summary.gains(loops, tasks=True)
        over_static, over_upstream = found[self.fifo]
        self.assertAlmostEqual(over_static.mean, 0.6)
        self.assertAlmostEqual(over_upstream.mean, -0.2)
        self.assertIsNone(found[self.upstream][1])
        self.assertEqual(summary.gains(tasks, tasks=True).keys(), {self.fifo})
        (loss,) = summary.losses(loops, tasks=True)
        self.assertEqual((loss.program, loss.best_other), ("lu", self.upstream))
        self.assertAlmostEqual(loss.behind, 0.25)
        self.assertEqual(summary.losses(tasks, tasks=True), [])
        for mode, seconds in (("upstream", 1), ("fifo", 2)):
            self.rows += self.tasks("sort", mode, (seconds,))
        (loss,) = summary.losses(self.parts()[1], tasks=True)
        self.assertEqual((loss.program, loss.behind), ("sort", 1))

    def test_an_aid_schedule_may_be_behind_tasks(self):
        self.rows += self.tasks("is", "fifo", (0.5, 0.5, 0.5))
        (loss,) = summary.losses(self.parts()[0])
        self.assertEqual((loss.program, loss.best_other), ("is", self.fifo))

    def test_section(self):
        text = tables.machine_section(self.machine(), {"A, tasks only": "tasks.svg"})
        for wanted in (
            "Performance relative to loops, static(BS), more being better",
            "Tasks too are compared with loops, static(BS) of the same program, and",
            "tasks only, by themselves. Performance relative to tasks, upstream, more being",
            "![Performance relative to tasks, upstream on A, tasks only](tasks.svg)",
            "over loops, static(BS): mean",
            "over tasks, upstream: mean",
            "- lu: tasks, fifo 25.0 % behind tasks, upstream",
            "No program's fifo mode of tasks is more than 2 % behind",
            "1.60 (40 %)",
            "2.00 (100 %)",
        ):
            with self.subTest(wanted):
                self.assertIn(wanted, text)
        # Where there are no loops, nothing is said to be over them.
        self.assertRegex(text, r"schedule +\| over tasks.*\n.*\n\| tasks, fifo \| \+100.0 % ")
        self.rows = self.tasks("fib", "fifo", (1,))
        text = tables.machine_section(self.machine(), {})
        self.assertIn("There is no `tasks, upstream`", text)

    def test_speedups_over_one_core(self):
        one = ("one", "virtual 1x3+1x1")
        alone = rows(*one, "lu", "static", (16,))
        upstream = {"schedule": "tasks:upstream"}
        for program, seconds in (("lu", 99), ("fib", 8)):
            alone += rows(*one, program, "tasks, upstream", (seconds,), **upstream)
        machine, reference = results.machines(self.rows + alone)
        found = scaling.scaling([machine], reference)
        self.assertAlmostEqual(found.speedups["lu", self.fifo, "A"], 16 / 2.5)
        self.assertAlmostEqual(found.speedups["fib", self.fifo, "A"], 8 / 2)
        text = tables.scaling_section(found, "one", None)
        self.assertIn("| loops, static | loops, dynamic", text)
        self.assertIn("| tasks, fifo | tasks, upstream |", text)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_a_chart_of_each_part(self):
        out = self.directory / "out"
        command = [sys.executable, BENCH / "report", self.written(), "--out", out]
        subprocess.run(command, check=True, capture_output=True)
        charts = {path.name for path in out.glob("*.svg")}
        self.assertEqual(charts, {"a.svg", "a-tasks-only.svg"})
        self.assertIn("(a-tasks-only.svg)", (out / "report.md").read_text())

    def test_runs_are_beside_the_report(self):
        out, written = self.directory / "out", self.written()
        subprocess.run([BENCH / "report", written, "--out", out], check=True, capture_output=True)
        runs = out / "runs.csv.xz"
        self.assertEqual(record.read(runs), record.read(written))
        first = runs.read_bytes()
        again = subprocess.run([BENCH / "report", runs], capture_output=True, text=True)
        text = subprocess.run([BENCH / "report", written], capture_output=True, text=True)
        self.assertEqual(again.stdout, text.stdout)
        record.compress(record.read(runs), runs)
        self.assertEqual(runs.read_bytes(), first)

    def test_all_that_was_measured_as_a_whole(self):
        build, out = self.directory / "build", self.directory / "results"
        self.file("build/bench/npb/ep", "").chmod(0o755)
        old = self.file("results/full/report.md", "of another library")
        by_hand = self.file("results/virtual-real/by-hand.md", "not by this command")
        (build / "lab").mkdir()
        shutil.copy(self.written(), build / "lab" / "full.csv")
        shutil.copy(self.written(), build / "lab" / "quick.csv")
        one = matrix.read(matrix.DIRECTORY / "virtual-real.toml")
        made_up = {"library": "libgomp-amp 1.2.3, commit abc"}
        made_up |= {"matrix": one.name, "arguments": "A"}
        self.rows = [
            row
            for where in one.machines
            for how in one.schedules
            for row in rows(
                where.name,
                where.text,
                "npb/ep",
                how.label,
                (2,) * one.rounds_on(where),
                runtime=runtime(where),
                **made_up,
            )
        ]
        shutil.copy(self.written(), build / "lab" / "virtual-real.csv")
        command = [BENCH / "report", "--all", "--build", build, "--results", out]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertRegex(done.stderr, r"full: left as it is, as \d+ runs are to be measured yet")
        self.assertEqual(old.read_text(), "of another library")
        self.assertEqual(by_hand.read_text(), "not by this command")
        found = {path.parent.name for path in out.glob("*/report.md")}
        self.assertEqual(found, {"full", "virtual-real"})
        text = (out / "virtual-real/report.md").read_text()
        self.assertTrue(text.startswith(f"# virtual-real: {one.title}\n\nThe same in real time"))
        self.assertIn("`bench/run virtual-real`, with libgomp-amp 1.2.3, commit abc;", text)
        with lzma.open(out / "virtual-real/runs.csv.xz", "rt") as runs:
            self.assertEqual(next(runs), "# libgomp-amp 1.2.3, commit abc\n")
        # As there are no longer all of them.
        self.rows.pop()
        shutil.copy(self.written(), build / "lab" / "virtual-real.csv")
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertIn("virtual-real: left as it is, as 1 runs are to be measured", done.stderr)

    def test_command(self):
        text = subprocess.run([BENCH / "report", self.written()], capture_output=True, text=True)
        self.assertIn("is: loops, aid_hybrid 10.0 % behind loops, static(BS)", text.stdout)


if __name__ == "__main__":
    unittest.main()
