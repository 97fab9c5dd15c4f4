# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of bench/run and bench/report: matrices, campaigns on made-up programs, and reports."""

import csv
import importlib.util
import itertools
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from lab import (  # noqa: E402
    campaign,
    counters,
    energy,
    factors,
    instruments,
    power,
    ranks,
    machines,
    matrix,
    record,
    results,
    runner,
    runtimes,
    scaling,
    specs,
    stats,
    study,
    summary,
    tables,
    targets,
)
from lab.machines import own_cpus  # noqa: E402
from lab.runs import Result, RunError  # noqa: E402
from lab.specs import SpecError  # noqa: E402

BENCH = Path(__file__).resolve().parent.parent


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def file(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Libraries(Scratch):
    def test_a_library_is_called_by_its_version(self):
        intel = self.file("libiomp5.so", "\0@(#) Intel(R) OMP version: 5.0.20260828\0")
        llvm = Path("/usr/lib/llvm-14/lib/libomp.so.5")
        self.assertEqual(runtimes.version("intel", intel), "Intel OpenMP 5.0.20260828")
        self.assertEqual(runtimes.version("llvm", llvm), "LLVM 14")
        self.assertRegex(runtimes.version("stock", self.directory), r"^GCC [\d.]+$")
        self.assertRegex(runtimes.version("virtual", self.directory), r"^libgomp-amp [\d.]+")


class Specs(unittest.TestCase):
    def test_machines(self):
        self.assertEqual(specs.machine("as is").classes, ())
        steal = specs.machine("steal 1x2+1x1")
        self.assertEqual((steal.kind, steal.classes), ("steal", ((1, 2.0), (1, 1.0))))
        virtual = specs.machine({"is": "virtual 4x3.0+0x1.0", "name": "A", "spread": None})
        self.assertEqual((virtual.name, virtual.cores, virtual.virtual), ("A", 4, True))
        capped = specs.machine({"is": "virtual 8x2+4x1", "bandwidth": "1:10", "demand": 1})
        self.assertEqual((capped.bandwidth, capped.demand), ("1:10", 1.0))

        factors = specs.machine({"is": "virtual 4x3+4x1", "factors": {"npb/cg": 5.8}}).factors
        self.assertEqual(factors, (("npb/cg", 5.8),))

    def test_wrong_machines(self):
        for entry, message in (
            ("real", "it is 'as is'"),
            ("virtual 4", "COUNTxSPEED"),
            ("virtual 0x1", "at least one core"),
            ("virtual 1x1+1x2", "fastest class comes first"),
            ("steal 2x1", "nothing to slow"),
            ({"is": "as is", "colour": 1}, "no 'colour'"),
            ({"is": "as is", "binding": "XX"}, "binding"),
            ({"is": "as is", "spread": [1, 2]}, "spread"),
            ({"is": "as is", "factors": {"npb/cg": 2}}, "factors are of programs"),
            ({"is": "virtual 2x3+2x1", "factors": {"x": 2}, "spread": [1, 2]}, "without spread"),
            ({"is": "as is", "bandwidth": "10", "demand": 1}, "of a virtual machine"),
            ({"is": "virtual 2x1", "bandwidth": "10"}, "go together"),
            ({"is": "virtual 2x1", "demand": 1}, "go together"),
        ):
            with self.subTest(entry), self.assertRaisesRegex(SpecError, message):
                specs.machine(entry)

    def test_schedules(self):
        best = specs.schedule("dynamic best of 8, 64")
        self.assertEqual(best.values, ("dynamic,8", "dynamic,64"))
        self.assertEqual(best.label, "dynamic best of 8, 64")
        self.assertTrue(specs.schedule("aid_hybrid,1,50").runs_under("virtual"))
        self.assertFalse(specs.schedule("aid_static").runs_under("llvm"))
        self.assertFalse(specs.schedule("static_steal").runs_under("virtual"))
        self.assertTrue(specs.schedule("static").runs_under("intel"))
        limited = specs.schedule({"is": "nonmonotonic:dynamic", "runtimes": ["llvm"]})
        self.assertFalse(limited.runs_under("stock"))
        self.assertEqual(specs.schedule({"is": "static", "binding": "SB"}).label, "static(SB)")
        partial = specs.schedule({"is": "dynamic", "without": ["npb/*"]})
        self.assertEqual(
            [partial.suits(name, ["npb/is", "cg"]) for name in ("npb/is", "cg")], [False, True]
        )
        inline = specs.schedule({"is": "static", "inline": True, "label": "static threads"})
        self.assertEqual(
            [inline.suits(name, ["cg", "cg-inline", "ft"]) for name in ("cg", "ft")], [True, False]
        )
        self.assertEqual(inline.executable("cg"), "cg-inline")
        folded = specs.schedule({"is": "static", "fold": 4, "label": "folded"})
        self.assertEqual((folded.fold, folded.runs_under("virtual")), ("4", True))
        self.assertFalse(folded.runs_under("stock"))

    def test_wrong_numbers_of_threads(self):
        for wrong in (
            {"fold": 0},
            {"fold": "2.5"},
            {"fold": 2, "fast_only": True},
            {"each": [0, 0]},
            {"each": [2, -1]},
            {"each": [2, 1], "fold": 2},
            {"alone": -1},
            {"alone": "0"},
            {"alone": 0, "fold": 2},
            {"split": "odd"},
        ):
            with self.subTest(wrong), self.assertRaises(SpecError):
                specs.schedule({"is": "static"} | wrong)

    def test_wrong_schedules(self):
        for entry in ("", "static 4", {"is": "static", "runtimes": ["icc"]}, {"is": "a", "x": 1}):
            with self.subTest(entry), self.assertRaises(SpecError):
                specs.schedule(entry)

    def test_tasks(self):
        upstream, fifo = map(specs.tasks, ("upstream", "fifo"))
        found = fifo.label, fifo.values, fifo.tasks
        self.assertEqual(found, ("tasks, fifo", ("tasks:fifo",), "fifo"))
        for runtime in (*runtimes.RUNTIMES, runtimes.VIRTUAL):
            with self.subTest(runtime):
                self.assertTrue(upstream.runs_under(runtime))
                self.assertEqual(fifo.runs_under(runtime), runtime in runtimes.OUR_LIBRARIES)
        limited = specs.tasks({"is": "upstream", "runtimes": ["ours"], "binding": "SB"})
        self.assertFalse(limited.runs_under("stock"))
        self.assertEqual(limited.label, "tasks, upstream(SB)")
        entry = {"is": "fifo", "label": "first", "environment": {"A": 1}, "without": ["tasks/*"]}
        special = specs.tasks(entry)
        self.assertEqual((special.label, special.environment), ("first", (("A", "1"),)))
        self.assertFalse(special.suits("tasks/fib", ["tasks/fib"]))
        self.assertEqual(specs.schedule("static").tasks, "")

    def test_wrong_tasks(self):
        for entry, message in (
            ("lifo", "tasks 'lifo': it is one of upstream, fifo"),
            ("", "tasks '': it is one of upstream, fifo"),
            ({"is": "fifo", "inline": True}, "tasks has no 'inline': there are is, label, "),
            ({"is": "fifo", "runtimes": ["stock"]}, "no runtime 'stock': there are ours$"),
            ({"is": "upstream", "runtimes": ["icc"]}, "no runtime 'icc': there are ours, stock"),
            ({"is": "fifo", "binding": "XX"}, "tasks 'fifo': binding is one of BS, SB, none"),
        ):
            with self.subTest(entry), self.assertRaisesRegex(SpecError, message):
                specs.tasks(entry)

    def test_several_threads_on_a_core(self):
        ready = machines.Machine(specs.machine("steal 1x2+2x1"), ((0,), (2, 3)))
        both = specs.schedule({"is": "static", "each": [2, 1]})
        self.assertEqual(ready.ordered("BS", both), (0, 0, 2, 3))
        self.assertEqual(ready.ordered("SB", both), (3, 2, 0, 0))
        self.assertEqual(ready.ordered("BS", specs.schedule("static")), (0, 2, 3))
        slow = specs.schedule({"is": "static", "each": [0, 1]})
        self.assertEqual(ready.ordered("BS", slow), (2, 3))
        virtual = machines.Machine(specs.machine("virtual 1x2+1x1"), ((0,),))
        for machine, each in ((ready, [2]), (virtual, [2, 1])):
            with self.subTest(machine), self.assertRaises(RunError):
                machine.ordered("BS", specs.schedule({"is": "static", "each": each}))

    def test_cpus_of_classes(self):
        classes = specs.parse_classes("2x3+1x2+1x1")
        cpus = machines.assign((0, 1, 4, 5, 6, 7), classes)
        self.assertEqual(cpus, ((0, 1), (6,), (7,)))
        options = machines.steal_options(cpus, classes)
        self.assertEqual(options, ["--small", "6", "--sf", "1.5", "--small", "7", "--sf", "3"])


class Matrices(Scratch):
    def test_those_of_the_repository(self):
        sizes = matrix.read_sizes(BENCH / "matrix" / "programs.toml")
        mpi = matrix.expanded("mpi/{stencil,zones}-{openmpi,mpich}")
        others = ["loopcost", "regions", "routecost", *mpi]
        plain = [*sizes.table, *others]
        built = [*plain, *(f"{name}-inline" for name in plain)]
        usual = set(runtimes.RUNTIMES) | {runtimes.VIRTUAL}
        for name in matrix.names():
            with self.subTest(name):
                found = matrix.read(matrix.DIRECTORY / f"{name}.toml")
                for where in found.machines:
                    planned = campaign.cases(found, where, sizes, usual, built)
                    self.assertTrue(planned)
                places = [
                    (where.name, one.program.text, one.schedule.label, one.runtime)
                    for where in found.machines
                    for one in campaign.cases(found, where, sizes, usual, built)
                ]
                for target in found.targets:
                    self.assertTrue(any(target.is_of(*place) for place in places), target)
        for name in sizes.table:
            sizes.arguments(name, "smallest")

    def test_factors_of_siblings(self):
        """Those of the machines with factors of programs are what was measured."""
        measured = power.read()
        siblings = matrix.read(matrix.DIRECTORY / "siblings.toml").machines
        given = [where.factors for where in siblings if where.factors]
        self.assertEqual(len(given), 2)
        for name, factor in (pair for pairs in given for pair in pairs):
            runs = measured[f"{Path(name).name}.A"]
            self.assertAlmostEqual(factor, runs[0, 1][0] / runs[1, 0][0], delta=0.06, msg=name)

    def test_sizes(self):
        sizes = matrix.Sizes({"a": {"standard": "-s", "real": "-r"}, "b": {"standard": "-t"}})
        found = [sizes.arguments(name, "real") for name in ("a", "b")]
        self.assertEqual(found, [("-r",), ("-t",)])
        with self.assertRaisesRegex(SpecError, "no program a size 'huge'"):
            sizes.arguments("a", "huge")

    def test_programs(self):
        sizes = matrix.Sizes({"npb/ep": {"s": "S -x"}, "npb/is": {"s": ""}, "cg": {"s": "1"}})
        path = self.file(
            "m.toml",
            'size = "s"\nprograms = ["npb/*", {is = "cg", arguments = "--rows=9"}]\n'
            'schedules = ["static"]\nmachines = ["as is"]\n',
        )
        found = matrix.read(path)
        chosen = found.chosen(["npb/ep", "cg"], sizes, found.machines[0])
        expected = [matrix.Program("npb/ep", ("S", "-x")), matrix.Program("cg", ("--rows=9",))]
        self.assertEqual(chosen, expected)

    def test_arguments_in_braces_are_several_programs(self):
        self.assertEqual(matrix.expanded("-a {x,y} {1,2}")[1:3], ["-a x 2", "-a y 1"])
        self.assertEqual(matrix.expanded("{last} {a}"), ["{last} {a}"])

    def test_wrong_ones(self):
        good = 'schedules = ["static"]\nmachines = ["as is"]\n'
        for text, message in (
            ('schedules = ["static"]', "lacks 'machines'"),
            (good + "colour = 1", "no 'colour'"),
            (good + "rounds = 0", "at least one round"),
            (good + 'rounds = "many"', "not of the kind"),
            (good + 'runtimes = ["icc"]', "no runtime 'icc'"),
            (good + 'tasks = ["lifo"]', "m.toml: tasks 'lifo': it is one of upstream, fifo"),
            (good + 'tasks = "fifo"', "'tasks' is a list"),
            (good + 'tasks = ["fifo", "fifo"]', "two schedules are called 'tasks, fifo'"),
            ('machines = ["as is"]', "lacks 'schedules', of loops, or 'tasks'"),
            (
                'tasks = ["fifo"]\nmachines = [{ is = "as is", schedules = ["fifo"] }]',
                "no schedule 'fifo': there are tasks, fifo",
            ),
            (
                'tasks = ["fifo"]\nmachines = [{ is = "virtual 1x2+1x1", spread = [1, 8] }]',
                "its factors are those of loops",
            ),
            ('schedules = ["static", "static"]\nmachines = ["as is"]', "two schedules"),
            ("schedules = [", "m.toml"),
            (good + "targets = [{ share = 0.9, colour = 1 }]", "a target has no 'colour'"),
            (good + "targets = [{ share = 0.9, at_most = 1 }]", "a target has one of"),
            (good + "targets = [{ times = 1.1 }]", "'of' or 'on' goes with"),
            (good + 'targets = [{ times = 1.1, of = "guided" }]', "no schedule 'guided'"),
            (good + 'baseline = "guided"', "no schedule 'guided'"),
            (good + 'programs = [{ is = "x", command = "y", arguments = "z" }]', "a program is a"),
        ):
            with self.subTest(text), self.assertRaisesRegex(SpecError, message):
                matrix.read(self.file("m.toml", text))


class Tasks(Scratch):
    SIZES = matrix.Sizes(
        {"fib": {"standard": "-n"}, "cg": {"standard": ""}, "lu": {"standard": "-n"}},
        versions={"fib": {"tasks": ""}, "lu": {"tasks": "-t", "loops": "-l -x"}},
    )

    def read(self, text: str) -> matrix.Matrix:
        return matrix.read(self.file("m.toml", text))

    def planned(self, text: str, found: set[str], machine: int = 0) -> list[str]:
        """The cases of a matrix, with the arguments of the version that each is of."""
        one = self.read(text)
        where = one.machines[machine]
        cases = campaign.cases(one, where, self.SIZES, found, list(self.SIZES.table))
        return [" ".join((case.text, *case.version)) for case in cases]

    def test_versions(self):
        static, fifo = specs.schedule("static"), specs.tasks("fifo")
        for program, loops, tasks in (
            ("fib", None, ()),
            ("cg", (), None),
            ("lu", ("-l", "-x"), ("-t",)),
        ):
            with self.subTest(program):
                self.assertEqual(self.SIZES.version(program, static), loops)
                self.assertEqual(self.SIZES.version(program, fifo), tasks)

    def test_table_of_versions(self):
        start = 'left_out = []\n[arguments]\ncg = { standard = "" }\n'
        read = matrix.read_sizes(self.file("p.toml", start))
        self.assertEqual(read.version("cg", specs.schedule("static")), ())
        read = matrix.read_sizes(self.file("p.toml", start + '[versions]\ncg = { tasks = "-t" }\n'))
        self.assertEqual(read.version("cg", specs.tasks("fifo")), ("-t",))
        for line, message in (
            ('lu = { tasks = "" }', "p.toml: versions: 'arguments' has no line for 'lu'"),
            ('cg = { tusks = "" }', "versions: 'cg' has the arguments of 'loops', 'tasks' or both"),
            ('cg = "tasks"', "versions: 'cg' has the arguments of 'loops', 'tasks' or both"),
            ("cg = {}", "versions: 'cg' has the arguments of 'loops', 'tasks' or both"),
        ):
            with self.subTest(line), self.assertRaisesRegex(SpecError, message):
                matrix.read_sizes(self.file("p.toml", f"{start}[versions]\n{line}\n"))

    def test_programs_run_as_what_they_have(self):
        text = (
            'schedules = ["static"]\ntasks = ["upstream", "fifo"]\nruntimes = ["ours", "stock"]\n'
            'machines = ["as is", "virtual 1x1", { is = "virtual 2x1", schedules = ["static"] }]\n'
        )
        everything = {"ours", "stock", "virtual"}
        self.assertEqual(
            self.planned(text, everything),
            [
                "fib tasks:upstream ours",
                "fib tasks:upstream stock",
                "fib tasks:fifo ours",
                "cg static ours",
                "cg static stock",
                "lu static ours -l -x",
                "lu static stock -l -x",
                "lu tasks:upstream ours -t",
                "lu tasks:upstream stock -t",
                "lu tasks:fifo ours -t",
            ],
        )
        self.assertEqual(
            self.planned(text, everything, machine=1),
            [
                "fib tasks:upstream virtual",
                "fib tasks:fifo virtual",
                "cg static virtual",
                "lu static virtual -l -x",
                "lu tasks:upstream virtual -t",
                "lu tasks:fifo virtual -t",
            ],
        )
        alone = ["cg static virtual", "lu static virtual -l -x"]
        self.assertEqual(self.planned(text, everything, machine=2), alone)

    def test_only_tasks(self):
        text = 'tasks = [{ is = "fifo", without = ["l*"] }]\nmachines = ["as is"]\n'
        self.assertEqual(self.planned(text, {"ours", "stock"}), ["fib tasks:fifo ours"])


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
    LOOPS = {"loops": ""}
    BOTH = {"loops": "--with=loops", "tasks": "--with=tasks"}

    def measure(
        self,
        rounds: int = 2,
        schedules: tuple[specs.ScheduleSpec, ...] = SCHEDULES,
        versions: dict[str, str] = LOOPS,
        program: matrix.Program = matrix.Program("app", ("--size=1",)),
        where: specs.MachineSpec = specs.machine("as is"),
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
            (where,),
        )
        scratch = Path(tempfile.mkdtemp(dir=self.directory))
        ours = runtimes.linked("ours", self.library, scratch)
        sizes = matrix.Sizes({}, versions={"app": versions})
        self.notes = []
        one = campaign.Campaign(
            found,
            sizes,
            ["app"],
            self.directory,
            {"ours": ours},
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
        path = self.file("command", f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return matrix.Program("any", (), (str(path), "{threads}"), **more)

    def test_any_command(self):
        plain = specs.schedule({"is": "static", "before": "env BEFORE={threads}"})
        threads = len(own_cpus())
        for text, more, seconds in (
            ('echo "result: seconds=$1$BEFORE.5 verified=1 runtime="', {}, f"{threads}{threads}.5"),
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
        self.assertEqual(self.measure(1, (specs.schedule("static"),), where=where).failures, [])
        first, last = own_cpus()[0], own_cpus()[-1]
        told = Path(f"{self.log}2").read_text()
        self.assertEqual(told, f"{first}=1024,{last}=512 --size=1\n")
        self.assertIn(f"--cpu={last}", self.log.read_text())
        equal = machines.topology_of(((0, 1),), specs.parse_classes("2x1"))
        self.assertEqual(equal, "off")

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
        other = {"loops": "--with=loops", "tasks": "--tasks=1"}
        self.assertEqual(self.measure(1, entries, other).measured, 2)

    def test_loops_are_sampled_in_their_version(self):
        entry = specs.schedule({"is": "aid_hybrid", "offline_sf": True})
        self.assertEqual(self.measure(1, (entry,), self.BOTH).failures, [])
        first = self.log.read_text().splitlines()[0]
        self.assertEqual(first, "--size=1 --with=loops aid_static none")

    def test_nothing_of_a_version(self):
        with self.assertRaisesRegex(RunError, "or has the loops that its schedules are for"):
            self.measure(1, versions={"tasks": ""})

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
        first = {campaign.turns(all_cases, number)[0].value for number in range(3)}
        self.assertEqual(len(first), 3)

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
        done = self.run_matrix("ep-steal", "demo-john", "--minutes", "0")
        self.assertIn("run: ep-steal: ep-steal: npb/ep is not built", done.stderr)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.run_matrix("ep-steal").returncode, 2)

    def test_all(self):
        done = self.run_matrix("--all", "--minutes", "0", "--csv", "x")
        self.assertIn("--csv goes with one MATRIX", done.stderr)


class Bounds(unittest.TestCase):
    def test_serial_parts_are_not_spread(self):
        # 1 s serial, 2 s parallel that could have taken 1.
        self.assertAlmostEqual(runner.bound(2.0, 1.0, 3.0, 1.0), 2.0)
        # On a slow core: the serial second would have taken a third on a fast one.
        self.assertAlmostEqual(runner.bound(2.0, 1.0, 3.0, 3.0), 1 / 3 + 1)
        # Half of the parallel time was outside of what is timed.
        self.assertAlmostEqual(runner.bound(2.0, 1.0, 1.0, 1.0), 0.5)
        self.assertAlmostEqual(runner.bound(0.0, 0.0, 1.0, 1.0), 1.0)


class Statistics(unittest.TestCase):
    def test_intervals(self):
        self.assertEqual(stats.median_interval([3.0, 1.0, 2.0]), (1.0, 3.0))
        self.assertEqual(stats.median_interval([float(i) for i in range(9)]), (1.0, 7.0))
        self.assertGreaterEqual(stats.coverage(9, 2), 0.95)
        self.assertLess(stats.coverage(9, 3), 0.95)

    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([1.0, 4.0]), 2.0)


class Ranks(unittest.TestCase):
    """What starts the ranks of an MPI program."""

    def words(self, how: dict, where: dict, cpus=((0,), (1,)), topology=None) -> list[list[str]]:
        """Those of each rank, without its launcher's and env's."""
        machine = machines.Machine(specs.machine(where), cpus, topology)
        schedule = specs.schedule({"is": "static"} | how)
        words = ranks.command(("/b/zones-mpich",), machine, schedule, Path("/b"))
        self.assertEqual(words[:3], ("mpiexec.hydra", "-bind-to", "none"))
        text = " ".join(words[3:]).replace("-n 1 env -u OMP_NUM_THREADS -u OMP_PLACES ", "")
        return [part.split()[2:] for part in text.split(" : ")]

    def test_virtual(self):
        where = {"is": "virtual 2x3.0+2x1.0", "ranks": 2}
        fast, slow = self.words({"split": "even", "by_capacity": True}, where)
        self.assertIn("2x3.0", fast)
        self.assertEqual(fast[-2:], ["/b/zones-mpich", "--capacity=6000"])
        # The fastest class of a virtual machine is as fast as the real one.
        self.assertEqual(slow[:2], ["GOMP_AMP_AFFINITY=SB", "OMP_NUM_THREADS=2"])
        self.assertIn("1x3.0+2x1.0", slow)
        self.assertEqual(slow[-1], "--capacity=2000")
        for one in self.words({"fast_only": True}, where):
            self.assertIn("1x3.0", one)
        (alone,) = self.words({"alone": 0}, where)
        self.assertEqual((alone[0], "1x1.0" in alone), ("OMP_NUM_THREADS=1", True))
        with self.assertRaisesRegex(RunError, "among 8 ranks"):
            self.words({"split": "even"}, where | {"ranks": 8})

    def test_real(self):
        where = {"is": "steal 1x2+1x1", "ranks": 2}
        told = {"topology": "0=1024,1=512"}
        for how, expected in (
            ({}, "/b/bin/amp-run --ranks -- /b/zones-mpich --capacity=1"),
            ({"fold": "auto"}, "/b/bin/amp-run --ranks --fold -- /b/zones-mpich --capacity=1"),
        ):
            for one in self.words(how, where, **told):
                self.assertEqual(" ".join(one[1:]), expected)
                self.assertEqual(one[0], "GOMP_AMP_TOPOLOGY=0=1024,1=512")
        parts = [one[-1] for one in self.words({"by_capacity": True}, where, **told)]
        self.assertEqual(parts, ["--capacity=1024", "--capacity=512"])
        (slow,) = self.words({"alone": 1}, where, **told)
        self.assertIn("taskset -c 1", " ".join(slow))

    def test_as_many_as_there_should_be(self):
        schedule, good = specs.schedule("static"), {"ranks": 2.0, "amp": 100.0}
        ranks.check(Result(good, ""), 2, schedule)
        for fields in ({}, good | {"ranks": 1.0}, good | {"amp": 0.0}):
            with self.subTest(fields), self.assertRaises(RunError):
                ranks.check(Result(fields, ""), 2, schedule)

    def test_bound(self):
        where = ("B", "virtual 2x3.0+2x1.0")
        alone = rows(*where, "p", "one thread", (4,), threads="1", pinning="in turn")
        found = rows(*where, "p", "static", (2,), threads="4", pinning="in turn")
        (machine,) = results.machines([*found, *alone])
        self.assertEqual(machine.bounds("p"), {"1": 1.5})


class Instruments(Scratch):
    def test_usage(self):
        subprocess.run([sys.executable, "-c", "x = bytearray(1 << 24)"], check=True)
        used = instruments.Usage()
        spin = "x = bytearray(1 << 22)\ni = 0\nwhile i < 2_000_000: i += 1"
        subprocess.run([sys.executable, "-c", spin], check=True)
        values = used.since()
        self.assertGreater(values["task_clock_ns"], 10_000_000)
        self.assertTrue(1000 < values["page_faults"] < 20_000, values)
        self.assertGreater(values["context_switches"], 0)

    def instruments(self, tool: counters.Tool | None, notes: list[str]) -> instruments.Instruments:
        ready = machines.Machine(specs.machine("as is"), (own_cpus()[:1],))
        return instruments.Instruments(ready, tool, self.directory, notes.append)

    def test_a_run_is_counted(self):
        script = 'shift 3; echo "CPU%d,12,,PAPI_TOT_CYC" >"$file"; exec "$@"' % own_cpus()[0]
        program = self.file("papi-count", f"#!/bin/sh\nfile=$1; {script}\n")
        program.chmod(0o755)
        notes: list[str] = []
        reading = self.instruments(counters.Tool(program), notes).reading()
        reading.begin()
        subprocess.run([*reading.command, "true"], check=True)
        row = reading.end()
        self.assertEqual((row["cycles"], row["counters"]), ("12", "rusage and hardware by PAPI"))
        self.assertGreater(row["page_faults"], 0)
        self.assertFalse([note for note in notes if "counters" in note])

    def test_without_counters_it_is_said_why(self):
        program = self.directory / "papi-count"
        for script, why in (
            (None, "papi-count is not there"),
            ("echo no >&2; false", "PAPI: no"),
            ("touch $1", "has none of PAPI_TOT_INS"),
        ):
            if script:
                self.file(program.name, f"#!/bin/sh\n{script}\n").chmod(0o755)
            notes: list[str] = []
            reading = self.instruments(counters.Tool(program), notes).reading()
            (note,) = [note for note in notes if "counters" in note]
            self.assertIn(why, note)
            reading.begin()
            self.assertEqual(reading.command, ())
            self.assertEqual(reading.end()["counters"], "rusage")

    def test_energy(self):
        zones = {"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:1": "package-1"}
        for zone, name in zones.items():
            self.file(f"{zone}/name", name)
            self.file(f"{zone}/energy_uj", "900")
            self.file(f"{zone}/max_energy_range_uj", "1000")
        package = energy.PackageEnergy(self.directory)
        before = package.read()
        self.file("intel-rapl:0/energy_uj", "1900")
        self.file("intel-rapl:1/energy_uj", "100")
        self.assertAlmostEqual(package.joules(before, package.read()), (1000 + 200) / 1e6)
        # Only a counter that went back has started over.
        self.assertAlmostEqual(package.joules([900, 100], [1000, 200]), 200 / 1e6)
        # Packages count their cores, and a board's rails.
        self.file("intel-rapl:0:0/energy_uj", "950")
        self.file("hwmon3/energy1_input", "7")
        package = energy.PackageEnergy(self.directory, self.directory)
        self.assertEqual(package.read(), [1900, 100])
        none = self.directory / "none"
        self.assertEqual(energy.PackageEnergy(none, none).counters, [])

    def test_energy_of_a_board(self):
        self.file("hwmon3/energy1_input", "100")
        self.file("hwmon3/energy2_input", "x")
        rails = energy.PackageEnergy(self.directory / "none", self.directory)
        before = rails.read()
        self.file("hwmon3/energy1_input", "2000100")
        self.assertEqual(rails.joules(before, rails.read()), 2)

    def test_power_is_fitted_without_what_it_predicts(self):
        # 0.5 W idle, 0.25 W a little core, 2 W a big one and half of that if it spins. Big ones are
        # four times as fast. Three of each: in 32 s the little ones do 24 of 60 big core's seconds,
        # the big ones 12 each.
        runs = {(0, n): (240 / n, (0.5 + 0.25 * n) * 240 / n) for n in (1, 2, 3)}
        runs |= {(n, 0): (60 / n, (0.5 + 2 * n) * 60 / n) for n in (1, 2, 3)}
        runs[3, 3] = (32, 32 * (0.5 + 0.75 + 6 * (0.375 + 0.5 * 0.625)))
        runs[4, 4] = (24, 1e9)
        model = power.fit(runs)
        for found, due in zip(
            (model.idle, model.little, model.big, model.scale, model.spin), (0.5, 0.25, 2, 1, 0.5)
        ):
            self.assertAlmostEqual(found, due)
        self.assertAlmostEqual(power.busy_part(runs, 3, 3), 0.375)
        # Little cores that did more than all of it leave nothing to the big ones.
        self.assertEqual(power.busy_part({**runs, (1, 1): (300, 0)}, 1, 1), 0)
        self.assertEqual(power.busy_part({**runs, (1, 1): (1, 0)}, 1, 1), 1)
        self.assertAlmostEqual(model.watts(4, 4, 0.25), 0.5 + 1 + 8 * 0.625)

    def test_power_reproduces_what_was_measured(self):
        for program, runs in power.read().items():
            model = power.fit(runs)
            for big, little in power.PREDICTED:
                seconds, joules = runs[big, little]
                watts = model.watts(big, little, power.busy_part(runs, big, little))
                self.assertLess(abs(seconds * watts / joules - 1), 0.15, (program, big, little))

    def test_document_has_what_the_model_predicts(self):
        self.assertIn(power.table(), (BENCH.parent / "docs/results/energy.md").read_text())

    def study(self, *rows: tuple) -> dict[str, list[list[str]]]:
        """The tables of the matrix energy by their titles, each as the cells of its rows; ROWS are
        cases with their seconds and joules."""
        path = self.directory / "energy.csv"
        for number, (case, seconds, joules) in enumerate(rows):
            row = dict(zip(("program", "machine", "label"), case), round=number, status=record.OK)
            figures = {"seconds": seconds, "value": seconds, "energy_j": joules}
            record.append(path, row | figures | {"matrix": "energy", "runtime": "virtual"})
        energy = matrix.read(matrix.DIRECTORY / "energy.toml")
        _, *found = study.sections(results.machines(record.read(path)), energy)
        return {
            title: [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
            for title, text in zip(found[::2], found[1::2])
        }

    def test_study_of_energy(self):
        # On as many cores of each kind it takes 8 s over what they do, of which big ones do 4 a
        # second; 2 W a big core, half a watt a little one. Waiters that spin use twice as much.
        modes = {"static": 1, "dynamic": 2, "aid_hybrid": 0.5, "folded": 0.8, "tasks": 0.4}
        rows = []
        for machine in ("0+4", "2+2", "4+0", "4+1", "4+2", "4+3", "4+4"):
            big, little = map(int, machine.split("+"))
            for program, factor in (("one", 1), ("other", 2)):
                for mode, share in modes.items():
                    seconds = factor * share * 8 / (4 * big + little)
                    joules = seconds * (2 * big + little / 2) * factor
                    case = (program, machine, mode)
                    # Of rounds the median counts.
                    rows += [(case, seconds, joules)] * 2 + [(case, 100, 100)]
                    rows.append(((program, machine, f"{mode}, spinning"), seconds, 2 * joules))
        found = self.study(*rows)

        def row(title, machine):
            named = next(table for name, table in found.items() if name.startswith(title))
            return next(cells[1:] for cells in named if cells[0] == machine)

        self.assertEqual(row("Speed", "4+0"), ["1.00", "0.50", "2.00", "1.25", "2.50"])
        self.assertEqual(row("Speed", "0+4")[0], "0.25")
        # 8 W and 16 W.
        self.assertEqual(row("Watts", "4+0"), ["12.00"] * 5)
        self.assertEqual(row("Watts", "4+4"), ["15.00"] * 5)
        # As many watts for a share of the time; 10 W for 4 / 5 of it.
        self.assertEqual(row("Energy, ", "4+0"), ["1.00", "2.00", "0.50", "0.80", "0.40"])
        self.assertEqual(row("Energy, ", "4+4"), ["1.00", "2.00", "0.50", "0.80", "0.40"])
        self.assertEqual(row("Energy x delay", "4+4"), ["0.80", "3.20", "0.20", "0.51", "0.13"])
        self.assertEqual(row("Energy with spinning", "2+2"), ["2.00"] * 5)
        beside = {
            (cells[0], cells[1]): cells[2:]
            for cells in found["Beside what was published, in percent:"]
        }
        self.assertEqual(beside["4+4 static over 4+0 static", "speed"], ["-6", "+25", "+31"])
        self.assertEqual(beside["4+4 static over 4+0 static", "watts"], ["-23", "+25", "+48"])
        self.assertEqual(beside["2+2 tasks over 0+4 static", "edp"], ["+0", "-94", "-94"])

    @unittest.skipUnless(shutil.which("gcc"), "no compiler here")
    def test_papi(self):
        self.file("papi.h", PAPI_HEADER)
        source = self.file("papi.c", PAPI)
        program = self.directory / "papi-count"
        subprocess.run(
            ["gcc", "-Wall", "-Werror", f"-I{self.directory}", "-o", program, source]
            + [BENCH / "common" / "papi-count.c"],
            check=True,
        )
        tool = counters.Tool(program)
        file = self.directory / "counts"
        self.assertEqual(tool.missing((0, 3), file), "")
        counts = tool.read(file)
        self.assertEqual(counts[3], {"instructions": 30, "cycles": 31, "llc_misses": 32})
        self.assertEqual(counters.by_class(counts, ((3,), (0,)))["cycles"], "31/1")
        self.assertIn("CPU 9: no such CPU", tool.missing((9,), file))
        run = subprocess.run([*tool.command((0,), file), "sh", "-c", "exit 7"])
        self.assertEqual(run.returncode, 7)

    def test_factors_of_loops(self):
        saved = self.file("sf", "# format\na+0x20 0:1,1:2 # 1\na+0x3 0:1,1:2 # 1\n")
        self.assertEqual(factors.loops(saved), ["a+0x3", "a+0x20"])
        values = sorted(factors.spread([str(i) for i in range(50)], 1, 8.9).values())
        self.assertTrue(1 <= values[0] < 1.1 and 8 < values[-1] <= 8.9)
        self.assertLess(max(b / a for a, b in itertools.pairwise(values)), 1.15)
        target = self.directory / "spread"
        factors.write_spread(saved, target, 2, 2)
        self.assertEqual(target.read_text(), "a+0x3 1:2.0000\na+0x20 1:2.0000\n")


# What papi-count uses of PAPI, which knows no level 3 and no CPU 9, and counts ten times the CPU's
# number.
PAPI_HEADER = """
enum { PAPI_OK = 0, PAPI_NULL = -1, PAPI_VER_CURRENT = 7 << 24, PAPI_CPU_ATTACH = 27 };
typedef union { struct { int eventset; unsigned cpu_num; } cpu; } PAPI_option_t;
int PAPI_library_init (int), PAPI_create_eventset (int *), PAPI_add_named_event (int, const char *);
int PAPI_assign_eventset_component (int, int), PAPI_set_opt (int, PAPI_option_t *);
int PAPI_start (int), PAPI_stop (int, long long *);
char *PAPI_strerror (int);
"""
PAPI = """
#include <string.h>
#include "papi.h"
static int cpu_of[16], events_of[16], sets;
int PAPI_library_init (int version) { return version; }
int PAPI_create_eventset (int *set) { *set = sets++; return 0; }
int PAPI_assign_eventset_component (int set, int component) { return component; }
int PAPI_set_opt (int what, PAPI_option_t *o)
{ if (o->cpu.cpu_num == 9) return -1; cpu_of[o->cpu.eventset] = o->cpu.cpu_num; return 0; }
int PAPI_add_named_event (int set, const char *name)
{ if (strstr (name, "L3")) return -7; events_of[set]++; return 0; }
int PAPI_start (int set) { return 0; }
int PAPI_stop (int set, long long *values)
{ for (int i = 0; i < events_of[set]; i++) values[i] = 10 * cpu_of[set] + i; return 0; }
char *PAPI_strerror (int error) { return "no such CPU"; }
"""


def rows(machine, emulation, program, label, seconds, runtime="virtual", schedule="", **more):
    """Rows of a record, one a round."""
    return [
        dict.fromkeys(record.COLUMNS, "")
        | {
            "machine": machine,
            "emulation": emulation,
            "program": program,
            "label": label,
            "schedule": schedule or label,
            "runtime": runtime,
            "round": str(number),
            "status": record.OK,
            "seconds": str(value),
            "value": str(value),
        }
        | more
        for number, value in enumerate(seconds, 1)
    ]


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
        one, other = (results.Column(f"aid_hybrid,{n}", "ours") for n in (4, 16))
        self.assertLess(one.place, other.place)

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
        self.assertIn("## m: T\n", text)
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
        rows_of = {row[0]: row[1:] for row in cells if row}
        self.assertEqual(rows_of["static(BS), stock"][:3], ["3.000", "1.00", "50.0 %"])
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
        self.assertEqual(labels, [*loops, "tasks, upstream", "tasks, fifo"])
        other = results.Column("again", "virtual", "upstream")
        self.assertTrue(self.upstream.place < other.place < self.fifo.place)

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
        self.assertIn("| tasks, upstream | tasks, fifo |", text)

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

    def test_all_that_was_measured(self):
        build, out = self.directory / "build", self.directory / "results"
        for name in ("full", "quick"):
            (build / "lab").mkdir(parents=True, exist_ok=True)
            shutil.copy(self.written(), build / "lab" / f"{name}.csv")
        command = [BENCH / "report", "--all", "--build", build, "--results", out]
        subprocess.run(command, check=True, capture_output=True)
        self.assertEqual({path.parent.name for path in out.glob("*/report.md")}, {"full", "quick"})

    def test_command(self):
        text = subprocess.run([BENCH / "report", self.written()], capture_output=True, text=True)
        self.assertIn("is: loops, aid_hybrid 10.0 % behind loops, static(BS)", text.stdout)


if __name__ == "__main__":
    unittest.main()
