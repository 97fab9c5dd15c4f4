# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the library's own variables, unknown ones, the lab's, and their document."""

import json
import pathlib
import re
import subprocess
import tempfile

from support import CPUS, DEFAULT, GARBAGE, OPTIONS, EnvironmentTest, Run, options_of_source


# A file of factors for any machine, of no loop.
NO_LOOPS = pathlib.Path(__file__).with_name("no-loops.factors")


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
            "GOMP_AMP_TEST_PLANS",
            ["none", "LEARNED", " None "],
            ["", "  ", "off", "none,learned"],
            "learned or none",
            "LEARNED",
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
        # share cores.
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

    def test_what_was_removed(self):
        run = Run(GOMP_AMP_FOLD_CALLS="all")
        self.ran(run)
        (message,) = run.messages
        self.assertRegex(message, "^GOMP_AMP_FOLD_CALLS was removed: there is one way to fold")

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
        (
            "GOMP_AMP_VIRTUAL_WORK",
            ["timed", "auto", "TIMED"],
            ["", "count", "instructions"],
            "counted, timed or auto",
            "AUTO",
        ),
        ("GOMP_AMP_VIRTUAL_REMOVAL_NS", ["0", "1000000"], ["", "-1", "1000001"], "a number", "100"),
        ("GOMP_AMP_VIRTUAL_WAKE_NS", ["0", "1000000"], ["", "x", "1000001"], "a number", "5000"),
        ("GOMP_AMP_VIRTUAL_SWITCH_NS", ["0", "1000000"], ["", "x", "1000001"], "a number", "0"),
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
        # The six that a user has to know come first.
        known, others = (
            re.findall(r"^\| `(GOMP_\w+)` \|", part, re.MULTILINE)
            for part in OPTIONS.document.read_text().split("## For special cases")
        )
        users = options_of_source("options/options.def")
        self.assertEqual(shown, users + options_of_source("options/test-options.def"))
        self.assertEqual(len(known), 6)
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
        table = (OPTIONS.source / "amp/options/schedules.def").read_text()
        fortran = (OPTIONS.source / "include/ompx_amp.f90").read_text()
        wanted = re.findall(r'\(AID_\w+, "(\w+)", 0x(\w+),', table)
        found = re.findall(r"ompx_amp_sched_(\w+) *= int\(z'(\w+)'", fortran)
        self.assertEqual(found, wanted)
        self.assertEqual(len(found), 3)
