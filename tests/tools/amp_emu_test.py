# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-emu steal: its options, its report, and what the command under it gets."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))

import tool_case
from measured import measured
from tool_case import NOT_EXECUTABLE, NOT_FOUND, REFUSED, ToolCase

LINE = re.compile(
    r"amp-emu: steal: CPUs (\S+) asked ([\d.]+), reached ([\d.]+) "
    r"\(period (\d+) us, duty ([\d.]+), measured over .*\)"
)
CPUS = sorted(os.sched_getaffinity(0))
BUSY = "another amp-emu"


class Case(ToolCase):
    def setUp(self):
        super().setUp()
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs: one to slow, one to compare it with")
        self.small = str(CPUS[-1])

    def need_real_time(self):
        """Skips unless a process may have a real-time priority."""
        code = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))"
        if subprocess.run([sys.executable, "-c", code], capture_output=True).returncode != 0:
            self.skipTest("needs CAP_SYS_NICE or a limit on real-time priorities of 2")

    def steal(self, *words, **options):
        done = self.run_tool("amp-emu", "steal", *words, **options)
        self.skip_if_busy(done.stderr)
        return done

    def skip_if_busy(self, message):
        if BUSY in message:
            self.skipTest("an amp-emu that is not the test's is at work on this machine")

    def emulate(self, *command, factor="2", options=(), **more):
        """Runs COMMAND on a machine whose last CPU is slowed, by roughly FACTOR: a better
        calibration takes longer."""
        self.need_real_time()
        return self.steal(
            "--small",
            self.small,
            "--sf",
            factor,
            "--attempts",
            "1",
            *options,
            "--",
            *command,
            **more,
        )

    def start(self, *command):
        """Starts an emulation, and returns its process once COMMAND has written a line."""
        self.need_real_time()
        process = subprocess.Popen(
            [
                self.bin / "amp-emu",
                "steal",
                "--small",
                self.small,
                "--sf",
                "2",
                "--attempts",
                "1",
                "--",
                *command,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        if not line:
            message = process.communicate()[1]
            self.skip_if_busy(message)
            self.fail(message)
        return process, line.strip()


class AmpEmuOptions(Case):
    def test_bad_ones(self):
        small, absent = self.small, "8191"
        for words, part in (
            (["--small", small], "--sf"),
            (["--sf", "2"], "--small"),
            (["--small", small, "--sf", "2"], "no command"),
            (["--small", small, "--sf", "2", "--bogus"], "--bogus"),
            (["--small", "x", "--sf", "2"], "'x'"),
            (["--small", "", "--sf", "2"], "''"),
            (["--small", absent, "--sf", "2"], "CPU 8191 is not online"),
            (["--small", small, "--small", small, "--sf", "2"], "named twice"),
            (["--small", small, "--sf", "0.5"], "0.50"),
            (["--small", small, "--sf", "21"], "21.00"),
            (["--small", small, "--sf", "nan"], "nan"),
            (["--small", small, "--sf", "fast"], "fast"),
            (["--small", small, "--sf", "2", "--sf", "3"], "2 --sf for 1 --small"),
            (["--small", small, "--sf", "2", "--period-us", "99"], "period"),
            (["--small", small, "--sf", "2", "--period-us", "1001"], "period"),
            (["--small", small, "--sf", "2", "--attempts", "0"], "attempts"),
            (["--small", small, "--sf", "2", "--attempts", "101"], "attempts"),
            (["--small", small, "--sf", "2", "-q", "-v"], "quiet"),
        ):
            with self.subTest(words):
                command = [] if part == "no command" else ["--", "echo", "ran"]
                self.assert_refused(self.steal(*words, *command), "amp-emu: ", part)

    def test_bad_subcommands(self):
        for words in ([], ["melt", "true"]):
            done = self.run_tool("amp-emu", *words)
            self.assert_refused(done, "amp-emu: ")

    def test_cpu_outside_the_affinity_mask(self):
        if len(CPUS) < 2 or not shutil.which("taskset"):
            self.skipTest("needs taskset")
        done = self.steal(
            "--small", self.small, "--sf", "2", "--", "true", before=["taskset", "-c", str(CPUS[0])]
        )
        self.assert_refused(done, f"CPU {self.small}", "may use")

    def test_missing_program(self):
        # Found out before anything is measured.
        done = self.steal("--small", self.small, "--sf", "2", "no-such-program")
        self.assert_refused(done, "no-such-program", status=NOT_FOUND)
        plain = self.dir / "plain"
        plain.write_text("text")
        done = self.steal("--small", self.small, "--sf", "2", plain)
        self.assert_refused(done, plain, status=NOT_EXECUTABLE)

    def test_no_right_to_real_time_threads(self):
        self.need_root()
        if not shutil.which("setpriv"):
            self.skipTest("needs setpriv")
        done = self.steal(
            "--small",
            self.small,
            "--sf",
            "2",
            "--",
            "echo",
            "ran",
            before=["setpriv", "--bounding-set=-sys_nice"],
        )
        self.assert_refused(done, "CAP_SYS_NICE", "ulimit -r 2")

    def test_help(self):
        done = self.run_tool("amp-emu", "steal", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in (
            "[--] CMD",
            "--small",
            "--sf",
            "--period-us",
            "--attempts",
            "--bind",
            "--json",
            "125",
        ):
            self.assertIn(word, done.stdout)
        self.assertIn("steal", self.run_tool("amp-emu", "--help").stdout)


class AmpEmuCalibrates(Case):
    @measured
    def test_reports_what_it_measured(self):
        report = self.dir / "report.json"
        done = self.emulate(
            "sh",
            "-c",
            "echo $GOMP_AMP_TOPOLOGY",
            factor="4",
            options=["--json", report, "--period-us", "200"],
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        match = LINE.match(done.stderr)
        self.assertTrue(match, done.stderr)
        cpus, asked, reached, period, duty = match.groups()
        self.assertEqual((cpus, asked, period), (self.small, "4.00", "200"))
        self.assertGreater(float(reached), 1.5)  # it is slowed; how well depends on other load
        self.assertGreater(float(duty), 0)

        result = json.loads(report.read_text())
        (cpu,) = result["cpus"]
        self.assertEqual((cpu["cpu"], cpu["asked"]), (int(self.small), 4))
        self.assertEqual((f"{cpu['reached']:.2f}", f"{cpu['duty']:.2f}"), (reached, duty))
        self.assertNotEqual(cpu["reached"], 4)  # the figure is measured, not the one asked for
        self.assertEqual(result["attempts"], 1)
        self.assertEqual(result["reference_cpus"], CPUS[:-1])
        self.assertEqual(result["topology"], done.stdout.strip())

    @measured
    def test_slows_the_cpu_for_the_command(self):
        # The command's own work on both CPUs, by its processor time: what is stolen is not in it.
        code = """if True:
            import os, time
            def share(cpu):
                os.sched_setaffinity(0, {cpu})
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
                begin, used = time.monotonic(), time.process_time()
                while time.monotonic() < begin + 0.3: pass
                used = (time.process_time() - used) / (time.monotonic() - begin)
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
                return used
            import sys
            print(share(int(sys.argv[1])), share(int(sys.argv[2])))
        """
        done = self.emulate(sys.executable, "-c", code, str(CPUS[0]), self.small, factor="4")
        fast, slow = map(float, done.stdout.split())
        self.assertGreater(fast, 1.5 * slow)

    def test_several_groups(self):
        self.need_real_time()
        done = self.steal(
            "--small",
            str(CPUS[-1]),
            "--sf",
            "4",
            "--small",
            str(CPUS[-2]),
            "--sf",
            "2",
            "--attempts",
            "1",
            "true",
        )
        # What could not be reached is told in further lines.
        asked = [match.group(1, 2) for match in map(LINE.match, done.stderr.splitlines()) if match]
        self.assertEqual(asked, [(str(CPUS[-1]), "4.00"), (str(CPUS[-2]), "2.00")])

    @measured
    def test_every_cpu(self):
        # With no CPU left to compare with, factors are relative to the speed without theft.
        self.need_real_time()
        report = self.dir / "report.json"
        groups = [word for cpu in CPUS[1:] for word in ("--small", str(cpu), "--sf", "4")]
        done = self.steal(
            "--small",
            str(CPUS[0]),
            "--sf",
            "1.5",
            *groups,
            "--json",
            report,
            "--attempts",
            "2",
            "--",
            "sh",
            "-c",
            "echo $GOMP_AMP_TOPOLOGY",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("against the same without theft", done.stderr)
        result = json.loads(report.read_text())
        self.assertEqual(result["reference_cpus"], [])
        reached = [cpu["reached"] for cpu in result["cpus"]]
        self.assertGreater(reached[0], 1.1)
        self.assertGreater(reached[1], 1.5 * reached[0])
        topology = dict(item.split("=") for item in done.stdout.strip().split(","))
        self.assertEqual(topology[str(CPUS[0])], "1024")  # the fastest, slowed or not

    @measured
    def test_factor_smaller_than_waking_costs(self):
        report = self.dir / "report.json"
        self.emulate("true", factor="1.1", options=["--json", report, "--period-us", "100"])
        (cpu,) = json.loads(report.read_text())["cpus"]
        self.assertGreater(cpu["duty"], 0)  # it is slowed all the same
        self.assertGreater(cpu["reached"], 1.02)
        self.assertGreaterEqual(cpu["period_us"], 100)

    def test_verbose(self):
        self.assertIn("after the command", self.emulate("true", options=["-v"]).stderr)

    def test_report_that_cannot_be_written(self):
        done = self.emulate("echo", "ran", options=["--json", "/nonexistent/report"])
        self.assert_refused(done, "/nonexistent/report")


class AmpEmuCommand(Case):
    def test_command_runs_as_without_emulation(self):
        code = (
            "import os, sys\n"
            "print(os.sched_getscheduler(0), sorted(os.sched_getaffinity(0)))\n"
            "print(sys.argv[1:], sys.stdin.read())\n"
            "sys.exit(7)"
        )
        done = self.emulate(sys.executable, "-c", code, "a b", "--", "-q", input="text")
        self.assertEqual(
            done.stdout, f"{os.SCHED_OTHER} {CPUS}\n['a b', '--', '-q'] text\n", done.stderr
        )
        self.assertEqual(done.returncode, 7)

    def test_command_is_killed_and_emulator_quiet(self):
        done = self.emulate("sh", "-c", "kill -KILL $$", options=["--quiet"])
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGKILL, ""))

    def test_nothing_is_left_running(self):
        """Whatever ends it, amp-emu takes its stealing threads and the command along."""
        for number, victim in (
            (signal.SIGKILL, "command"),
            (signal.SIGKILL, "amp-emu"),
            (signal.SIGTERM, "amp-emu"),
            (signal.SIGINT, "amp-emu"),
            (signal.SIGHUP, "amp-emu"),
        ):
            with self.subTest(f"{number.name} to {victim}"):
                process, pid = self.start(
                    sys.executable,
                    "-c",
                    "import os, signal, time\n"
                    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                    "print(os.getpid(), flush=True); time.sleep(60)",
                )
                threads = os.listdir(f"/proc/{process.pid}/task")
                self.assertGreater(len(threads), 1)  # those that steal
                if victim == "command":
                    os.kill(int(pid), number)
                else:
                    process.send_signal(number)
                died = -number if (number, victim) == (signal.SIGKILL, "amp-emu") else 128 + number
                self.assertEqual(process.wait(timeout=900), died)
                for thread in threads:
                    self.assertFalse(self.is_alive(thread))
                deadline = time.monotonic() + 900
                while self.is_alive(pid):
                    self.assertLess(time.monotonic(), deadline, "the command outlived amp-emu")
                    time.sleep(0.05)

    def test_environment(self):
        done = self.emulate("env", options=["--bind"])
        variables = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        topology = dict(item.split("=") for item in variables["GOMP_AMP_TOPOLOGY"].split(","))
        reached = float(LINE.match(done.stderr).group(3))
        self.assertAlmostEqual(int(topology[self.small]), 1024 / reached, delta=3)
        self.assertEqual(variables["OMP_PLACES"], ",".join(f"{{{cpu}}}" for cpu in CPUS))
        self.assertEqual(variables["OMP_PROC_BIND"], "true")

    def test_environment_that_is_set_stays(self):
        mine = {
            "GOMP_AMP_TOPOLOGY": "off",
            "OMP_PROC_BIND": "false",
        }
        done = self.emulate("env", options=["--bind"], env=mine)
        found = [line for line in done.stdout.splitlines() if line.startswith(("OMP_", "GOMP_"))]
        self.assertEqual(sorted(found), [f"{name}={value}" for name, value in mine.items()])

    @staticmethod
    def is_alive(pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                return stat.read().rpartition(")")[2].split()[0] not in "ZX"
        except FileNotFoundError:
            return False

    def test_one_at_a_time_and_signals_are_forwarded(self):
        process, _ = self.start("sh", "-c", "trap 'exit 9' TERM; echo; while :; do sleep 0.1; done")
        done = self.run_tool("amp-emu", "steal", "--small", self.small, "--sf", "2", "echo", "ran")
        self.assertEqual((done.returncode, done.stdout), (REFUSED, ""))
        self.assertIn(BUSY, done.stderr)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=900), 9)


if __name__ == "__main__":
    sys.exit(tool_case.main())
