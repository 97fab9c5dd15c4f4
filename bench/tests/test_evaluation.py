# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of bench/run and bench/report: matrices, campaigns on made-up programs, and reports."""

import csv
import itertools
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from evaluation import (  # noqa: E402
    campaign,
    counters,
    energy,
    factors,
    machines,
    matrix,
    papi,
    record,
    results,
    runner,
    scaling,
    specs,
    stats,
    summary,
    tables,
)
from evaluation.specs import SpecError  # noqa: E402
from harness import runtimes  # noqa: E402
from harness.machine import own_cpus  # noqa: E402

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


class Specs(unittest.TestCase):
    def test_machines(self):
        self.assertEqual(specs.machine("as is").classes, ())
        steal = specs.machine("steal 1x2+1x1")
        self.assertEqual((steal.kind, steal.classes), ("steal", ((1, 2.0), (1, 1.0))))
        virtual = specs.machine({"is": "virtual 4x3.0+0x1.0", "name": "A", "spread": None})
        self.assertEqual((virtual.name, virtual.cores, virtual.virtual), ("A", 4, True))

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
        self.assertEqual([partial.suits(name, ["npb/is", "cg"]) for name in ("npb/is", "cg")], [False, True])
        inline = specs.schedule({"is": "static", "inline": True, "label": "static threads"})
        self.assertEqual([inline.suits(name, ["cg", "cg-inline", "ft"]) for name in ("cg", "ft")], [True, False])
        self.assertEqual(inline.executable("cg"), "cg-inline")

    def test_wrong_schedules(self):
        for entry in ("", "static 4", {"is": "static", "runtimes": ["icc"]}, {"is": "a", "x": 1}):
            with self.subTest(entry), self.assertRaises(SpecError):
                specs.schedule(entry)

    def test_cpus_of_classes(self):
        classes = specs.parse_classes("2x3+1x2+1x1")
        cpus = machines.assign((0, 1, 4, 5, 6, 7), classes)
        self.assertEqual(cpus, ((0, 1), (6,), (7,)))
        options = machines.steal_options(cpus, classes)
        self.assertEqual(options, ["--small", "6", "--sf", "1.5", "--small", "7", "--sf", "3"])


class Matrices(Scratch):
    def test_those_of_the_repository(self):
        sizes = matrix.read_sizes(BENCH / "matrix" / "programs.toml")
        for path in (BENCH / "matrix").glob("*.toml"):
            if path.stem != "programs":
                with self.subTest(path.stem):
                    found = matrix.read(path)
                    for where in found.machines:
                        self.assertTrue(found.chosen(list(sizes.table), sizes, where))
        for name in sizes.table:
            sizes.arguments(name, "smallest")

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

    def test_wrong_ones(self):
        good = 'schedules = ["static"]\nmachines = ["as is"]\n'
        for text, message in (
            ('schedules = ["static"]', "lacks 'machines'"),
            (good + "colour = 1", "no 'colour'"),
            (good + "rounds = 0", "at least one round"),
            (good + 'rounds = "many"', "not of the kind"),
            (good + 'runtimes = ["icc"]', "no runtime 'icc'"),
            ('schedules = ["static", "static"]\nmachines = ["as is"]', "two schedules"),
            ("schedules = [", "m.toml"),
        ):
            with self.subTest(text), self.assertRaisesRegex(SpecError, message):
                matrix.read(self.file("m.toml", text))


PROGRAM = """#!/bin/sh
echo run >> {log}
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

    def program(self, bad: str) -> None:
        text = PROGRAM.format(log=self.log, bad=bad, library=self.library)
        self.file("bench/app", text).chmod(0o755)

    def measure(self, rounds: int = 2) -> campaign.Outcome:
        self.log.write_text("")
        found = matrix.Matrix(
            "test",
            rounds,
            1,
            "s",
            (matrix.Program("app", ("--size=1",)),),
            ("ours", "llvm"),
            tuple(map(specs.schedule, ("static", "dynamic best of 8, 64", "static_steal"))),
            (specs.machine("as is"),),
        )
        scratch = Path(tempfile.mkdtemp(dir=self.directory))
        ours = runtimes.linked("ours", self.library, scratch)
        sizes = matrix.Sizes({})
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
        )
        return one.measure()

    def runs(self) -> int:
        return len(self.log.read_text().splitlines())

    def test_measures_and_drops_the_warm_up(self):
        outcome = self.measure()
        self.assertEqual((outcome.measured, outcome.failures), (6, []))
        self.assertEqual(self.runs(), 9)
        rows = record.read(self.csv)
        self.assertEqual({row["round"] for row in rows}, {"1", "2"})
        self.assertEqual({row["schedule"] for row in rows}, {"static", "dynamic,8", "dynamic,64"})
        self.assertEqual(rows[0]["library_sha256"], record.short_hash(self.library))
        self.assertEqual(rows[0]["pinning"], ",".join(f"{{{cpu}}}" for cpu in own_cpus()))
        self.assertIn("0 runs left", self.notes[-1])

    def test_goes_on_where_it_was(self):
        self.measure()
        outcome = self.measure()
        self.assertEqual((outcome.measured, outcome.skipped, self.runs()), (0, 6, 0))
        self.assertEqual(self.measure(rounds=3).measured, 3)

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
        text = tables.machine_section(machine, None)
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


class Instruments(Scratch):
    @unittest.skipIf(counters.missing(), "no software events here")
    def test_software_events(self):
        events = counters.SoftwareEvents()
        spin = "x = 0\nwhile x < 2_000_000: x += 1"
        subprocess.run([sys.executable, "-c", spin], preexec_fn=events.in_child, check=True)
        values = events.values()
        self.assertGreater(values["task_clock_ns"], 10_000_000)
        self.assertGreater(values["page_faults"], 100)

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
        self.assertEqual(energy.PackageEnergy(self.directory / "none").zones, [])

    @unittest.skipUnless(shutil.which("gcc"), "no compiler here")
    def test_papi(self):
        source = self.file("papi.c", PAPI)
        library = self.directory / "libpapi.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        hardware = papi.Counters((0, 3), str(library))
        hardware.start()
        counts = hardware.stop()
        self.assertEqual(counts[3], {"instructions": 30, "cycles": 31, "llc_misses": 32})
        split = papi.by_class(counts, ((3,), (0,)))
        self.assertEqual(split["cycles"], "31/1")
        with self.assertRaisesRegex(papi.PapiError, "CPU 9"):
            papi.Counters((9,), str(library))

    def test_factors_of_loops(self):
        saved = self.file("sf", "# format\na+0x20 0:1,1:2 # 1\na+0x3 0:1,1:2 # 1\n")
        self.assertEqual(factors.loops(saved), ["a+0x3", "a+0x20"])
        values = sorted(factors.spread([str(i) for i in range(50)], 1, 8.9).values())
        self.assertTrue(1 <= values[0] < 1.1 and 8 < values[-1] <= 8.9)
        self.assertLess(max(b / a for a, b in itertools.pairwise(values)), 1.15)
        target = self.directory / "spread"
        factors.write_spread(saved, target, 2, 2)
        self.assertEqual(target.read_text(), "a+0x3 1:2.0000\na+0x20 1:2.0000\n")


# A PAPI of version 6 that knows no level 3, no CPU 9, and counts ten times the CPU's number.
PAPI = """
#include <string.h>
static int cpu_of[16], events_of[16], sets;
struct option { int set; unsigned cpu; };
int PAPI_library_init (int version) { return version == 6 << 24 ? version : -1; }
int PAPI_create_eventset (int *set) { *set = sets++; return 0; }
int PAPI_assign_eventset_component (int set, int component) { return component; }
int PAPI_set_opt (int what, struct option *o)
{ if (what != 27 || o->cpu == 9) return -1; cpu_of[o->set] = o->cpu; return 0; }
int PAPI_add_named_event (int set, const char *name)
{ if (strstr (name, "L3")) return -7; events_of[set]++; return 0; }
int PAPI_start (int set) { return 0; }
int PAPI_stop (int set, long long *values)
{ for (int i = 0; i < events_of[set]; i++) values[i] = 10 * cpu_of[set] + i; return 0; }
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

    def machine(self) -> results.Machine:
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
        self.assertEqual((cell.schedule, cell.seconds), ("dynamic,64", [1.25, 2.0, 1.5]))

    def test_speed_is_taken_by_rounds(self):
        found = self.machine()
        column, static = results.Column("aid_hybrid", "virtual"), found.baseline("static")
        self.assertAlmostEqual(found.speed("ep", column, static), 2.0)
        self.assertAlmostEqual(found.share("ep", column), 1.0)
        self.assertAlmostEqual(found.share("is", column), 0.5 / 1.1)
        self.assertIsNone(found.speed("is", results.Column("dynamic", "virtual"), static))

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

    def test_baseline_is_the_stock_runtimes(self):
        self.rows = [
            *rows("m", "as is", "ep", "static", (1,), runtime="llvm"),
            *rows("m", "as is", "ep", "static", (2,), runtime="stock"),
        ]
        self.assertEqual(self.machine().baseline("static").runtime, "stock")

    def test_a_later_library_replaces_the_earlier(self):
        self.rows += rows(*self.A, "is", "aid_hybrid", (0.5,), library_sha256="new")
        cell = self.machine().cells["is", results.Column("aid_hybrid", "virtual")]
        self.assertEqual(cell.seconds, [0.5])

    def test_speedups_over_one_core(self):
        alone = rows("one", "virtual 1x3+1x1", "ep", "static", (16, 16))
        everything = results.machines(self.rows + alone)
        reference = next(one for one in everything if one.name == "one")
        found = scaling.scaling([one for one in everything if one is not reference], reference)
        self.assertEqual(found.ideal, {"A": 16.0})
        static = results.Column("static", "virtual")
        self.assertAlmostEqual(found.speedups["ep", static, "A"], 16 / 3)

    def test_command(self):
        path = self.directory / "in.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, record.COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows)
        out = self.directory / "out"
        subprocess.run([BENCH / "report", path, "--out", out], check=True, capture_output=True)
        text = (out / "report.md").read_text()
        self.assertIn("is: aid_hybrid 10.0 % behind static(BS)", text)
        self.assertIn("2.00 (100 %)", text)
        missing = subprocess.run([BENCH / "report", out / "none.csv"], capture_output=True)
        self.assertEqual(missing.returncode, 2)


if __name__ == "__main__":
    unittest.main()
