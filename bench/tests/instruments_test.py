# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what is counted of a run, and of the model of power beside what was measured."""

import itertools
import shutil
import subprocess
import sys
import unittest

from support import BENCH, Scratch

from lab import (
    counters,
    energy,
    factors,
    instruments,
    machines,
    matrix,
    power,
    record,
    results,
    specs,
    study,
)
from lab.machines import own_cpus


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


class Energy(Scratch):
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
        self.assertIn(power.table(), (BENCH.parent / "docs/results/odroid/report.md").read_text())

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


if __name__ == "__main__":
    unittest.main()
