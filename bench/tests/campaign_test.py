# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of bench/run: campaigns on made-up programs."""

import itertools
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import BENCH, Scratch

from lab import campaign, machines, matrix, record, results, runner, runtimes, specs, tables
from lab.machines import own_cpus
from lab.runs import RunError


class Libraries(Scratch):
    def test_a_library_is_called_by_its_version(self):
        intel = self.file("libiomp5.so", "\0@(#) Intel(R) OMP version: 5.0.20260828\0")
        llvm = Path("/usr/lib/llvm-14/lib/libomp.so.5")
        self.assertEqual(runtimes.version("intel", intel), "Intel OpenMP 5.0.20260828")
        self.assertEqual(runtimes.version("llvm", llvm), "LLVM 14")
        self.assertRegex(runtimes.version("stock", self.directory), r"^GCC [\d.]+$")
        self.assertRegex(runtimes.version("virtual", self.directory), r"^libgomp-amp [\d.]+")


PROGRAM = """#!/bin/sh
echo "$* $OMP_SCHEDULE ${{GOMP_TASK_SCHEDULE-none}}" >> {log}
if [ "$OMP_SCHEDULE" = "{bad}" ]; then good=0; else good=1; fi
echo "result: seconds=0.5 verified=$good threads=$OMP_NUM_THREADS amp=100 runtime={library}"
test $good = 1
"""


class Campaigns(Scratch):
    def setUp(self):
        super().setUp()
        self.library = self.file("lib/libgomp.so.1", "made up").resolve()
        self.csv = self.directory / "out.csv"
        self.log = self.directory / "log"
        self.program("")
        self.file("bench/uniform", "#!/bin/sh\n").chmod(0o755)

    def program(self, bad: str, first: str = "") -> None:
        text = PROGRAM.format(log=self.log, bad=bad, library=self.library)
        text = text.replace("\n", f"\n{first}", 1)
        self.file("bench/app", text).chmod(0o755)

    SCHEDULES = tuple(map(specs.schedule, ("static", "dynamic best of 8, 64", "static_steal")))
    LOOPS, BOTH, TASKS = {}, {"with_both": ("app",)}, {"with_tasks": ("app",)}

    def measure(
        self,
        rounds: int = 2,
        schedules: tuple[specs.ScheduleSpec, ...] = SCHEDULES,
        versions: dict[str, tuple[str, ...]] = LOOPS,
        program: matrix.Program = matrix.Program("app", ("--size=1",)),
        where: tuple[specs.MachineSpec, ...] = (specs.machine("as is"),),
        until: float = float("inf"),
    ) -> campaign.Outcome:
        self.log.write_text("")
        found = matrix.Matrix(
            "test",
            rounds,
            1,
            "s",
            (program,),
            ("ours", "llvm"),
            schedules,
            where,
        )
        scratch = Path(tempfile.mkdtemp(dir=self.directory))
        ours = runtimes.linked("ours", self.library, scratch)
        sizes = matrix.Sizes({}, **versions)
        self.notes = []
        one = campaign.Campaign(
            found,
            sizes,
            ["app"],
            self.directory,
            {"ours": ours, "virtual": ours},
            self.csv,
            scratch,
            self.notes.append,
            until=until,
        )
        return one.measure()

    def test_the_time_is_up(self):
        with self.assertRaises(campaign.TimeUp):
            self.measure(until=0)
        self.assertEqual(self.runs(), 0)

    def command(self, text: str, **more: str) -> matrix.Program:
        path = self.script("command", text)
        return matrix.Program("any", (), (str(path), "{threads}"), **more)

    def test_any_command(self):
        plain = specs.schedule({"is": "static", "runtimes": ["ours"]})
        self.script("bin/amp-run", 'shift\nBY=amp-run exec "$@"')
        threads = len(own_cpus())
        for text, more, seconds in (
            ('test $BY && echo "result: seconds=$1.5 verified=1 runtime="', {}, f"{threads}.5"),
            ("echo took 0.25 s", {"seconds": r"took ([\d.]+) s"}, "0.25"),
            ("echo 4K a second", {"rate": r"^(\d+K?) a second"}, "0.00025"),
        ):
            with self.subTest(text):
                self.csv.unlink(missing_ok=True)
                outcome = self.measure(1, (plain,), program=self.command(text, **more))
                self.assertEqual(outcome.failures, [])
                (row,) = record.read(self.csv)
                self.assertEqual((row["value"], row["program"]), (seconds, "any"))
        self.csv.unlink()
        self.assertEqual(self.measure(1, (plain,), program=self.command("true")).failures, [])
        self.assertLess(float(record.read(self.csv)[0]["seconds"]), 60)
        for text, more, message in (
            ("echo 'result: seconds=1 verified=0 runtime='", {}, "its verification failed"),
            ("echo 1 1", {"seconds": r"(\d)"}, "found 2 times"),
            ("exit 3", {}, "status 3"),
        ):
            with self.subTest(text):
                self.csv.unlink(missing_ok=True)
                (failure,) = self.measure(1, (plain,), program=self.command(text, **more)).failures
                self.assertIn(message, failure)

    def test_one_thread_on_a_core(self):
        alone = specs.schedule({"is": "static", "label": "alone", "alone": 0})
        self.assertEqual(self.measure(1, (alone,)).failures, [])
        (row,) = record.read(self.csv)
        first = own_cpus()[0]
        self.assertEqual((row["threads"], row["pinning"]), ("1", f"{{{first}}}"))
        self.assertEqual(row["classes"], ",".join(map(str, own_cpus())))
        slow = specs.schedule({"is": "static", "label": "slow", "alone": 1})
        self.assertIn("no class of cores 1", self.measure(1, (slow,)).failures[0])

    @unittest.skipIf(len(own_cpus()) < 2, "there is only one CPU")
    def test_classes_that_the_library_is_told(self):
        self.program(
            "", 'echo "$GOMP_AMP_TOPOLOGY $1" >told\n'.replace("told", str(self.log) + "2")
        )
        where = specs.machine({"is": "told 1x2+1x1", "arguments": "--cpu={last}"})
        self.assertEqual(self.measure(1, (specs.schedule("static"),), where=(where,)).failures, [])
        first, last = own_cpus()[0], own_cpus()[-1]
        told = Path(f"{self.log}2").read_text()
        self.assertEqual(told, f"{first}=1024,{last}=512 --size=1\n")
        self.assertIn(f"--cpu={last}", self.log.read_text())
        equal = machines.topology_of(((0, 1),), specs.parse_classes("2x1"))
        self.assertEqual(equal, "off")

    def virtual(self, work: str = "counted", program: str = "counted/app") -> None:
        """Make up an amp-emu that says how work was measured, and a program."""
        report = (
            '{"processes": [{"work": "%s", "makespan_ns": 1, "work_ns": 1, "handovers": 0, '
            '"parallel": {"makespan_ns": 1, "bound_ns": 1, "energy": {"joules": 1}}}]}' % work
        )
        self.script(
            "bin/amp-emu",
            f'while [ "$1" != -- ]; do [ "$1" != --json ] || echo \'{report}\' >"$2"; shift; done\n'
            f'shift; sleep .2\nexec "$@"',
        )
        self.file(f"bench/{program}", (self.directory / "bench/app").read_text()).chmod(0o755)

    def test_what_is_counted_is_run_once_on_all_cpus(self):
        self.virtual()
        schedules = tuple(map(specs.schedule, ("static", "dynamic", "guided", "aid_static")))
        names = ("virtual 1x2.0", "as is", "virtual 1x3.0")
        outcome = self.measure(2, schedules, where=tuple(map(specs.machine, names)))
        self.assertEqual(outcome.failures, [])
        found = [(row["machine"], row["round"], row["counters"]) for row in record.read(self.csv)]
        for name in (names[0], names[2]):
            self.assertEqual(found.count((name, "1", "counted work")), 4)
        self.assertEqual(len([one for one in found if one[0] == names[1]]), 8)
        again = self.measure(2, schedules, where=tuple(map(specs.machine, names)))
        self.assertEqual((again.measured, again.skipped), (0, len(found)))

    def test_a_program_that_does_not_count(self):
        self.virtual("timed")
        where = (specs.machine("virtual 1x2.0"),)
        (failure,) = self.measure(1, self.SCHEDULES[:1], where=where).failures
        self.assertIn("its work was not counted", failure)

    def runs(self) -> int:
        return len(self.log.read_text().splitlines())

    def test_unbound(self):
        how = specs.schedule({"is": "static", "binding": "none", "label": "unbound"})
        self.program("", 'test -z "$OMP_PLACES$OMP_PROC_BIND" || exit 1\n')
        outcome = self.measure(1, (how,))
        self.assertEqual((outcome.measured, outcome.failures), (1, []))
        (row,) = record.read(self.csv)
        self.assertEqual(row["pinning"], f"{{{','.join(map(str, own_cpus()))}}}")
        self.assertEqual(row["threads"], str(len(own_cpus())))

    def test_measures_and_drops_the_warm_up(self):
        outcome = self.measure()
        self.assertEqual((outcome.measured, outcome.failures), (6, []))
        self.assertEqual(self.runs(), 9)
        rows = record.read(self.csv)
        self.assertEqual({row["round"] for row in rows}, {"1", "2"})
        self.assertEqual({row["schedule"] for row in rows}, {"static", "dynamic,8", "dynamic,64"})
        self.assertEqual(rows[0]["library_sha256"], record.short_hash(self.library))
        self.assertRegex(rows[0]["library"], r"^libgomp-amp \d+\.\d+\.\d+(, commit [\w-]+)?$")
        self.assertEqual(rows[0]["pinning"], ",".join(f"{{{cpu}}}" for cpu in own_cpus()))
        self.assertIn("0 runs left", self.notes[-1])

    def test_goes_on_where_it_was(self):
        self.measure()
        outcome = self.measure()
        self.assertEqual((outcome.measured, outcome.skipped, self.runs()), (0, 6, 0))
        self.assertEqual(self.measure(rounds=3).measured, 3)

    def test_tasks(self):
        entries = (specs.schedule("static"), *map(specs.tasks, ("upstream", "fifo")))
        outcome = self.measure(1, entries, self.BOTH)
        self.assertEqual((outcome.measured, outcome.failures), (3, []))
        expected = [
            "--size=1 --with=loops static none",
            "--size=1 --with=tasks static fifo",
            "--size=1 --with=tasks static upstream",
        ]
        self.assertEqual(sorted(set(self.log.read_text().splitlines())), expected)
        rows = {row["schedule"]: row for row in record.read(self.csv)}
        self.assertEqual(rows.keys(), {"static", "tasks:upstream", "tasks:fifo"})
        self.assertEqual({row["arguments"] for row in rows.values()}, {"--size=1"})
        self.assertEqual(rows["tasks:fifo"]["label"], "tasks, fifo")
        self.assertIn("--with=tasks", rows["tasks:fifo"]["settings"])
        # They are there; of another version they would not be.
        self.assertEqual(self.measure(1, entries, self.BOTH).skipped, 3)
        self.assertEqual(self.measure(1, entries, self.TASKS).measured, 2)

    def test_loops_are_sampled_in_their_version(self):
        entry = specs.schedule({"is": "aid_hybrid", "offline_sf": True})
        self.assertEqual(self.measure(1, (entry,), self.BOTH).failures, [])
        first = self.log.read_text().splitlines()[0]
        self.assertEqual(first, "--size=1 --with=loops aid_static none")

    def test_nothing_of_a_version(self):
        with self.assertRaisesRegex(RunError, "or has the loops that its schedules are for"):
            self.measure(1, versions=self.TASKS)

    def test_another_library_or_program_is_measured_anew(self):
        self.measure()
        self.library.write_text("another one")
        self.assertEqual(self.measure().measured, 6)
        self.program("guided")
        self.assertEqual(self.measure().measured, 6)

    def test_an_interrupted_row_is_measured_again(self):
        self.measure()
        text = self.csv.read_bytes()
        self.csv.write_bytes(text[: len(text) - 60])
        self.assertEqual(self.measure().measured, 1)
        self.assertEqual(len(record.read(self.csv)), 6)

    def test_a_failed_verification_is_no_number(self):
        self.program("dynamic,8")
        outcome = self.measure()
        self.assertEqual(outcome.measured, 4)
        self.assertEqual(len(outcome.failures), 1)
        failed = [row for row in record.read(self.csv) if row["status"] == record.FAILED]
        self.assertEqual([row["seconds"] for row in failed], [""])
        self.assertIn("ended with status 1", failed[0]["error"])
        (machine,) = results.machines(record.read(self.csv))
        text = tables.machine_section(machine, {})
        self.assertIn("| failed", text)
        self.assertIn("FAILED, and without a number", text)
        # Nothing of it is kept for good.
        self.assertEqual(self.measure().measured, 0)
        self.program("")
        self.assertEqual(self.measure().failures, [])
        (machine,) = results.machines(record.read(self.csv))
        self.assertEqual(machine.failures, {})

    def test_a_foreign_csv_is_refused(self):
        self.csv.write_text("figure,round\n")
        with self.assertRaisesRegex(record.RecordError, "columns"):
            self.measure()

    def test_nobody_is_always_first(self):
        schedules = map(specs.schedule, ("static", "dynamic", "guided"))
        program = matrix.Program("app", ())
        all_cases = [runner.Case(program, one, one.label, "ours") for one in schedules]
        orders = [campaign.turns(all_cases, number) for number in range(3)]
        self.assertEqual(len({order[0].value for order in orders}), 3)

    def test_time_left(self):
        pace = campaign.Pace()
        pace.saw("A", "ep", 2.0)
        pace.saw("A", "ep", 4.0)
        pace.saw("A", "is", 1.0)
        self.assertEqual(pace.left([("A", "ep"), ("A", "is"), ("B", "ep")]), 3 + 1 + 2)
        self.assertEqual(campaign.duration(125), "2 min 05 s")


class Command(Scratch):
    """bench/run, where next to nothing is built."""

    def run_matrix(self, *words: str) -> subprocess.CompletedProcess:
        for name in ("lib/libgomp.so.1", "bench/uniform"):
            self.file(name, "#!/bin/sh\n").chmod(0o755)
        command = [sys.executable, BENCH / "run", *words, "--build", self.directory]
        return subprocess.run(command, capture_output=True, text=True)

    def test_sittings(self):
        done = self.run_matrix("demo-john", "--minutes", "0")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(
            "this machine's cores are all alike, and cannot be made to differ", done.stderr
        )
        self.assertFalse((self.directory / "lab").exists())

    def test_one_that_cannot_be_measured_does_not_keep_others_from_it(self):
        done = self.run_matrix("crowded", "demo-john", "--minutes", "0")
        self.assertIn("run: crowded: crowded: npb/ep is not built", done.stderr)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.run_matrix("crowded").returncode, 2)

    def test_all(self):
        done = self.run_matrix("--all", "--minutes", "0", "--csv", "x")
        self.assertIn("--csv goes with one MATRIX", done.stderr)
        done = self.run_matrix("--all", "--minutes", "0", "--on", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.directory / "lab").exists())

    def test_what_is_quoted_first_comes_first(self):
        names = matrix.with_reports()
        readme = (BENCH.parent / "README.md").read_text()
        self.assertIn("bench/run fold-full", readme)
        for later in ("sensitivity", "real", "virtual-shapes"):
            self.assertLess(names.index("fold-full"), names.index(later))
        self.assertLess(names.index("crowded"), names.index("sensitivity"))
        self.assertFalse({"quick", "demo", "loop-cost"} & set(names))

    def test_time_left_of_all(self):
        for name in ("npb/ep", "uniform"):
            self.file(f"bench/{name}", "").chmod(0o755)
        self.file("lib/virtual/libgomp.so.1", "")
        names = ("virtual-real", "equal")
        done = self.run_matrix(*names, "--minutes", "0", "--on", "virtual*")
        self.assertIn("virtual-real, 1 of 2 matrices; all: about 3 min 00 s", done.stderr)
        one = matrix.read(matrix.DIRECTORY / "virtual-real.toml")
        (where,) = (machine for machine in one.machines if machine.virtual)
        schedules = [how.label for how in one.schedules]
        for number, label in itertools.product((1, 2, 3, 4, 5), schedules[:3]):
            row = {"machine": where.name, "program": "npb/ep", "arguments": "A", "label": label}
            row |= {"schedule": label, "runtime": "virtual", "round": number, "status": record.OK}
            row["library_sha256"] = record.short_hash(self.directory / "lib/virtual/libgomp.so.1")
            record.append(self.directory / "lab/virtual-real.csv", row)
        done = self.run_matrix(*names, "--minutes", "0", "--on", "virtual*")
        self.assertIn("all: about 1 min 30 s", done.stderr)
        done = self.run_matrix(*names, "--minutes", "0", "--on", "virtual*", "--only", "uniform")
        self.assertIn("virtual-real, 1 of 2 matrices; all: about 0 s", done.stderr)
        # Runs with another library do not count.
        self.file("lib/virtual/libgomp.so.1", "another")
        done = self.run_matrix(*names, "--minutes", "0", "--on", "virtual*")
        self.assertIn("all: about 3 min 00 s", done.stderr)


class Bounds(unittest.TestCase):
    def test_serial_parts_are_not_spread(self):
        # 1 s serial, 2 s parallel that could have taken 1.
        self.assertAlmostEqual(runner.bound(2.0, 1.0, 3.0, 1.0), 2.0)
        # On a slow core: the serial second would have taken a third on a fast one.
        self.assertAlmostEqual(runner.bound(2.0, 1.0, 3.0, 3.0), 1 / 3 + 1)
        # Half of the parallel time was outside of what is timed.
        self.assertAlmostEqual(runner.bound(2.0, 1.0, 1.0, 1.0), 0.5)
        self.assertAlmostEqual(runner.bound(0.0, 0.0, 1.0, 1.0), 1.0)


if __name__ == "__main__":
    unittest.main()
