# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of matrix files: machines, schedules, modes of tasks, programs and their versions."""

import unittest
from pathlib import Path

from support import BENCH, Scratch

from lab import campaign, machines, matrix, power, runtimes, specs
from lab.runs import RunError
from lab.specs import SpecError


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
        others = ["regions", "routecost", *mpi]
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

    def test_entries_that_stand_for_several(self):
        entry = {"for": {"a": ["x", "y"], "b": ["1"]}, "is": "$a", "with": {"c": ["$b$a"]}}
        first = {"is": "x", "with": {"c": ["1x"]}}
        self.assertEqual(next(matrix.each([entry])), first)
        self.assertEqual(list(matrix.each(["s", entry, first]))[::3], ["s", first])
        text = """
            programs = [{ of = ["a/b", "a/c:1"], at_once = [1, 2], command = "x y" }]
            schedules = ["static"]
            machines = ["virtual 1x1"]
        """
        found = matrix.read(self.file("m.toml", text))
        self.assertEqual([one.name for one in found.programs], ["b", "c:1", "b + c:1"])
        self.assertEqual(found.programs[2].command, ("x", "y", "a/b", "a/c:1"))
        self.assertEqual(found.warm_up, 0)

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
        with_tasks=("fib",),
        with_both=("lu",),
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
            ("lu", ("--with=loops",), ("--with=tasks",)),
        ):
            with self.subTest(program):
                self.assertEqual(self.SIZES.version(program, static), loops)
                self.assertEqual(self.SIZES.version(program, fifo), tasks)

    def test_table_of_versions(self):
        start = '[arguments]\ncg = { standard = "" }\n'
        self.assertEqual(matrix.read_sizes(self.file("p.toml", start)).with_tasks, ())
        wrong = self.file("p.toml", f'with_both = ["lu"]\n{start}')
        with self.assertRaisesRegex(SpecError, "p.toml: 'arguments' has no line for 'lu'"):
            matrix.read_sizes(wrong)

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
                "lu static ours --with=loops",
                "lu static stock --with=loops",
                "lu tasks:upstream ours --with=tasks",
                "lu tasks:upstream stock --with=tasks",
                "lu tasks:fifo ours --with=tasks",
            ],
        )
        self.assertEqual(
            self.planned(text, everything, machine=1),
            [
                "fib tasks:upstream virtual",
                "fib tasks:fifo virtual",
                "cg static virtual",
                "lu static virtual --with=loops",
                "lu tasks:upstream virtual --with=tasks",
                "lu tasks:fifo virtual --with=tasks",
            ],
        )
        alone = ["cg static virtual", "lu static virtual --with=loops"]
        self.assertEqual(self.planned(text, everything, machine=2), alone)

    def test_only_tasks(self):
        text = 'tasks = [{ is = "fifo", without = ["l*"] }]\nmachines = ["as is"]\n'
        self.assertEqual(self.planned(text, {"ours", "stock"}), ["fib tasks:fifo ours"])


if __name__ == "__main__":
    unittest.main()
