#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how the built library takes its environment, through the programs probe.c and blocks.c.

The arguments that unittest does not know come first: --probe, --blocks, --under, --library,
--topologies, --document, --generator, --source; see CMakeLists.txt.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

CPUS = sorted(os.sched_getaffinity(0))
GARBAGE = "\x01\xfe~%s%n" * 1500  # 10 kB and more
DEFAULT = "schedule 2 1"  # dynamic,1
SKIPPED = 77


class Run:
    """One run of the probe, or of PROGRAM, with the variables VALUES in a clean environment."""

    def __init__(self, cpus=None, program=(), **values):
        variables = environment.clean(**{"LD_LIBRARY_PATH": str(OPTIONS.library), **values})
        command = [*OPTIONS.under, *(program or [OPTIONS.probe])]
        if cpus is not None:
            command = ["taskset", "-c", ",".join(map(str, cpus))] + command
        done = subprocess.run(
            command,
            env={
                key: value if isinstance(value, bytes) else value.encode("latin-1")
                for key, value in variables.items()
            },
            capture_output=True,
            timeout=60,
            check=False,
        )
        self.status = done.returncode
        self.lines = done.stdout.decode().splitlines()
        self.error = done.stderr.decode("latin-1")
        said = re.findall(r"^libgomp: (.*)$", self.error, re.MULTILINE)
        # What is reported at the end is no complaint.
        self.folded = [line for line in said if line.startswith(("folded ", "region "))]
        self.messages = [line for line in said if line not in self.folded]
        # A line of upstream's begins with what the value is for: [host], [all], [device] or
        # [number]. The host's values are in display by name, as ours are.
        self.display, self.devices = {}, {}
        for device, name, value in re.findall(
            r"^  (?:\[(\w+)\] )?(\w+) = '(.*)'$", self.error, re.MULTILINE
        ):
            if device:
                self.devices[name, device] = value
            if device in ("", "host"):
                self.display[name] = value
            elif device == "all":
                self.display.setdefault(name, value)
        self.threads = [line.split()[2:] for line in self.lines if line.startswith("thread ")]

    def schedule(self):
        return self.lines[0]


class EnvironmentTest(unittest.TestCase):
    """Assertions that the tests below share."""

    def clean(self, run):
        """RUN worked, and there was no message."""
        self.assertEqual(run.messages, [])
        self.ran(run)

    def ran(self, run):
        self.assertEqual(run.status, 7, run.error)
        self.assertEqual(run.lines[-1], "wrong 0")

    def refused(self, name, value, expected, **others):
        """VALUE gets one message, as the project's rules want it; returns the run."""
        run = Run(OMP_DISPLAY_ENV="verbose", **{name: value}, **others)
        self.ran(run)
        self.assertEqual(len(run.messages), 1, f"{name}={value[:80]!r}: {run.messages}")
        message = run.messages[0]
        shown = "".join(c if " " <= c <= "~" else "?" for c in value)
        if len(shown) > 64:
            shown = shown[:61] + "..."
        self.assertTrue(message.startswith(f"{name}: '{shown}': "), message)
        self.assertRegex(message, "[:;] expected " + re.escape(expected))
        self.assertRegex(message, r"; using [^;]+$")
        self.assertLess(len(message), 500)
        return run


class Schedule(EnvironmentTest):
    """OMP_SCHEDULE."""

    GOOD = {
        "aid_static": ("40000001 0", "AID_STATIC"),
        "AID-Static,7": ("40000001 7", "AID_STATIC,7"),
        " aid_hybrid , 4 , 70 ": ("40000002 4", "AID_HYBRID,4,70"),
        "aid_hybrid,,70": ("40000002 0", "AID_HYBRID,,70"),
        "aid_hybrid,4": ("40000002 4", "AID_HYBRID,4"),
        "nonmonotonic:aid_dynamic,2,9": ("40000003 2", "AID_DYNAMIC,2,9"),
        "aid_dynamic,9": ("40000003 9", "AID_DYNAMIC,9"),
        "monotonic : aid_hybrid": ("c0000002 0", "MONOTONIC:AID_HYBRID"),
        "static": ("80000001 0", "STATIC"),
        "guided,3": ("3 3", "GUIDED,3"),
        "nonmonotonic:dynamic": ("2 1", "DYNAMIC"),
    }
    BAD = [
        "",
        "aid",
        "aid_",
        "aid_foo",
        "aid_staticx",
        "aid_static,",
        "aid_static,0",
        "aid_static,-1",
        "aid_static,1,2",
        "aid_static,99999999999999999999",
        "aid_hybrid,1,0",
        "aid_hybrid,1,101",
        "aid_hybrid,1,abc",
        "aid_hybrid,,",
        "aid_dynamic,,5",
        "aid_dynamic,9,5",
        "static_aid",
        "monotonic aid_static",
        GARBAGE,
    ]

    def test_good(self):
        for value, (schedule, shown) in self.GOOD.items():
            with self.subTest(value):
                run = Run(OMP_SCHEDULE=value, OMP_DISPLAY_ENV="true")
                self.clean(run)
                self.assertEqual(run.schedule(), "schedule " + schedule)
                self.assertEqual(run.display["OMP_SCHEDULE"], shown)

    def test_bad(self):
        for value in self.BAD:
            with self.subTest(value[:80]):
                run = self.refused("OMP_SCHEDULE", value, "aid_static[,chunk], aid_hybrid")
                self.assertEqual(run.schedule(), DEFAULT)
                self.assertEqual(run.display["OMP_SCHEDULE"], "DYNAMIC")

    def test_variables_of_devices(self):
        """Each has a value of its own; the host has OMP_SCHEDULE_ALL's if OMP_SCHEDULE is unset."""
        values = {
            "OMP_SCHEDULE": "aid_hybrid,,50",
            "OMP_SCHEDULE_ALL": "aid_hybrid,6,60",
            "OMP_SCHEDULE_DEV": "aid_dynamic,2,8",
            "OMP_SCHEDULE_DEV_3": "monotonic:aid_static",
        }
        run = Run(OMP_DISPLAY_ENV="true", **values)
        self.clean(run)
        self.assertEqual(run.schedule(), "schedule 40000002 0")
        for device, shown in {
            "host": "AID_HYBRID,,50",
            "all": "AID_HYBRID,6,60",
            "device": "AID_DYNAMIC,2,8",
            "3": "MONOTONIC:AID_STATIC",
        }.items():
            self.assertEqual(run.devices["OMP_SCHEDULE", device], shown)
        del values["OMP_SCHEDULE"]
        run = Run(**values)
        self.clean(run)
        self.assertEqual(run.schedule(), "schedule 40000002 6")
        for name in values:
            self.refused(name, "static_aid", "aid_static[,chunk], aid_hybrid")

    def test_every_schedule_runs_every_iteration_once(self):
        for value in ("aid_static", "aid_hybrid", "aid_dynamic", "aid_hybrid,3,10"):
            for classes in ("0", "0,1", "0,1,2"):
                with self.subTest(value=value, classes=classes):
                    self.clean(
                        Run(
                            OMP_SCHEDULE=value,
                            OMP_NUM_THREADS="4",
                            GOMP_AMP_THREAD_CLASSES=classes,
                        )
                    )


class Blocks(EnvironmentTest):
    """What the loops of blocks.c run as."""

    ENTRIES = ("routed", "ull", "combined", "reduction")

    def regions(self, *cases, trips=1000, cpus=None, **values):
        """The region that each of CASES is, in the order in which they ended."""
        run = Run(cpus, [OPTIONS.blocks, str(trips), *cases], **values)
        self.assertEqual(run.status, 7, run.error)
        self.assertEqual(run.messages, [])
        regions = [json.loads(line) for line in run.lines]
        for region in regions:
            at = 0
            for start, end, _ in region["blocks"]:
                self.assertEqual(start, at)
                at = end
            self.assertEqual(at, trips)
        return regions

    @staticmethod
    def sizes(region):
        return [end - start for start, end, _ in region["blocks"]]


class RoutedSchedule(Blocks):
    """GOMP_AMP_SCHEDULE: the schedule of loops that the compiler routed."""

    GOOD = {
        "static": "STATIC",
        "STATIC,0": "STATIC",
        " static , 10 ": "STATIC,10",
        "nonmonotonic:static,4": "NONMONOTONIC:STATIC,4",
        "dynamic": "DYNAMIC",
        "dynamic,1": "DYNAMIC",
        "monotonic : dynamic,7": "MONOTONIC:DYNAMIC,7",
        "guided,20": "GUIDED,20",
        "auto": "AUTO",
        "auto,5": "AUTO",
        "aid-static,3": "AID_STATIC,3",
        "aid_hybrid,,50": "AID_HYBRID,,50",
        "aid_hybrid,,80": "AID_HYBRID,,80",
        "monotonic:aid_dynamic,2,9": "MONOTONIC:AID_DYNAMIC,2,9",
    }
    AID = {"OMP_NUM_THREADS": "2", "GOMP_AMP_THREAD_CLASSES": "0,1", "GOMP_AID_SF": "1:3"}
    ALIKE = {"OMP_NUM_THREADS": "2", "GOMP_AMP_THREAD_CLASSES": "0"}

    def test_display_shows_both_variables_and_what_routed_loops_run_as(self):
        for value, shown in self.GOOD.items():
            with self.subTest(value):
                run = Run(GOMP_AMP_SCHEDULE=value, OMP_DISPLAY_ENV="verbose")
                self.clean(run)
                self.assertEqual(run.schedule(), DEFAULT)
                self.assertEqual(run.display["OMP_SCHEDULE"], "DYNAMIC")
                self.assertEqual(run.display["GOMP_AMP_SCHEDULE"], shown)
                self.assertEqual(run.display["LIBGOMP_AMP_ROUTED_SCHEDULE"], shown)
        for values, shown in (
            ({}, "AID_HYBRID"),
            ({"OMP_SCHEDULE": "static"}, "STATIC"),
            ({"OMP_SCHEDULE": "nonmonotonic:static"}, "NONMONOTONIC:STATIC"),
            ({"OMP_SCHEDULE": "auto,4"}, "AUTO"),
            ({"OMP_SCHEDULE": "monotonic:guided,4"}, "MONOTONIC:GUIDED,4"),
            ({"OMP_SCHEDULE": "aid_hybrid,,50"}, "AID_HYBRID,,50"),
            ({"OMP_SCHEDULE": "guided", "GOMP_AMP_SCHEDULE": "aid_hybrid,4"}, "AID_HYBRID,4"),
        ):
            with self.subTest(values):
                run = Run(OMP_DISPLAY_ENV="verbose", **values)
                self.clean(run)
                self.assertEqual(
                    run.display["GOMP_AMP_SCHEDULE"], shown if "GOMP_AMP_SCHEDULE" in values else ""
                )
                self.assertEqual(run.display["LIBGOMP_AMP_ROUTED_SCHEDULE"], shown)

    def test_bad_ones_are_refused_in_its_name(self):
        for value in [
            *Schedule.BAD,
            "static,",
            "static,x",
            "dynamic,-1",
            "guided,1,2",
            "auto,,",
            "static,4294967296",
            "runtime",
            "staticx",
        ]:
            with self.subTest(value[:80]):
                run = self.refused(
                    "GOMP_AMP_SCHEDULE",
                    value,
                    "aid_static[,chunk], aid_hybrid",
                    OMP_SCHEDULE="guided",
                )
                self.assertEqual(run.display["GOMP_AMP_SCHEDULE"], "")
                self.assertEqual(run.display["LIBGOMP_AMP_ROUTED_SCHEDULE"], "GUIDED")

    def test_every_entry_of_a_routed_loop_runs_it(self):
        # What the library says of a team of two classes, and of one class; and the blocks' size.
        expected = {
            "static,10": ([1, 10, 0], [1, 10, 0], 10),
            "static": ([1, 0, 0], [1, 0, 0], 500),
            "auto": ([1, 0, 0], [1, 0, 0], 500),
            "dynamic,40": ([2, 40, 0], [2, 40, 0], 40),
            "aid_dynamic,3,9": ([0x40000003, 3, 9], [2, 3, 0], 3),
        }
        for value, (two, one, size) in expected.items():
            for entry in self.ENTRIES:
                for classes, schedule in ((self.AID, two), (self.ALIKE, one)):
                    with self.subTest(value=value, entry=entry, classes=classes):
                        (region,) = self.regions(entry, GOMP_AMP_SCHEDULE=value, **classes)
                        self.assertEqual(region["schedule"], schedule)
                        sizes = self.sizes(region)
                        self.assertEqual(sizes[0], size)
                        if schedule[0] in (1, 2):
                            self.assertEqual(set(sizes[:-1]), {size})
        for entry in self.ENTRIES:
            (region,) = self.regions(entry, GOMP_AMP_SCHEDULE="guided,20", **self.AID)
            self.assertEqual(region["schedule"], [3, 20, 0])
            self.assertEqual(self.sizes(region)[:3], [500, 250, 125])

    def test_it_beats_omp_schedule_and_keeps_its_own_second_argument(self):
        for percent, least, most in ((50, 150, 375), (80, 375, 600)):
            for entry in self.ENTRIES:
                with self.subTest(percent=percent, entry=entry):
                    (region,) = self.regions(
                        "meetings=2",
                        entry,
                        OMP_SCHEDULE="aid_hybrid,1,20",
                        GOMP_AMP_SCHEDULE=f"aid_hybrid,1,{percent}",
                        **self.AID,
                    )
                    self.assertEqual(region["schedule"], [0x40000002, 1, percent])
                    greatest = max(self.sizes(region))
                    self.assertLessEqual(greatest, most)
                    self.assertGreater(greatest, least)

    def test_omp_schedule_keeps_loops_of_the_programs_own(self):
        for values in ({}, {"OMP_SCHEDULE": "dynamic,30"}, {"OMP_SCHEDULE": "static,30"}):
            own, routed = self.regions(
                "runtime", "routed", GOMP_AMP_SCHEDULE="static,10", **values, **self.AID
            )
            self.assertEqual(set(self.sizes(own)[:-1]), {30 if values else 1})
            self.assertEqual(set(self.sizes(routed)), {10})
        regions = self.regions(
            "runtime",
            "set=1,20",
            "runtime",
            *self.ENTRIES,
            GOMP_AMP_SCHEDULE="static,10",
            **self.AID,
        )
        self.assertEqual([self.sizes(region)[0] for region in regions], [1, 20, 10, 10, 10, 10])
        # Without it OMP_SCHEDULE counts for both.
        for region in self.regions("runtime", *self.ENTRIES, OMP_SCHEDULE="static,10", **self.AID):
            self.assertEqual(set(self.sizes(region)), {10})


class Options(EnvironmentTest):
    """Every option of options.def: (name, good values, bad values, expected, shown if bad)."""

    ROWS = [
        (
            "GOMP_AMP_TOPOLOGY",
            [",".join(f"{cpu}={10 + cpu}" for cpu in CPUS), "0-5000=1024", "off", "/sys"],
            ["", " ", "0-", "0-5000", "0-5000=0", "0-5000=x", "hwlock", "/nonexistent", GARBAGE],
            "a list such as",
            None,
        ),
        (
            "GOMP_AMP_SCHEDULE",
            ["static", "Dynamic,2", "guided,3", "auto", "aid_hybrid,,50", "aid_dynamic,1,5"],
            ["", "aid", "static,x", "aid_hybrid,1,101", GARBAGE],
            "aid_static[,chunk], aid_hybrid",
            "",
        ),
        (
            "GOMP_AMP_AFFINITY",
            ["BS", "sb", " True", "FALSE"],
            ["", "big", "BS,SB", "2", GARBAGE],
            "BS (big cores to small; or true), SB (small cores to big) or false",
            "FALSE",
        ),
        (
            "GOMP_AMP_FOLD",
            ["0", "3", " 64 ", "auto", "AUTO"],
            ["", "-1", "65", "automatic", "3,4", GARBAGE],
            "a number of threads for each core",
            "0",
        ),
        (
            "GOMP_AMP_FOLD_CALLS",
            ["off", "ALL", " Auto "],
            ["", "  ", "on", "all,auto"],
            "auto, all or off",
            "AUTO",
        ),
        ("GOMP_AMP_PROGRAM", ["/dev/null"], ["", "  "], "the name of a file", ""),
        ("GOMP_AMP_FOLD_REPORT", ["/dev/null"], ["", "  "], "the name of a file", ""),
        ("GOMP_AMP_REPORT", ["/dev/null"], ["", "  "], "the name of a file", ""),
        ("GOMP_AMP_TRACE", ["/dev/null"], ["", "  "], "the name of a file", ""),
        (
            "GOMP_AID_SAMPLE_NS",
            ["0", " 1000000000 "],
            ["", "-1", "1000000001", "1e3", "2 3", GARBAGE],
            "a number of nanoseconds, 0..1000000000",
            "2000",
        ),
        (
            "GOMP_AID_SF",
            ["1:2.5", "0:1, 1:4", "63:1000"],
            ["", "2.5", "1:0.5", "1:2,1:2", "64:2", "1:1001", "1:2,5", GARBAGE],
            "class:SF,...",
            "",
        ),
        ("GOMP_AID_SF_FILE", ["/nonexistent"], [""], "the name of a file", ""),
        ("GOMP_AID_SF_SAVE", ["/nonexistent"], ["", "  "], "the name of a file", ""),
        (
            "GOMP_TASK_SCHEDULE",
            ["upstream", "FIFO", " fifo "],
            ["", "lifo", "fifo,upstream", "1", GARBAGE],
            "upstream or fifo",
            "UPSTREAM",
        ),
        (
            "GOMP_TASK_QUEUE_NS",
            ["0", "1000000000"],
            ["", "-1", "1000000001", "100ns", GARBAGE],
            "a number of nanoseconds, 0..1000000000",
            "100",
        ),
        ("GOMP_AMP_NOTICE", ["on", "OFF"], ["", "no", GARBAGE], "on or off", "ON"),
        (
            "GOMP_AMP_TEST_RANGES",
            ["fixed", "MEASURED", " Fixed "],
            ["", "  ", "moved", "fixed,measured"],
            "measured or fixed",
            "MEASURED",
        ),
        (
            "GOMP_AMP_TEST_SF_MAX",
            ["1", "1000"],
            ["", "0", "1001", "2.5", GARBAGE],
            "a number",
            "32",
        ),
        (
            "GOMP_AMP_TEST_QUEUE_LIMIT",
            ["1", "1000000000"],
            ["", "0", "-1", "1000000001", "1e6", GARBAGE],
            "a number of tasks, 1..1000000000",
            "65536",
        ),
        (
            "GOMP_AMP_THREAD_CLASSES",
            ["0", "0,1, 1", "63"],
            ["", "a", "0,", "64", "-1", GARBAGE],
            "class,...",
            "",
        ),
    ]

    TABLE = "options/options.def"

    def others(self, name=""):
        """What else is in the environment of a run with the option NAME."""
        # The probe's threads wait for each other by spinning, which takes long where 64 of them
        # take turns.
        return {"OMP_NUM_THREADS": "1"} if name == "GOMP_AMP_FOLD" else {}

    def test_folded_teams_are_reported(self):
        with tempfile.NamedTemporaryFile() as file:
            fold = {"OMP_NUM_THREADS": "2", "GOMP_AMP_FOLD": "3", "GOMP_AMP_FOLD_REPORT": file.name}
            run = Run(OMP_DISPLAY_ENV="verbose", **fold)
            self.ran(run)
            teams = r"^folded teams of 6 threads \(.*\): \d+ switches, "
            self.assertRegex("\n".join(run.folded), re.compile(teams, re.MULTILINE))
            self.assertEqual(Run(**fold).folded, [])
            self.assertEqual(Run(OMP_DISPLAY_ENV="verbose").folded, [])
            lines = pathlib.Path(file.name).read_text().splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            (team,) = json.loads(line)["folded"]
            self.assertEqual(sum(worker["ids"] for worker in team["workers"]), 6)
            self.assertGreater(sum(worker["switches"] for worker in team["workers"]), 0)

    def test_table_is_complete(self):
        rows = options_of_source(self.TABLE)
        if self.TABLE == "options/options.def":
            rows += options_of_source("options/test-options.def")
        self.assertEqual([row[0] for row in self.ROWS], rows)

    def test_defaults(self):
        run = Run(OMP_DISPLAY_ENV="verbose", **self.others())
        self.clean(run)
        for name, _, _, _, default in self.ROWS:
            self.assertEqual(run.display[name], default or "")

    def test_good(self):
        for name, values, _, _, _ in self.ROWS:
            for value in values:
                with self.subTest(name=name, value=value):
                    run = Run(OMP_DISPLAY_ENV="verbose", **{name: value}, **self.others(name))
                    self.clean(run)
                    self.assertEqual(
                        run.display[name].upper().replace("TRUE", "BS"),
                        value.strip().upper().replace("TRUE", "BS"),
                    )

    def test_bad(self):
        for name, _, values, expected, default in self.ROWS:
            for value in values:
                with self.subTest(name=name, value=value[:80]):
                    run = self.refused(name, value, expected, **self.others(name))
                    if default is not None:
                        self.assertEqual(run.display[name], default)
                    self.assertEqual(run.schedule(), DEFAULT)

    def test_bad_ones_are_reported_in_programs_that_use_nothing_of_ours(self):
        run = Run(GOMP_AMP_TOPOLOGY="nonsense", GOMP_AMP_TEST_SF_MAX="x")
        self.ran(run)
        self.assertEqual(len(run.messages), 2)


class UnknownVariables(EnvironmentTest):
    """Variables that look like options and are none."""

    MISSPELT = {
        "GOMP_AMP_AFINITY": "GOMP_AMP_AFFINITY",
        "GOMP_AMP_affinity": "GOMP_AMP_AFFINITY",
        "GOMP_AMP_SHEDULE": "GOMP_AMP_SCHEDULE",
        "GOMP_AID_SCHEDULE": "GOMP_AMP_SCHEDULE",
        "GOMP_AID_SAMPLE": "GOMP_AID_SAMPLE_NS",
        "GOMP_AMP_SF_FILE": "GOMP_AID_SF_FILE",
        "GOMP_AMP_TEST_SF_MAXX": "GOMP_AMP_TEST_SF_MAX",
        "GOMP_TASK_SCHED": "GOMP_TASK_SCHEDULE",
        "GOMP_AMP_TEST_QUEUE_LIMITS": "GOMP_AMP_TEST_QUEUE_LIMIT",
        "GOMP_AMP_VIRTUL": "GOMP_AMP_VIRTUAL",
    }

    def test_each_gets_one_line_with_the_nearest_name(self):
        for name, nearest in self.MISSPELT.items():
            with self.subTest(name):
                run = Run(OMP_NUM_THREADS="2", **{name: "x"})
                self.ran(run)
                self.assertEqual(
                    run.messages,
                    [f"unknown environment variable {name}; did you mean {nearest}? It is ignored"],
                )
        run = Run(**dict.fromkeys(self.MISSPELT, ""))
        self.ran(run)
        self.assertEqual(len(run.messages), len(self.MISSPELT))

    def test_what_resembles_nothing_has_no_suggestion(self):
        for name in ("GOMP_AMP_", "GOMP_TASK_XYZZY", "GOMP_AID_COLOUR", "GOMP_AMP_QUX"):
            with self.subTest(name):
                run = Run(**{name: "1"})
                self.ran(run)
                self.assertEqual(
                    run.messages, [f"unknown environment variable {name}; it is ignored"]
                )

    def test_shown_name_is_short_and_printable(self):
        for name, shown in (
            ("GOMP_AMP_\x1b[31m\n%s%n", "GOMP_AMP_?[31m?%s%n"),
            ("GOMP_AMP_" + 54 * "A", "GOMP_AMP_" + 54 * "A"),
            ("GOMP_AMP_" + 55 * "A", "GOMP_AMP_" + 51 * "A" + "..."),
            ("GOMP_AMP_" + 100000 * "A", "GOMP_AMP_" + 51 * "A" + "..."),
        ):
            with self.subTest(shown):
                run = Run(**{name: "1"})
                self.ran(run)
                self.assertEqual(
                    run.messages, [f"unknown environment variable {shown}; it is ignored"]
                )

    def test_others_are_left_alone(self):
        names = options_of_source("virtual/options.def")
        names += [
            "GOMP_SPINCOUNT_",
            "GOMP_AMP",
            "GOMP_AIDE",
            "GOMP_TASKS",
            "OMP_AMP_X",
            "gomp_amp_x",
            "XGOMP_AMP_X",
            "GOMP",
        ]
        self.clean(Run(**dict.fromkeys(names, "1")))


# A file of factors for any machine, of no loop.
NO_LOOPS = pathlib.Path(__file__).with_name("no-loops.factors")


class LabOptions(Options):
    """The options of the lab's library alone, by that library."""

    TABLE = "virtual/options.def"
    ROWS = [
        (
            "GOMP_AMP_VIRTUAL",
            ["4x3.0+4x1.0", "1x1", "1024x0.001", "2x3+1x2.5+7x1"],
            [
                "",
                "4",
                "4x",
                "x1",
                "0x1",
                "4x0",
                "4x1+",
                "4x1+4x1",
                "4x1+4x3",
                "4x3 4x1",
                "1025x1",
                "1000x2+25x1",
                "4x1001",
                "4x-1",
                "4xinf",
                "4x3.0,4x1.0",
                GARBAGE,
            ],
            "classes of cores, COUNTxSPEED",
            None,
        ),
        ("GOMP_AMP_VIRTUAL_REMOVAL_NS", ["0", "1000000"], ["", "-1", "1000001"], "a number", "100"),
        ("GOMP_AMP_VIRTUAL_WAKE_NS", ["0", "1000000"], ["", "x", "1000001"], "a number", "5000"),
        ("GOMP_AMP_VIRTUAL_TURN_NS", ["0", "1000000"], ["", "x", "1000001"], "a number", "2000"),
        ("GOMP_AMP_VIRTUAL_PATIENCE_MS", ["1", "60000"], ["", "0", "60001"], "a number", "100"),
        ("GOMP_AMP_VIRTUAL_SF", [str(NO_LOOPS)], ["", "  "], "the name of a file", ""),
        (
            "GOMP_AMP_VIRTUAL_BANDWIDTH",
            ["40", "0:10", "40.5 , 0:0.001"],
            ["", "x", "0", "1:10", "40,40", "40 GB/s", "1000001", GARBAGE],
            "GB/s for all cores or CLASS:GB/s",
            None,
        ),
        ("GOMP_AMP_VIRTUAL_DEMAND", [str(NO_LOOPS)], ["", "  "], "the name of a file", ""),
        (
            "GOMP_AMP_VIRTUAL_DEMAND_MBS",
            ["0", "1000000000"],
            ["", "x", "1000000001"],
            "a number",
            "0",
        ),
        ("GOMP_AMP_VIRTUAL_CONDUCTOR", ["0"], ["", "x", "1048577"], "a number", "0"),
        ("GOMP_AMP_VIRTUAL_REPORT", ["/dev/null"], ["", "  "], "the name of a file", ""),
    ]

    def others(self, name=""):
        # One thread: the probe's threads wait for each other by spinning.
        return {"LD_LIBRARY_PATH": f"{OPTIONS.library}/virtual", "OMP_NUM_THREADS": "1"}

    def test_bad_ones_are_reported_in_programs_that_use_nothing_of_ours(self):
        run = Run(GOMP_AMP_VIRTUAL="nonsense", GOMP_AMP_VIRTUAL_REMOVAL_NS="x", **self.others())
        self.ran(run)
        self.assertEqual(len(run.messages), 2)

    def test_production_library_has_none_of_them(self):
        run = Run(OMP_DISPLAY_ENV="verbose", GOMP_AMP_VIRTUAL="nonsense")
        self.clean(run)
        self.assertNotIn("GOMP_AMP_VIRTUAL", run.display)

    def test_malformed_factors_are_reported_line_by_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".sf") as file:
            file.write(
                NO_LOOPS.read_text()
                + "/bin/true+0x0-0x1 1:2\n/bin/true+0x0-0x1\nnonsense\n/bin/true+0x0 2:2\n"
                + "/bin/true+0x0-0x 1:2\n"
            )
            file.flush()
            run = Run(GOMP_AMP_VIRTUAL="1x3+1x1", GOMP_AMP_VIRTUAL_SF=file.name, **self.others())
        self.ran(run)
        starts = [message.split(" ")[0] for message in run.messages]
        self.assertEqual(starts, [f"{file.name}:{line}:" for line in (4, 5, 6, 7)])
        for message, part in zip(
            run.messages, ("class:SF", "class:SF", "classes", "path+0xstart-0xend")
        ):
            self.assertIn(part, message)


class Topology(EnvironmentTest):
    """GOMP_AMP_TOPOLOGY and the classes that come of it."""

    def shown(self, topology, cpus=None):
        run = Run(cpus, OMP_DISPLAY_ENV="verbose", GOMP_AMP_TOPOLOGY=topology)
        self.ran(run)
        return run

    def test_one_class_per_cpu(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        topology = f"{CPUS[0]}=512,{CPUS[1]}=1024"
        run = self.shown(topology, CPUS[:2])
        self.assertEqual(run.messages, [])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "2")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES_FROM"], "GOMP_AMP_TOPOLOGY")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_0"], f"CPUs {CPUS[0]}, capacity 512")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_1"], f"CPUs {CPUS[1]}, capacity 1024")

    def test_mask_that_leaves_one_class(self):
        run = self.shown(f"{CPUS[0]}=512,5000=1024", CPUS[:1])
        self.assertEqual(run.messages, [])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "1")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_0"], f"CPUs {CPUS[0]}, capacity 1024")

    def test_mask_does_not_renumber_classes(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        topology = f"{CPUS[0]}=512,{CPUS[1]}=1024"
        for cpu, own, other in ((CPUS[0], 0, 1), (CPUS[1], 1, 0)):
            run = self.shown(topology, [cpu])
            self.assertEqual(run.messages, [])
            self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "2")
            capacity = ("512", "1024")
            self.assertEqual(
                run.display[f"LIBGOMP_AMP_CLASS_{own}"], f"CPUs {cpu}, capacity {capacity[own]}"
            )
            self.assertEqual(
                run.display[f"LIBGOMP_AMP_CLASS_{other}"], f"CPUs none, capacity {capacity[other]}"
            )

    def test_cpu_named_twice(self):
        run = self.refused("GOMP_AMP_TOPOLOGY", f"0-5000=1,{CPUS[0]}=2", "a list such as")
        self.assertRegex(run.messages[0], r"CPU \d+ is named twice")

    def test_absent_cpus(self):
        run = self.refused("GOMP_AMP_TOPOLOGY", "5000-5003=1", "a list such as")
        self.assertIn("none of the process's CPUs is named", run.messages[0])

    def test_cpu_missing(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        run = self.refused("GOMP_AMP_TOPOLOGY", f"{CPUS[0]}=1", "a list such as")
        self.assertIn(f"CPU {CPUS[1]} is not named", run.messages[0])

    def test_directory(self):
        if CPUS[:2] != [0, 1]:
            self.skipTest("needs CPUs 0 and 1")
        run = self.shown(str(OPTIONS.topologies / "turbo-bins"), [0, 1])
        self.assertEqual(run.messages, [])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "1")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES_FROM"], "cpuinfo_max_freq")


class Affinity(EnvironmentTest):
    """GOMP_AMP_AFFINITY."""

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        self.small, self.big = CPUS[:2]
        self.topology = f"{self.small}=512,{self.big}=1024"

    def threads(self, **values):
        run = Run(CPUS[:2], GOMP_AMP_TOPOLOGY=self.topology, OMP_NUM_THREADS="2", **values)
        self.ran(run)
        return run, run.threads

    def test_big_first(self):
        for value in ("BS", "true"):
            run, threads = self.threads(GOMP_AMP_AFFINITY=value)
            self.assertEqual(run.messages, [])
            self.assertEqual(threads, [[str(self.big)], [str(self.small)]])

    def test_small_first(self):
        run, threads = self.threads(GOMP_AMP_AFFINITY="SB")
        self.assertEqual(run.messages, [])
        self.assertEqual(threads, [[str(self.small)], [str(self.big)]])

    def test_unbound_otherwise(self):
        for values in ({}, {"GOMP_AMP_AFFINITY": "false"}):
            run, threads = self.threads(**values)
            self.assertEqual(run.messages, [])
            self.assertEqual(threads, [[str(self.small), str(self.big)]] * 2)

    def test_explicit_binding_wins_with_one_warning(self):
        for name, value in (
            ("OMP_PROC_BIND", "close"),
            ("OMP_PLACES", f"{{{self.small}}},{{{self.big}}}"),
            ("GOMP_CPU_AFFINITY", f"{self.small} {self.big}"),
        ):
            with self.subTest(name):
                run, threads = self.threads(GOMP_AMP_AFFINITY="BS", **{name: value})
                self.assertEqual(len(run.messages), 1)
                self.assertIn("GOMP_AMP_AFFINITY is ignored", run.messages[0])
                self.assertEqual(threads, [[str(self.small)], [str(self.big)]])

    def test_one_class_is_bound_too(self):
        run = Run(CPUS[:2], GOMP_AMP_TOPOLOGY="off", GOMP_AMP_AFFINITY="BS", OMP_NUM_THREADS="2")
        self.clean(run)
        self.assertEqual(run.threads, [[str(self.small)], [str(self.big)]])

    def sampled(self, **values):
        """What a run of aid_static saves of its samples; None if it takes none."""
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "factors"
            run, _ = self.threads(
                OMP_SCHEDULE="aid_static",
                GOMP_AID_SAMPLE_NS="0",
                GOMP_AID_SF_SAVE=str(file),
                **values,
            )
            self.assertEqual(run.messages, [])
            return file.read_text() if file.exists() else None

    def test_team_bound_to_both_classes_samples(self):
        for values in (
            {"GOMP_AMP_AFFINITY": "BS"},
            {"GOMP_AMP_AFFINITY": "SB"},
            {"OMP_PROC_BIND": "close", "OMP_PLACES": f"{{{self.small}}},{{{self.big}}}"},
            {"OMP_PROC_BIND": "spread", "OMP_PLACES": f"{{{self.small}}},{{{self.big}}}"},
        ):
            with self.subTest(values):
                self.assertRegex(self.sampled(**values) or "", r" 0:[\d.]+,1:[\d.]+ #")

    def test_team_bound_to_one_class_does_not(self):
        places = f"{{{self.small}}},{{{self.big}}}"
        self.assertIsNone(self.sampled(OMP_PROC_BIND="master", OMP_PLACES=places))
        self.assertIsNone(self.sampled(OMP_PROC_BIND="close", OMP_PLACES=f"{{{self.big}}}"))


class Folding(EnvironmentTest):
    """GOMP_AMP_FOLD: how many threads there are, on which workers, and the message about it."""

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        self.small, self.big = CPUS[:2]
        self.topology = f"{self.small}=512,{self.big}=1024"
        self.two_one = (
            "3 threads on 2 workers: "
            f"2 on CPU {self.big} (class 1), 1 on CPU {self.small} (class 0)"
        )

    def shown(self, threads, fold, cpus=CPUS[:2], messages=(), **values):
        """Under VALUES, teams of THREADS run, and the library says of folding what FOLD is; returns
        the run."""
        values = {"GOMP_AMP_TOPOLOGY": self.topology, **values}
        run = Run(cpus, OMP_DISPLAY_ENV="verbose", **values)
        self.ran(run)
        self.assertEqual(run.messages, list(messages))
        self.assertEqual(run.display["LIBGOMP_AMP_FOLD"], fold)
        self.assertEqual(len(run.threads), threads)
        return run

    def test_off(self):
        for values in ({}, {"GOMP_AMP_FOLD": "0"}):
            run = self.shown(2, "off", **values)
            # What auto would do is shown all the same.
            self.assertEqual(run.display["LIBGOMP_AMP_FOLD_AUTO"], self.two_one)

    def test_auto(self):
        self.shown(3, self.two_one, GOMP_AMP_FOLD="auto")
        self.shown(3, self.two_one, GOMP_AMP_FOLD="auto", GOMP_AMP_AFFINITY="BS")

    def test_number(self):
        run = self.shown(
            4,
            "4 threads on 2 workers: "
            f"3 on CPU {self.big} (class 1), 1 on CPU {self.small} (class 0)",
            GOMP_AMP_FOLD="2",
        )
        self.assertEqual(run.display["LIBGOMP_AMP_FOLD_AUTO"], self.two_one)

    def test_cpu_quota(self):
        for tree, quota, threads, shown in (
            ("quota-v1", "1.20 CPUs", 2, "none: the CPU quota is below 1.5 CPUs"),
            (
                "quota-parent",
                "1.50 CPUs",
                6,
                "6 threads on 2 workers: 3 on each of CPUs 0-1 (class 0)",
            ),
        ):
            with self.subTest(tree):
                if CPUS[:2] != [0, 1]:
                    self.skipTest("needs CPUs 0 and 1")
                run = self.shown(
                    threads,
                    shown,
                    GOMP_AMP_FOLD="3",
                    GOMP_AMP_TOPOLOGY=str(OPTIONS.topologies / tree),
                )
                self.assertEqual(run.display["LIBGOMP_AMP_CPU_QUOTA"], quota)

    def test_number_on_equal_cores(self):
        self.shown(
            4,
            f"4 threads on 2 workers: 2 on each of CPUs {self.small}-{self.big} (class 0)"
            if self.big == self.small + 1
            else f"4 threads on 2 workers: 2 on each of CPUs {self.small},{self.big} (class 0)",
            GOMP_AMP_FOLD="2",
            GOMP_AMP_TOPOLOGY="off",
        )

    def test_order_of_workers(self):
        self.shown(
            3,
            "3 threads on 2 workers: "
            f"1 on CPU {self.small} (class 0), 2 on CPU {self.big} (class 1)",
            GOMP_AMP_FOLD="auto",
            GOMP_AMP_AFFINITY="SB",
        )

    def test_nothing_to_fold(self):
        everywhere = [[str(self.small), str(self.big)]] * 2
        bound = [[str(self.small)], [str(self.big)]]
        for affinity, threads in ((None, everywhere), ("SB", bound)):
            with self.subTest(affinity=affinity):
                run = self.shown(
                    2,
                    "none: the cores are equally fast",
                    GOMP_AMP_FOLD="auto",
                    GOMP_AMP_TOPOLOGY="off",
                    GOMP_AMP_AFFINITY=affinity,
                )
                self.assertEqual(run.threads, threads)

    def test_one_worker(self):
        reason = "none: there is only one CPU or thread"
        three = f"3 threads on 1 worker: 3 on CPU {self.big} (class 1)"
        for fold, threads, shown in (("auto", 1, reason), ("1", 1, reason), ("3", 3, three)):
            with self.subTest(fold):
                self.shown(threads, shown, cpus=[self.big], GOMP_AMP_FOLD=fold)
                self.shown(threads, shown, GOMP_AMP_FOLD=fold, OMP_NUM_THREADS="1")

    def test_more_workers_than_possible(self):
        reason = "OMP_NUM_THREADS is over 4096"
        self.shown(
            2,
            f"none: {reason}",
            messages=[f"GOMP_AMP_FOLD has no effect: {reason}"],
            GOMP_AMP_FOLD="2",
            OMP_NUM_THREADS="4097",
            OMP_THREAD_LIMIT="2",
        )

    def test_threads_that_the_user_binds(self):
        reason = "threads are bound by OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY"
        for name, value in (
            ("OMP_PROC_BIND", "close"),
            ("OMP_PLACES", f"{{{self.small}}},{{{self.big}}}"),
            ("GOMP_CPU_AFFINITY", f"{self.small} {self.big}"),
        ):
            with self.subTest(name):
                run = self.shown(
                    2,
                    f"none: {reason}",
                    messages=[f"GOMP_AMP_FOLD has no effect: {reason}"],
                    GOMP_AMP_FOLD="auto",
                    **{name: value},
                )
                self.assertEqual(run.threads, [[str(self.small)], [str(self.big)]])


class HybridProcessor(EnvironmentTest):
    """How often threads spin on a hybrid processor of Intel's."""

    ELSEWHERE = 300000

    def spins(self, **values):
        values["GOMP_AMP_TOPOLOGY"] = f"{CPUS[0]}=512,{CPUS[1]}=1024"
        library = {"LD_LIBRARY_PATH": f"{OPTIONS.library}/hybrid"}
        run = Run(CPUS[:2], OMP_DISPLAY_ENV="verbose", **library, **values)
        self.clean(run)
        self.assertEqual(run.display["LIBGOMP_AMP_FOLD"] != "off", "GOMP_AMP_FOLD" in values)
        return int(run.display["GOMP_SPINCOUNT"])

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")

    def test_unfolded_as_upstream(self):
        self.assertEqual(self.spins(), 1)

    def test_folded_as_elsewhere(self):
        for fold in ("auto", "1", "2"):
            self.assertEqual(self.spins(GOMP_AMP_FOLD=fold), self.ELSEWHERE, fold)

    def test_what_the_user_sets(self):
        for fold in ({}, {"GOMP_AMP_FOLD": "auto"}):
            self.assertEqual(self.spins(GOMP_SPINCOUNT="77", **fold), 77)
            self.assertEqual(self.spins(OMP_WAIT_POLICY="passive", **fold), 0)


class TeamsOfOneClass(Blocks):
    """Which teams are taken for teams of one class, whose routed loops are static."""

    BIG, SMALL = "{1}", "{0}"
    LISTS = {
        "big first": 4 * ["{1}"] + 4 * ["{0}"],
        "small first": 3 * ["{0}"] + 5 * ["{1}"],
        "in turns": 4 * ["{1}", "{0}"],
        "pairs": 2 * ["{0}", "{0}", "{1}", "{1}"],
        "three and five": ["{1}", "{0}", "{0}", "{1}", "{1}", "{0}", "{1}", "{1}"],
        "one class": 6 * ["{1}"],
    }

    def setUp(self):
        if CPUS[:2] != [0, 1]:
            self.skipTest("needs CPUs 0 and 1")
        self.topology = ",".join(f"{cpu}={512 if cpu == 0 else 1024}" for cpu in CPUS)

    def teams(self, *cases, **values):
        return self.regions(
            *cases, trips=200, GOMP_AMP_TOPOLOGY=self.topology, OMP_MAX_ACTIVE_LEVELS="3", **values
        )

    def static(self, region):
        """Whether REGION's loop ran as static; what the library tells of it is true."""
        static = len(region["blocks"]) == len(region["cpus"])
        # A combined loop ends in the region's barrier: all of them have the blocks of static.
        self.assertEqual(region["schedule"][0], 1 if static else 0x40000002, region)
        return static

    def hold(self, regions):
        """Each team's loop is static if, and only if, its threads are bound to one class."""
        self.assertTrue(regions)
        for region in regions:
            self.assertNotIn(-1, region["cpus"])
            with self.subTest(case=region["case"], cpus=region["cpus"]):
                one_class = len({cpu != 0 for cpu in region["cpus"]}) == 1
                self.assertEqual(self.static(region), one_class)

    def test_the_construct_moves_the_team(self):
        for name, places in self.LISTS.items():
            for bind in ("close", "spread", "primary"):
                for clause in ("false", "close", "spread", "primary"):
                    cases = [
                        f"{entry}/{clause}/{threads}"
                        for threads in (2, 3, 4, 5, 8, 11)
                        for entry in ("routed", "combined")
                    ]
                    with self.subTest(list=name, bind=bind):
                        self.hold(
                            self.teams(*cases, OMP_PLACES=",".join(places), OMP_PROC_BIND=bind)
                        )

    def test_inner_teams_and_their_partitions(self):
        for name, places in self.LISTS.items():
            for outer in ("close", "spread", "primary"):
                cases = [
                    f"routed/{outer}/{threads}+{entry}/{inner}/{count}"
                    for threads in (2, 4)
                    for inner in ("close", "spread", "primary")
                    for entry, count in (("routed", 2), ("combined", 3))
                ]
                with self.subTest(list=name, outer=outer):
                    self.hold(
                        self.teams(*cases, OMP_PLACES=",".join(places), OMP_PROC_BIND="close")
                    )

    def test_threads_that_true_leaves_where_they_are(self):
        """OMP_PLACES alone means proc_bind(true), which moves no thread."""
        for name, places in self.LISTS.items():
            for cases in (
                [f"routed/false/{n}" for n in (2, 4, 8, 3, 11, 8, 2)],
                ["routed/spread/2", "routed/false/2", "combined/false/2", "routed/close/2"],
                ["routed/spread/4", "routed/false/3", "routed/primary/4", "combined/close/4"],
                ["routed/close/11", "routed/false/4", "combined/close/4", "routed/false/2"],
            ):
                with self.subTest(list=name, cases=cases):
                    for region in self.teams(*cases, OMP_PLACES=",".join(places)):
                        # Time is lost where a team of two classes is taken for one of one.
                        if len({cpu != 0 for cpu in region["cpus"]}) > 1:
                            self.assertFalse(self.static(region), region)

    def test_order_of_cores(self):
        # One thread a place and a class.
        (big, both) = self.teams("routed/primary/2", "routed/close/2", GOMP_AMP_AFFINITY="BS")
        self.assertTrue(self.static(big))
        self.assertFalse(self.static(both))

    def test_unbound_teams_may_be_of_both(self):
        for region in self.teams(
            "routed//2", "combined//2", "mask=1", "routed//2", "mask=0,1", "combined//2"
        ):
            self.assertFalse(self.static(region))

    def test_masks_that_the_program_changes(self):
        places = "{1},{1},{1},{0}"
        before, after = self.teams(
            "routed//3", "mask=0", "routed//3", OMP_PLACES=places, OMP_PROC_BIND="close"
        )
        self.assertTrue(self.static(before))
        self.assertEqual(after["cpus"], [0, 1, 1])
        self.assertFalse(self.static(after))


class LabTeams(TeamsOfOneClass):
    """The same on a virtual machine, whose CPUs are as many as its places: 0-3 big, 4-7 small."""

    LISTS = {
        "big first": [f"{{{cpu}}}" for cpu in range(8)],
        "small first": [f"{{{cpu}}}" for cpu in (4, 5, 6, 0, 1, 2, 3, 7)],
        "in turns": [f"{{{cpu}}}" for cpu in (0, 4, 1, 5, 2, 6, 3, 7)],
    }

    def setUp(self):
        pass

    def teams(self, *cases, **values):
        regions = self.regions(
            *cases,
            trips=200,
            GOMP_AMP_VIRTUAL="4x3.0+4x1.0",
            # The program's threads wait for each other by spinning.
            GOMP_AMP_VIRTUAL_PATIENCE_MS="1",
            LD_LIBRARY_PATH=f"{OPTIONS.library}/virtual",
            OMP_MAX_ACTIVE_LEVELS="3",
            **values,
        )
        places = values.get("OMP_PLACES", "").split(",")
        for region in regions:
            if places[0]:
                # 0 is a small one above.
                cpus = [int(places[place].strip("{}")) for place in region["places"]]
                region["cpus"] = [int(cpu < 4) for cpu in cpus]
        return regions

    def test_threads_that_true_leaves_where_they_are(self):
        self.skipTest("the lab's threads are where libgomp notes that they are")

    def test_unbound_teams_may_be_of_both(self):
        for region in self.teams("routed//2", "combined//8"):
            self.assertFalse(self.static(region))

    def test_masks_that_the_program_changes(self):
        self.skipTest("virtual CPUs have no masks")

    def test_first_routed_loop_of_the_process(self):
        run = {
            "GOMP_AMP_VIRTUAL": "4x3.0+4x1.0",
            "GOMP_AMP_VIRTUAL_PATIENCE_MS": "1",
            "LD_LIBRARY_PATH": f"{OPTIONS.library}/virtual",
            "OMP_PROC_BIND": "close",
            "OMP_PLACES": ",".join(self.LISTS["big first"]),
        }
        for entry in ("routed", "combined"):
            for rest, static in (("close/4", True), ("close/5", False), ("spread/2", False)):
                (region,) = self.regions(f"{entry}/{rest}", trips=200, **run)
                self.assertEqual(len(region["blocks"]) == len(region["places"]), static, region)

    def test_order_of_cores(self):
        cases = [
            f"{entry}/close/{threads}" for threads in (4, 5) for entry in ("routed", "combined")
        ]
        static = [self.static(region) for region in self.teams(*cases, GOMP_AMP_AFFINITY="BS")]
        self.assertEqual(static, [True, True, False, False])


class SpeedupFactors(EnvironmentTest):
    """GOMP_AID_SF_FILE and GOMP_AID_SF_SAVE."""

    AID = {
        "OMP_SCHEDULE": "aid_static",
        "OMP_NUM_THREADS": "2",
        "GOMP_AMP_THREAD_CLASSES": "0,1",
        "GOMP_AID_SAMPLE_NS": "0",
    }

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name) / "factors"

    def test_saved_and_read_back(self):
        self.clean(Run(GOMP_AID_SF_SAVE=str(self.file), **self.AID))
        lines = self.file.read_text().splitlines()
        self.assertEqual(lines[0], "# libgomp-amp speedup factors, format 2")
        self.assertRegex(lines[1], r"^# machine [0-9a-f]{16}$")
        self.assertEqual(len(lines), 3)
        number = r"\d+\.\d{6}"
        self.assertRegex(lines[2], rf"^\S+\+0x[0-9a-f]+ 0:{number},1:{number} # 1$")
        self.assertTrue(lines[2].startswith(pathlib.Path(OPTIONS.probe).name + "+0x"))

        # With all its loops given, a run samples none and so saves none.
        again = self.file.with_name("again")
        self.clean(Run(GOMP_AID_SF_FILE=str(self.file), GOMP_AID_SF_SAVE=str(again), **self.AID))
        self.assertFalse(again.exists())
        self.assertEqual(os.listdir(self.file.parent), ["factors"])

    def test_bad_line_and_missing_file_are_reported(self):
        self.file.write_text("# libgomp-amp speedup factors, format 1\nx 1:2\ny\n")
        run = Run(GOMP_AID_SF_FILE=str(self.file), **self.AID)
        self.ran(run)
        self.assertEqual(len(run.messages), 1)
        self.assertTrue(run.messages[0].startswith(f"{self.file}:3: Invalid line 'y'"))
        self.file.unlink()
        run = Run(GOMP_AID_SF_FILE=str(self.file), **self.AID)
        self.ran(run)
        self.assertEqual(len(run.messages), 1)
        self.assertIn(f"Cannot use the speedup factors in {self.file}", run.messages[0])

    def test_file_of_another_machine_is_refused_once(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        aid = {**self.AID, "OMP_PROC_BIND": "true"}
        del aid["GOMP_AMP_THREAD_CLASSES"]
        this, other = (f"{CPUS[0]}={capacity},{CPUS[1]}=1024" for capacity in (512, 256))
        save = {"GOMP_AID_SF_SAVE": str(self.file), **aid}
        self.clean(Run(CPUS[:2], GOMP_AMP_TOPOLOGY=this, **save))
        again = self.file.with_name("again")
        read = {"GOMP_AID_SF_FILE": str(self.file), "GOMP_AID_SF_SAVE": str(again), **aid}
        self.clean(Run(CPUS[:2], GOMP_AMP_TOPOLOGY=this, **read))
        self.assertFalse(again.exists())
        run = Run(CPUS[:2], GOMP_AMP_TOPOLOGY=other, **read)
        self.ran(run)
        self.assertEqual(len(run.messages), 1)
        self.assertIn(
            f"Cannot use the speedup factors in {self.file}: they are of machine", run.messages[0]
        )
        # The loop was sampled instead, here.
        machines = [file.read_text().splitlines()[1] for file in (self.file, again)]
        self.assertNotEqual(*machines)

    def test_application_wide_factors_leave_nothing_to_sample(self):
        self.clean(Run(GOMP_AID_SF="1:3", GOMP_AID_SF_SAVE=str(self.file), **self.AID))
        self.assertFalse(self.file.exists())


class Documentation(EnvironmentTest):
    """docs/guide/environment.md, the table and OMP_DISPLAY_ENV=verbose agree."""

    def test_document_is_what_the_tables_generate(self):
        generated = subprocess.run([OPTIONS.generator], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(
            OPTIONS.document.read_bytes().decode(),
            generated.decode(),
            "run the build's target `docs` and commit docs/guide/environment.md",
        )

    def test_display_lists_every_option_and_the_document_too(self):
        run = Run(OMP_DISPLAY_ENV="verbose")
        self.clean(run)
        shown = [
            name
            for name in run.display
            if name.startswith(("GOMP_AMP_", "GOMP_AID_", "GOMP_TASK_"))
        ]
        # The seven that a user has to know come first.
        known, others = (
            re.findall(r"^\| `(GOMP_\w+)` \|", part, re.MULTILINE)
            for part in OPTIONS.document.read_text().split("## For special cases")
        )
        users = options_of_source("options/options.def")
        self.assertEqual(shown, users + options_of_source("options/test-options.def"))
        self.assertEqual(len(known), 7)
        self.assertEqual(known, [name for name in users if name in known])
        self.assertEqual(others, [name for name in users if name not in known])

    def test_display_is_verbose_only_and_names_version_and_classes(self):
        self.assertNotIn("AMP", Run(OMP_DISPLAY_ENV="true").error)
        display = Run(OMP_DISPLAY_ENV="verbose").display
        self.assertRegex(display["LIBGOMP_AMP_VERSION"], r"^\d+\.\d+\.\d+$")
        self.assertIn("LIBGOMP_AMP_CLASSES_FROM", display)
        self.assertRegex(display["LIBGOMP_AMP_MACHINE"], r"^[0-9a-f]{16}$")
        for i in range(int(display["LIBGOMP_AMP_CLASSES"])):
            self.assertRegex(
                display[f"LIBGOMP_AMP_CLASS_{i}"], r"^CPUs ([\d,-]+|none), capacity (\d+|unknown)$"
            )

    def test_fortran_constants_are_the_tables(self):
        table = (OPTIONS.source / "amp/loops/schedules.def").read_text()
        fortran = (OPTIONS.source / "include/ompx_amp.f90").read_text()
        wanted = re.findall(r'\(AID_\w+, "(\w+)", 0x(\w+),', table)
        found = re.findall(r"ompx_amp_sched_(\w+) *= int\(z'(\w+)'", fortran)
        self.assertEqual(found, wanted)
        self.assertEqual(len(found), 3)


def options_of_source(table):
    """The names of the rows of TABLE, in order."""
    text = (OPTIONS.source / "amp" / table).read_text()
    return re.findall(r'^GOMP_AMP_OPTION \(\w+, "(\w+)"', text, re.MULTILINE)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Test the library's environment variables.")
    path = pathlib.Path
    parser.add_argument("--probe", required=True, help="probe.c, compiled")
    parser.add_argument("--blocks", required=True, help="blocks.c, compiled")
    parser.add_argument(
        "--under", type=shlex.split, default=[], help="a command that runs the probe"
    )
    parser.add_argument("--library", type=path, required=True, help="directory of libgomp.so.1")
    parser.add_argument("--topologies", type=path, required=True, help="unpacked machines")
    parser.add_argument("--document", type=path, required=True, help="docs/guide/environment.md")
    parser.add_argument("--generator", help="program that prints the document")
    parser.add_argument("--source", type=path, required=True, help="the directory libgomp/")
    return parser.parse_known_args()


if __name__ == "__main__":
    OPTIONS, rest = parse_arguments()
    program = unittest.main(argv=sys.argv[:1] + rest, exit=False)
    for test, reason in program.result.skipped:
        print(f"skipped: {test}: {reason}")
    if not program.result.wasSuccessful():
        sys.exit(1)
    if program.result.testsRun == len(program.result.skipped):
        sys.exit(SKIPPED)
