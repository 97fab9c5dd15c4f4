# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that a run is what it was meant to be, of the code of loops, and of scripts/demo."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from lab import machines, runs  # noqa: E402
from lab.runtimes import OURS, STOCK, VIRTUAL, Runtime  # noqa: E402


class Runs(unittest.TestCase):
    LINE = "result: seconds=1.5 verified={v} threads={t} amp={a} ns_per_loop=3 runtime={r}"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        self.runtime = Runtime(OURS, Path("/x y/libgomp.so.1"), self.directory)

    def run_program(self, body: str) -> runs.Result:
        path = self.directory / "program"
        path.write_text("#!/bin/sh\n" + body + "\n")
        path.chmod(0o755)
        cpu = machines.own_cpus()[0]
        return runs.execute(runs.Run((str(path),), self.runtime, (cpu,), "static"))

    def line(self, v=1, t=1, a=100, r="/x y/libgomp.so.1") -> str:
        return f"echo '{self.LINE.format(v=v, t=t, a=a, r=r)}'"

    def test_good(self):
        self.assertEqual(self.run_program(self.line()).fields["seconds"], 1.5)

    def test_one_that_takes_too_long_ends_with_all_that_it_started(self):
        file = self.directory / "pid"
        with unittest.mock.patch.object(runs, "TIMEOUT_SECONDS", 1):
            with self.assertRaisesRegex(runs.RunError, "timed out"):
                self.run_program(f"sleep 60 & echo $! >{file}; wait")
        stat = Path("/proc") / file.read_text().strip() / "stat"
        for _ in range(100):
            # A zombie has ended, too: its new parent may wait for it later.
            if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return
            time.sleep(0.05)
        self.fail("what it started still runs")

    def test_environment(self):
        self.run_program(
            'test "$OMP_SCHEDULE" = static && test "$OMP_NUM_THREADS" = 1 || exit 1\n'
            f'test "$LD_LIBRARY_PATH" = "{self.directory}" || exit 1\n' + self.line()
        )

    def test_tasks(self):
        for name, told in ((OURS, "fifo"), (VIRTUAL, "fifo"), (STOCK, None)):
            runtime = Runtime(name, self.runtime.library, self.directory)
            other = (("GOMP_TASK_SCHEDULE", "upstream"),)
            run = runs.Run(("a",), runtime, (0,), "static", environment=other, tasks="fifo")
            self.assertEqual(run.complete_environment().get("GOMP_TASK_SCHEDULE"), told, name)
            self.assertIn("GOMP_TASK_SCHEDULE=fifo under", run.settings)
        untold = runs.Run(("a",), self.runtime, (0,), "static")
        self.assertNotIn("GOMP_TASK_SCHEDULE", untold.complete_environment())

    def test_folded_teams(self):
        """The library binds their threads, of which there are more than OMP_NUM_THREADS."""

        def folded(fold: str) -> runs.Run:
            return runs.Run(("a",), self.runtime, (0, 1), "static", fold=fold)

        def check(fold: str, threads: int):
            fields = {"verified": 1.0, "amp": 1.0, "threads": float(threads)}
            runs.check(folded(fold), runs.Result(fields, str(self.runtime.library)))

        environment = folded("3").complete_environment()
        self.assertEqual((environment["GOMP_AMP_FOLD"], environment["OMP_NUM_THREADS"]), ("3", "2"))
        self.assertNotIn("OMP_PLACES", environment)
        self.assertNotIn("GOMP_AMP_FOLD", folded("").complete_environment())
        for fold, threads in (("", 2), ("3", 6), ("auto", 5)):
            check(fold, threads)
        for fold, threads in (("", 6), ("3", 2), ("auto", 1)):
            with self.subTest(fold), self.assertRaisesRegex(runs.RunError, "threads instead"):
                check(fold, threads)

    def test_every_wrong_run_is_refused(self):
        wrong = {
            "verification": self.line(v=0),
            "served by /other": self.line(r="/other"),
            "not the runtime": self.line(a=0),
            "threads instead": self.line(t=2),
            "status 3": self.line() + "; exit 3",
            "0 result lines": "true",
            "2 result lines": self.line() + ";" + self.line(),
            "not NAME=NUMBER": "echo 'result: seconds=none runtime=/x'",
        }
        for message, body in wrong.items():
            with self.subTest(message), self.assertRaisesRegex(runs.RunError, message):
                self.run_program(body)


class Demo(unittest.TestCase):
    def test_classes_of_the_display(self):
        display = (
            "  LIBGOMP_AMP_CLASSES = '2'\n"
            "  LIBGOMP_AMP_CLASS_0 = 'CPUs 4-6,9, capacity 446'\n"
            "  LIBGOMP_AMP_CLASS_1 = 'CPUs 0,2, capacity unknown'\n"
        )
        self.assertEqual(machines.classes_in(display), ((0, 2), (4, 5, 6, 9)))


class DemoJohn(unittest.TestCase):
    """How scripts/demo finds john, in a directory that stands for the machine."""

    SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "demo"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="amp-demo-")
        self.addCleanup(scratch.cleanup)
        self.top = Path(scratch.name)

    def stub(self, path, text):
        file = self.top / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def found(self):
        """The exit status of find_john, and what it prints."""
        code = re.search(r"^find_john.*?^}$", self.SCRIPT.read_text(), re.M | re.S)[0]
        code = code.replace(":/usr/sbin", f":{self.top}/sbin")
        done = subprocess.run(
            ["bash", "-c", f"{code}\nfind_john"],
            cwd=self.top,
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout

    def test_installed(self):
        self.stub("sbin/john", "exit 1")
        self.assertEqual(self.found(), (0, f"{self.top}/sbin/john\n"))

    def test_none(self):
        status, printed = self.found()
        self.assertNotEqual(status, 0)
        self.assertEqual(printed, "")


class DemoProgress(unittest.TestCase):
    SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "demo"

    def shown(self, columns: int) -> list[str]:
        """What a terminal of that width is sent for a step that prints long lines, split where the
        cursor goes back to the first column."""
        functions = re.search(r"^log=.*?^(?=if )", self.SCRIPT.read_text(), re.M | re.S)[0]
        lines = r"printf '[1/9]\t%0150d\n' 1 2 3"
        code = f"set -euo pipefail\n{functions}\nstep 'Doing {'x' * 80}' {lines}\n"
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen(["bash", "-c", code], stderr=child) as process:
            os.close(child)
            text = b""
            try:
                while part := os.read(parent, 4096):
                    text += part
            except OSError:  # the terminal's other end is closed
                pass
        os.close(parent)
        self.assertEqual(process.returncode, 0, text)
        return re.split(r"[\r\n]+(?:\x1b\[K)?", text.decode())

    def test_fits_the_terminal_and_80_columns(self):
        for columns, width in ((80, 80), (200, 80), (70, 70), (0, 80)):
            lines = self.shown(columns)
            self.assertGreater(len(lines), 4)
            for line in lines:
                self.assertLess(len(line.expandtabs()), width, line)


if __name__ == "__main__":
    unittest.main()
