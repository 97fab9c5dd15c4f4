# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-emu virtual: its options, what the command under it gets, and its report."""

import json
import os
import shutil
import signal
import subprocess
import sys

import tool_case
from amp_virtual_case import REPORT, Case, FakeCase
from tool_case import NOT_EXECUTABLE, NOT_FOUND

CPUS = sorted(os.sched_getaffinity(0))

NOTHING = "nothing to report"


class AmpVirtualOptions(Case):
    def test_bad_ones(self):
        for words, part in (
            (["1x1+1x3"], "'1x3'"),
            (["4"], "'4'"),
            (["./app"], "'./app'"),
            (["1025x1"], "1024"),
            ([], "MACHINE"),
            (["2x1", "--removal-ns", "-1"], "removal-ns"),
            (["2x1", "--work", "instructions"], "counted,timed"),
            (["2x1", "--removal-ns", "1000001"], "removal-ns"),
            (["2x1", "--removal-ns", "few"], "removal-ns"),
            (["2x1", "--wake-ns", "1000001"], "wake-ns"),
            (["2x1", "--switch-ns", "1000001"], "switch-ns"),
            (["2x1", "--patience-ms", "0"], "patience-ms"),
            (["2x1", "--patience-ms", "60001"], "patience-ms"),
            (["2x1", "--cpu", "8191"], "CPU 8191"),
            (["2x1", "--cpu", "0", "--no-pin"], "--no-pin"),
            (["2x1", "--sf-file", "/nonexistent/sf"], "/nonexistent/sf"),
            (["2x1", "--bandwidth", "40"], "--demand"),
            (["2x1", "--demand", "/dev/null"], "--bandwidth"),
            (
                ["2x1", "--bandwidth", "1:4", "--demand", "/x"],
                "'1:4': the machine has no such class",
            ),
            (["2x1", "--bandwidth", "40", "--demand", "/nonexistent/d"], "/nonexistent/d"),
            (["2x1", "--power", "m7"], "'m7' is none of the chips exynos5422, "),
            (["2x1", "--power", "/nonexistent/chip"], "/nonexistent/chip"),
            (["2x1", "--json", "/nonexistent/report"], "/nonexistent/report"),
            (["2x1", "--bogus"], "--bogus"),
            (["2x1", "-q", "-v"], "quiet"),
        ):
            with self.subTest(words):
                done = self.run_tool("amp-emu", "virtual", *words, "--", "echo", "ran")
                self.assert_refused(done, "amp-emu: ", part)

    def test_no_command(self):
        self.assert_refused(self.virtual(), "no command")

    def test_missing_program(self):
        self.assert_refused(self.virtual("no-such-program"), "no-such-program", status=NOT_FOUND)
        plain = self.dir / "plain"
        plain.write_text("text")
        self.assert_refused(self.virtual(plain), plain, status=NOT_EXECUTABLE)

    def test_missing_library(self):
        shutil.copy(self.bin / "amp-emu", self.dir)
        self.bin = self.dir
        self.assert_refused(self.virtual("true"), "virtual/libgomp.so.1", "build or install")

    def test_help(self):
        done = self.run_tool("amp-emu", "virtual", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in (
            "MACHINE",
            "--work",
            "--removal-ns",
            "--wake-ns",
            "--switch-ns",
            "--patience-ms",
            "--sf-file",
            "--bandwidth",
            "--demand",
            "--power",
            "--cpu",
            "--no-pin",
            "--json",
            "--force",
            "4x3.0+4x1.0",
            "125",
        ):
            self.assertIn(word, done.stdout)
        self.assertIn("virtual", self.run_tool("amp-emu", "--help").stdout)


class AmpVirtualCommand(FakeCase):
    def variables(self, *words, env=None):
        done = self.virtual(*words, "--", "env", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    def test_environment(self):
        words = "--work=timed --removal-ns 40 --wake-ns 0 --switch-ns 9 --patience-ms 7"
        found = self.variables(*words.split())
        self.assertEqual(found["GOMP_AMP_VIRTUAL"], "1x3+1x1")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_WORK"], "timed")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_REMOVAL_NS"], "40")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_WAKE_NS"], "0")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_SWITCH_NS"], "9")
        self.assertEqual(found["GOMP_AMP_VIRTUAL_PATIENCE_MS"], "7")
        self.assertEqual(found["LD_PRELOAD"], str(self.library))
        self.assertNotIn("GOMP_AMP_VIRTUAL_SF", found)

    def test_environment_of_another_run_is_replaced(self):
        names = [
            "",
            "_WORK",
            "_REMOVAL_NS",
            "_WAKE_NS",
            "_SWITCH_NS",
            "_PATIENCE_MS",
            "_SF",
            "_REPORT",
        ]
        names += ["_BANDWIDTH", "_DEMAND", "_DEMAND_MBS"]
        found = self.variables(
            env={"GOMP_AMP_VIRTUAL" + name: "old" for name in names} | {"LD_PRELOAD": "libc.so.6"}
        )
        self.assertNotIn("old", found.values())
        self.assertEqual(found["LD_PRELOAD"], f"{self.library}:libc.so.6")

    def affinity(self, *words):
        code = "import os; print(sorted(os.sched_getaffinity(0)))"
        return json.loads(self.virtual(*words, "--", sys.executable, "-c", code).stdout)

    def test_runs_on_one_cpu(self):
        self.assertEqual(len(self.affinity()), 1)
        self.assertIn(self.affinity()[0], CPUS)
        for cpu in (CPUS[0], CPUS[-1]):
            self.assertEqual(self.affinity("--cpu", str(cpu)), [cpu])
        self.assertEqual(self.affinity("--no-pin"), CPUS)

    def test_exit_status(self):
        self.assertEqual(self.virtual("sh", "-c", "exit 7").returncode, 7)
        done = self.virtual("sh", "-c", "kill -KILL $$")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)

    def test_standard_input_and_arguments(self):
        code = "import sys; print(sys.argv[1:], sys.stdin.read())"
        done = self.virtual("--", sys.executable, "-c", code, "a b", "--", "-q", input="text")
        self.assertEqual(done.stdout, "['a b', '--', '-q'] text\n")

    def test_signals_are_forwarded(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(
                [
                    self.bin / "amp-emu",
                    "virtual",
                    "2x1",
                    "--",
                    "sh",
                    "-c",
                    "trap 'exit 9' TERM INT; echo; while :; do sleep 0.1; done",
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            process.stdout.readline()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=900), 9)

    def test_leaves_no_files(self):
        place = self.dir / "tmp"
        place.mkdir()
        self.report(command=("sh", "-c", "exit 0"))
        done = self.virtual("true", env={"TMPDIR": str(place)}, cwd=place)
        self.assertEqual((done.returncode, list(place.iterdir())), (0, []))


class AmpVirtualReport(FakeCase):
    def test_for_humans(self):
        done = self.report()
        self.assertEqual(done.stdout, "")
        for part in (
            "/x/app (pid 17): 2 threads on 1x3+1x1, virtual time by processor time\n",
            "4.000 us",
            "1.000 us",
            "25.0 %",
            "95.0 %",
            "75.0 %",
            "3 removals of 5 ns",
            "queued for 7 ns",
        ):
            self.assertIn(part, done.stderr)
        self.assertNotIn("handover", done.stderr)

    def test_quiet(self):
        self.assertEqual(self.report("-q").stderr, "")

    def test_verbose(self):
        self.assertIn("GOMP_AMP_VIRTUAL=1x3+1x1\n", self.report("-v").stderr)

    def test_json(self):
        file = self.dir / "report.json"
        self.report("-q", "--json", file)
        result = json.loads(file.read_text())
        self.assertEqual(result["mode"], "virtual")
        self.assertEqual(result["machine"], "1x3+1x1")
        self.assertEqual(result["removal_ns"], 5)
        self.assertEqual(result["status"], 0)
        (process,) = result["processes"]
        self.assertEqual((process["share"], process["parallel"]["share"]), (0.25, 0.95))
        self.assertEqual([c["busy_percent"] for c in process["classes"]], [75, 25])
        # 4 us of two idle clusters, 3 us of a big core and 1 us of a little one.
        joules = 4e-6 * 2 * 0.12 + 3e-6 * 0.845 + 1e-6 * 0.1575
        self.assertAlmostEqual(process["energy"]["joules"], joules, delta=1e-12)
        self.assertEqual(process["parallel"]["energy"]["joules"], 2e-6 * 2 * 0.12)
        self.assertLessEqual(
            {**REPORT, "parallel": 0, "classes": 0}.items(),
            {**process, "parallel": 0, "classes": 0}.items(),
        )

    def test_each_process_has_its_own(self):
        done = self.report(command=("sh", "-c", "/bin/true; /bin/true"))
        self.assertGreaterEqual(done.stderr.count("/x/app (pid 17)"), 2)  # the shell may, too

    def test_none(self):
        file = self.dir / "report.json"
        done = self.virtual("--json", file, "true")
        self.assertEqual(done.returncode, 0)
        self.assertIn(NOTHING, done.stderr)
        self.assertEqual(json.loads(file.read_text())["processes"], [])

    def test_one_that_cannot_be_read(self):
        done = self.report(line='{"pid":')
        self.assertIn("1 of the library's reports cannot be read", done.stderr)
        self.assertNotIn(NOTHING, done.stderr)


class AmpVirtualObstacles(Case):
    SOURCE = '#include <stdio.h>\nint main(void) { puts("ran"); return 0; }\n'

    def test_static_program(self):
        program = self.compile("static", self.SOURCE, "-static")
        self.assert_refused(self.virtual(program), "statically linked", "--force")
        forced = self.virtual("--force", program)
        self.assertEqual((forced.returncode, forced.stdout), (0, "ran\n"))
        self.assertIn(NOTHING, forced.stderr)


class AmpVirtualForReal(Case):
    def test_a_program_runs_on_the_machine(self):
        program = self.compile_openmp()
        file = self.dir / "report.json"
        done = self.virtual("--json", file, program, machine="4x3+4x1")
        self.assertEqual(done.returncode, 0, done.stderr)
        (process,) = json.loads(file.read_text())["processes"]
        self.assertEqual((process["machine"], process["threads"]), ("4x3+4x1", 8))
        self.assertEqual(process["program"], os.path.realpath(program))
        self.assertEqual([c["cpus"] for c in process["classes"]], ["0-3", "4-7"])
        self.assertEqual(process["removals"]["count"] > 0, True)
        for span in (process, process["parallel"]):
            self.assertGreater(span["makespan_ns"], 0)
            self.assertTrue(0 < span["share"] <= 1, span)
        self.assertIn(f"{program} (pid {process['pid']})", done.stderr)


class AmpVirtualDisturbed(Case):
    """A run beside a busy process on the same CPU."""

    SPIN = "import time\nbegun = time.process_time()\nwhile time.process_time() < begun + 0.2: pass"

    def setUp(self):
        super().setUp()
        cpu = CPUS[0]
        busy = subprocess.Popen(
            [sys.executable, "-c", "while True: pass"],
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
        )
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)
        self.json = self.dir / "report.json"
        self.words = ("--removal-ns=100", "--cpu", str(cpu), "--json", self.json)

    def test_is_marked(self):
        done = self.virtual(*self.words, "--", sys.executable, "-c", self.SPIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("amp-emu: virtual: ! disturbed: "), 1, done.stderr)
        self.assertRegex(done.stderr, r"other programs ran for \d+ ms.*not to be compared\n")
        result = json.loads(self.json.read_text())
        self.assertEqual(result["runs"], 1)
        self.assertRegex("".join(result["disturbed"]), "other programs ran for")

    def test_is_repeated(self):
        done = self.virtual(
            *self.words, "--repeat=2", "--", sys.executable, "-c", self.SPIN + "\nprint('ran')"
        )
        self.assertEqual(done.stdout, "ran\n" * 3, done.stderr)
        self.assertEqual(done.stderr.count("running it again\n"), 2, done.stderr)
        self.assertEqual(json.loads(self.json.read_text())["runs"], 3)

    def test_is_not_repeated_if_it_failed(self):
        done = self.virtual(
            *self.words,
            "--repeat=2",
            "--",
            sys.executable,
            "-c",
            self.SPIN + "\nprint('ran')\nexit(3)",
        )
        self.assertEqual((done.stdout, done.returncode), ("ran\n", 3), done.stderr)


if __name__ == "__main__":
    sys.exit(tool_case.main())
