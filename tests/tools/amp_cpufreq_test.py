# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-emu cpufreq on a made-up machine: what it caps, and that it puts everything back."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import tool_case
from tool_case import NOT_FOUND, REFUSED, ToolCase

BUSY = "another amp-emu"
LITTLE, BIG = "0-3", "4-7"  # the machine's policies
NOBODY = 65534


class Case(ToolCase):
    """A test with a machine of two policies in a directory like /sys."""

    def setUp(self):
        super().setUp()
        self.sys = self.dir / "sys"
        self.state = self.dir / "state.json"
        self.cpu = self.sys / "devices/system/cpu"
        self.little = self.make_policy(range(0, 4), lowest=400000, highest=1800000)
        self.big = self.make_policy(range(4, 8), lowest=500000, highest=2400000)
        (self.cpu / "online").write_text("0-7\n")
        self.before = self.files()

    def make_policy(self, cpus, lowest, highest):
        policy = self.cpu / "cpufreq" / f"policy{cpus[0]}"
        policy.mkdir(parents=True)
        for kind in ("cpuinfo", "scaling"):
            (policy / f"{kind}_min_freq").write_text(f"{lowest}\n")
            (policy / f"{kind}_max_freq").write_text(f"{highest}\n")
        for name in ("affected_cpus", "related_cpus"):
            (policy / name).write_text(" ".join(map(str, cpus)) + "\n")
        for cpu in cpus:
            (self.cpu / f"cpu{cpu}").mkdir()
            (self.cpu / f"cpu{cpu}/cpufreq").symlink_to(f"../cpufreq/policy{cpus[0]}")
        return policy

    def files(self):
        return {path: path.read_text() for path in self.sys.rglob("*") if path.is_file()}

    def changes(self):
        """What the machine's files say that they did not say at first, by policy and name."""
        return {
            f"{path.parent.name}/{path.name}": int(text)
            for path, text in self.files().items()
            if text != self.before[path]
        }

    def assert_untouched(self):
        self.assertEqual(self.changes(), {})
        self.assertFalse(self.state.exists())

    def options(self, *words):
        return ["cpufreq", "--sysfs", self.sys, "--state", self.state, *words]

    def cpufreq(self, *words, **options):
        done = self.run_tool("amp-emu", *self.options(*words), **options)
        self.skip_if_busy(done.stderr)
        return done

    def skip_if_busy(self, message):
        if BUSY in message:
            self.skipTest("an amp-emu that is not the test's is at work on this machine")

    def start(self, *command, before=()):
        """Starts an emulation, and returns its process once COMMAND has written a line."""
        process = subprocess.Popen(
            [
                *before,
                self.bin / "amp-emu",
                *self.options("--small", BIG, "--sf", "2"),
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
        self.assertEqual(self.changes(), {"policy4/scaling_max_freq": 1200000})
        return process, line.strip()

    def unprivileged(self):
        """The words before a command that take root's rights from it; the machine is then its."""
        if os.geteuid() != 0:
            return []
        if not shutil.which("setpriv"):
            self.skipTest("needs setpriv")
        for path in [self.dir, *self.dir.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

    @property
    def show(self):
        """A command that prints the caps it runs under."""
        return ["cat", self.little / "scaling_max_freq", self.big / "scaling_max_freq"]


class AmpCpufreqCaps(Case):
    def test_units(self):
        for words, khz in (
            (["--khz", "1500000"], 1500000),
            (["--percent", "75"], 1800000),
            (["--sf", "3"], 800000),
            (["--sf", "1"], 2400000),
        ):
            with self.subTest(words):
                done = self.cpufreq("--small", BIG, *words, "--", *self.show)
                self.assertEqual(done.stdout.split(), ["1800000", str(khz)], done.stderr)
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stderr, f"CPUs {BIG} asked {khz} kHz, capped at {khz} ")
                # Other load on the machine adds a line of its own.
                lines = [line for line in done.stderr.splitlines() if "! disturbed" not in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assert_untouched()

    def test_groups(self):
        for words, caps in (
            (["--small", BIG, "--sf", "2", "--small", LITTLE, "--sf", "3"], ["600000", "1200000"]),
            (["--small", LITTLE, "--small", BIG, "--percent", "50"], ["900000", "1200000"]),
            (["--small", "0-7", "--khz", "1000000"], ["1000000", "1000000"]),
        ):
            with self.subTest(words):
                self.assertEqual(self.cpufreq(*words, "--", *self.show).stdout.split(), caps)
                self.assert_untouched()

    def test_no_lower_than_the_hardware_goes(self):
        done = self.cpufreq("--small", BIG, "--sf", "100", "--", *self.show)
        self.assertEqual(done.stdout.split(), ["1800000", "500000"])
        self.assertRegex(done.stderr, f"asked 24000 kHz(.|\n)*CPUs {BIG} cannot go below 500000")
        self.assert_untouched()

    def test_no_higher_than_it_was(self):
        (self.big / "scaling_max_freq").write_text("900000\n")
        self.before = self.files()
        done = self.cpufreq("--small", BIG, "--sf", "2", "--", *self.show)
        self.assertEqual(done.stdout.split(), ["1800000", "900000"])
        self.assertIn("were capped at 900000 kHz already", done.stderr)
        self.assert_untouched()

    def test_minimum_above_the_cap(self):
        (self.big / "scaling_min_freq").write_text("2000000\n")
        self.before = self.files()
        done = self.cpufreq("--small", BIG, "--sf", "2", "--", "sh", "-c", f"cat {self.big}/sc*")
        self.assertEqual(sorted(done.stdout.split()), ["1200000", "1200000"])
        self.assert_untouched()

    def test_offline_members_of_a_policy(self):
        (self.cpu / "online").write_text("0-5\n")
        (self.big / "affected_cpus").write_text("4 5\n")
        self.before = self.files()
        done = self.cpufreq("--small", "4-5", "--sf", "2", "--", *self.show)
        self.assertEqual(done.stdout.split(), ["1800000", "1200000"])
        self.assert_untouched()

    def test_quiet_and_verbose(self):
        words = ["--small", BIG, "--sf", "2"]
        self.assertEqual(self.cpufreq(*words, "-q", "true").stderr, "")
        self.assertIn("GOMP_AMP_TOPOLOGY=", self.cpufreq(*words, "-v", "true").stderr)


class AmpCpufreqDescribes(Case):
    def topology(self, *words, **options):
        done = self.cpufreq(
            "--small", BIG, *words, "--", "sh", "-c", "echo $GOMP_AMP_TOPOLOGY", **options
        )
        return done.stdout.strip()

    def test_topology(self):
        self.assertEqual(self.topology("--khz", "600000"), "0-3=1024,4-7=341")
        # Frequencies do not tell how fast different cores are; the kernel's capacities do.
        for cpu in range(8):
            (self.cpu / f"cpu{cpu}/cpu_capacity").write_text("512\n" if cpu < 4 else "1024\n")
        self.before = self.files()
        self.assertEqual(self.topology("--sf", "4"), "0-3=1024,4-7=512")
        self.assertEqual(self.topology("--sf", "4", env={"GOMP_AMP_TOPOLOGY": "off"}), "off")

    def test_binding(self):
        done = self.cpufreq("--small", BIG, "--sf", "4", "--bind", "--", "env")
        self.assertIn("OMP_PLACES={0},{1},{2},{3},{4},{5},{6},{7}\n", done.stdout)
        self.assertIn("OMP_PROC_BIND=true\n", done.stdout)

    def test_json(self):
        report = self.dir / "report.json"
        self.cpufreq("--small", BIG, "--sf", "100", "--json", report, "true")
        result = json.loads(report.read_text())
        self.assertEqual((result["mode"], result["topology"]), ("cpufreq", "0-3=1024,4-7=284"))
        self.assertEqual([cpu["cpu"] for cpu in result["cpus"]], [4, 5, 6, 7])
        self.assertEqual(
            result["cpus"][0],
            {
                "cpu": 4,
                "policy": str(self.big.resolve()),
                "asked_khz": 24000,
                "khz": 500000,
                "before_khz": 2400000,
                "highest_khz": 2400000,
            },
        )


class AmpCpufreqRefuses(Case):
    def test_bad_options(self):
        for words, part in (
            (["--small", BIG], "--khz"),
            (["--sf", "2"], "--small"),
            (["--small", BIG, "--sf", "2", "--khz", "600000"], "--khz and --sf"),
            (["--small", BIG, "--sf", "2", "--sf", "3"], "2 --sf for 1 --small"),
            (["--small", BIG, "--sf", "0.5"], "0.5"),
            (["--small", BIG, "--sf", "nan"], "nan"),
            (["--small", BIG, "--percent", "101"], "101"),
            (["--small", BIG, "--khz", "0"], "0"),
            (["--small", "8", "--sf", "2"], "CPU 8 is not online"),
            (["--small", "4-", "--sf", "2"], "'4-'"),
            (["--small", BIG, "--small", "0-4", "--sf", "2"], "CPU 4 is named twice"),
            (["--small", BIG, "--sf", "2", "--bogus"], "--bogus"),
            (["--small", BIG, "--sf", "2", "--json", "/nonexistent/report"], "/nonexistent/report"),
        ):
            with self.subTest(words):
                self.assert_refused(self.cpufreq(*words, "--", "echo", "ran"), "amp-emu: ", part)
                self.assert_untouched()

    def test_missing_program(self):
        done = self.cpufreq("--small", BIG, "--sf", "2", "no-such-program")
        self.assert_refused(done, "no-such-program", status=NOT_FOUND)
        self.assert_untouched()

    def test_part_of_a_policy(self):
        for words in (["--small", "4-6"], ["--small", "0-5"], ["--small", "4-5", "--small", "6-7"]):
            with self.subTest(words):
                done = self.cpufreq(*words, "--sf", "2", "--", "echo", "ran")
                self.assert_refused(done, "CPU 4 has one frequency with all of CPUs 4-7")
                self.assert_untouched()

    def test_machine_without_cpufreq(self):
        (self.cpu / "cpu5/cpufreq").unlink()
        self.before = self.files()
        done = self.cpufreq("--small", "5", "--sf", "2", "echo", "ran")
        self.assert_refused(done, self.cpu / "cpu5/cpufreq", "amp-emu steal")
        self.assert_untouched()

    def test_files_that_are_no_frequencies(self):
        for text in ("", "fast", "-1", "0", "1000 1"):
            with self.subTest(text):
                (self.big / "cpuinfo_max_freq").write_text(text)
                self.before = self.files()
                done = self.cpufreq("--small", BIG, "--sf", "2", "echo", "ran")
                self.assert_refused(done, self.big.resolve() / "cpuinfo_max_freq", "kHz")
                self.assert_untouched()

    def test_caps_that_cannot_all_be_set(self):
        (self.big / "scaling_max_freq").chmod(0o444)
        done = self.cpufreq(
            "--small",
            LITTLE,
            "--small",
            BIG,
            "--sf",
            "2",
            "--",
            "echo",
            "ran",
            before=self.unprivileged(),
        )
        self.assert_refused(done, self.big.resolve() / "scaling_max_freq", "1200000", "needs root")
        self.assert_untouched()

    def test_state_that_cannot_be_kept(self):
        self.state = pathlib.Path("/nonexistent/state")
        done = self.cpufreq("--small", BIG, "--sf", "2", "echo", "ran")
        self.assert_refused(done, self.state)
        self.assert_untouched()

    def test_no_place_for_the_state(self):
        done = self.run_tool(
            "amp-emu",
            "cpufreq",
            "--sysfs",
            self.sys,
            "--small",
            BIG,
            "--sf",
            "2",
            "echo",
            "ran",
            before=self.unprivileged(),
            env={"XDG_RUNTIME_DIR": None},
        )
        self.skip_if_busy(done.stderr)
        self.assert_refused(done, "XDG_RUNTIME_DIR", "--state")
        self.assert_untouched()

    def test_one_at_a_time(self):
        process, _ = self.start("sh", "-c", "echo; exec sleep 60")
        for subcommand in (
            ["cpufreq", "--sysfs", self.sys, "--state", self.dir / "other"],
            ["steal"],
        ):
            done = self.run_tool("amp-emu", *subcommand, "--small", "0", "--sf", "2", "echo", "ran")
            self.assertEqual((done.returncode, done.stdout), (REFUSED, ""), done.stderr)
            self.assertIn(BUSY, done.stderr)
        # What a live one changed is not for another to restore.
        done = self.run_tool("amp-emu", *self.options("--restore"))
        self.assertEqual(done.returncode, REFUSED)
        self.assertEqual(self.changes(), {"policy4/scaling_max_freq": 1200000})
        process.terminate()
        process.wait(timeout=30)


class AmpCpufreqRestores(Case):
    def test_after_any_end_of_the_command(self):
        for code, status in (("exit 7", 7), ("kill -KILL $$", 137), ("kill -SEGV $$", 139)):
            with self.subTest(code):
                done = self.cpufreq("--small", BIG, "--sf", "2", "--", "sh", "-c", code)
                self.assertEqual(done.returncode, status)
                self.assert_untouched()

    def test_after_signals(self):
        for number in (
            signal.SIGTERM,
            signal.SIGINT,
            signal.SIGHUP,
            signal.SIGQUIT,
            signal.SIGXCPU,
            signal.SIGUSR1,
            signal.SIGRTMIN,
        ):
            with self.subTest(number):
                process, _ = self.start(
                    sys.executable,
                    "-c",
                    "import signal, time\n"
                    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                    "print(flush=True); time.sleep(60)",
                )
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=30), 128 + number)
                self.assert_untouched()

    def test_command_that_survives_a_signal(self):
        code = "trap 'echo caught' TERM; echo ready; read line; cat " + str(self.show[2])
        process = subprocess.Popen(
            [self.bin / "amp-emu", *self.options("--small", BIG, "--sf", "2"), "sh", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        if process.stdout.readline() != "ready\n":
            message = process.communicate()[1]
            self.skip_if_busy(message)
            self.fail(message)
        process.terminate()
        time.sleep(0.2)
        out, _ = process.communicate("go on\n", timeout=30)
        self.assertEqual(out.split(), ["caught", "1200000"])
        self.assert_untouched()

    def test_after_a_signal_before_the_command(self):
        report = self.dir / "report"
        os.mkfifo(report)  # amp-emu writes it with the caps set, and waits for who reads it
        process = subprocess.Popen(
            [
                self.bin / "amp-emu",
                *self.options("--small", BIG, "--sf", "2", "--json", report),
                "echo",
                "ran",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        while (self.big / "scaling_max_freq").read_text() != "1200000\n":
            if process.poll() is not None:
                message = process.communicate()[1]
                self.skip_if_busy(message)
                self.fail(message)
            time.sleep(0.01)
        process.terminate()
        threading.Timer(0.2, report.read_text).start()
        out, _ = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (-signal.SIGTERM, ""))
        self.assert_untouched()

    def test_file_that_cannot_be_set_back(self):
        process, _ = self.start("sh", "-c", "echo; exec sleep 60", before=self.unprivileged())
        cap = self.big / "scaling_max_freq"
        cap.chmod(0o444)
        process.terminate()
        _, message = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertIn(f"{cap.resolve()} cannot be set back to 2400000", message)
        self.assertIn(f"--restore --state {self.state}", message)
        done = self.cpufreq("--restore", before=self.unprivileged())
        self.assertEqual(done.returncode, REFUSED)
        self.assertTrue(self.state.exists())
        cap.chmod(0o644)
        self.assertEqual(self.cpufreq("--restore").returncode, 0)
        self.assert_untouched()


class AmpCpufreqKilled(Case):
    """An amp-emu that SIGKILL ended has to be undone by the next."""

    def kill_one(self, **options):
        process, _ = self.start("sh", "-c", "echo; exec sleep 60", **options)
        process.kill()
        process.communicate()
        self.assertEqual(self.changes(), {"policy4/scaling_max_freq": 1200000})
        self.assertTrue(self.state.exists())

    def test_restore(self):
        self.kill_one()
        done = self.cpufreq("--restore")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn(f"{self.big.resolve()}/scaling_max_freq is 2400000 again", done.stderr)
        self.assert_untouched()
        done = self.cpufreq("--restore")
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing to restore", done.stderr)

    def test_next_start_says_so(self):
        self.kill_one()
        done = self.cpufreq("--small", LITTLE, "--sf", "2", "echo", "ran")
        self.assert_refused(done, "was killed", f"--restore --state {self.state}")
        self.assertEqual(self.changes(), {"policy4/scaling_max_freq": 1200000})

    def test_steal_says_so(self):
        before = self.unprivileged()
        self.state = self.dir / "amp-emu-cpufreq.json"
        self.kill_one(before=before)
        done = self.run_tool(
            "amp-emu",
            "steal",
            "--small",
            str(min(os.sched_getaffinity(0))),
            "--sf",
            "2",
            "true",
            before=before,
            env={"XDG_RUNTIME_DIR": str(self.dir)},
        )
        self.skip_if_busy(done.stderr)
        self.assertIn("amp-emu cpufreq --restore", done.stderr)

    def test_restore_takes_no_command(self):
        self.kill_one()
        self.assert_refused(self.cpufreq("--restore", "echo", "ran"), "no command")
        self.assertTrue(self.state.exists())

    def test_state_that_is_none(self):
        for text in ("", "[]", '{"settings": [{"file": 1}]}'):
            with self.subTest(text):
                self.state.write_text(text)
                self.assert_refused(self.cpufreq("--restore"), self.state, "nothing was restored")
                self.assertEqual(self.state.read_text(), text)
                self.assertEqual(self.changes(), {})


if __name__ == "__main__":
    sys.exit(tool_case.main())
