# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that report and trace are whole, or not there, however a program ends.

endings_test.py <endings>
"""

import json
import os
import pathlib
import resource
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/life"), str(ROOT / "tools/amp-watch")]
import driver  # noqa: E402
from amp_watch import traces  # noqa: E402

PROGRAM = pathlib.Path(sys.argv.pop(1))
FOLDED = {"GOMP_AMP_FOLD": 4, "GOMP_AMP_TOPOLOGY": "off"}


class Endings(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.report = self.directory / "report"
        self.trace = self.directory / "trace"

    def end(self, *arguments, status=0, **values):
        done = driver.run(
            [PROGRAM, *arguments],
            {"OMP_NUM_THREADS": 8, "GOMP_AMP_REPORT": self.report, "GOMP_AMP_TRACE": self.trace}
            | values,
            cwd=self.directory,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def files(self):
        return sorted(path.name for path in self.directory.iterdir())

    def writes(self, way, rounds=20, **values):
        for _ in range(rounds):
            self.end(way, **values)
            self.assertEqual(self.files(), ["report", "trace"])
            report = json.loads(self.report.read_text())
            self.assertGreater(sum(row["invocations"] for row in report["regions"]), 0)
            self.assertTrue(traces.read(self.trace)["traceEvents"])
            self.report.unlink()
            self.trace.unlink()

    def test_all_ids_exit(self):
        self.writes("exit")

    def test_all_ids_exit_by_turns(self):
        self.writes("exit", **FOLDED)

    def test_fatal_errors_of_all_ids(self):
        self.writes("fatal", status=1)

    def test_exit_in_a_task(self):
        self.writes("task", rounds=5)

    def test_exit_in_a_signal_handler(self):
        self.writes("handler")

    def test_forks_in_signal_handlers(self):
        self.writes("forks", rounds=10)

    def test_exit_in_a_signal_handler_by_turns(self):
        self.writes("handler", rounds=5, **FOLDED)

    def test_the_end_at_once_leaves_nothing(self):
        for way, status in (("quick", 0), ("at-once", 0), ("abort", -6)):
            self.end(way, status=status)
            self.assertEqual(self.files(), [])

    def test_a_daemon(self):
        data = self.directory / "data"
        for variables in (
            {"GOMP_AMP_REPORT": "1"},
            # Reports of folded teams.
            FOLDED | {"OMP_DISPLAY_ENV": "verbose"},
            {"GOMP_AMP_REPORT": "/nowhere/report"},
            {"OMP_TOOL_LIBRARIES": "/nowhere/tool", "OMP_TOOL_VERBOSE_INIT": "stderr"},
        ):
            self.end("daemon", data, **variables)
            self.assertEqual(data.read_bytes(), b"DATA")

    def test_a_relative_name_of_a_daemon(self):
        # The directory is none of the name that the user gives.
        start = self.directory / "a%pb"
        start.mkdir()
        done = driver.run(
            [PROGRAM, "daemon", self.directory / "data"],
            {"GOMP_AMP_REPORT": "report-%p", "GOMP_AMP_TRACE": "./trace"},
            cwd=start,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(path.name for path in start.iterdir())
        self.assertEqual(len(names), 2)
        self.assertRegex(names[0], r"^report-\d+$")
        self.assertRegex(names[1], r"^trace.\d+$")

    def test_a_directory_with_a_percent_sign(self):
        directory = self.directory / "a%pb"
        directory.mkdir()
        self.end("task", GOMP_AMP_REPORT=directory / "r", GOMP_AMP_TRACE=directory / "t-%p")
        names = sorted(path.name for path in directory.iterdir())
        self.assertEqual(names[0], "r")
        self.assertRegex(names[1], r"^t-\d+$")

    def test_a_file_that_is_too_large(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        done = driver.run(
            [PROGRAM, "task"],
            {"GOMP_AMP_REPORT": self.report, "GOMP_AMP_TRACE": self.trace},
            preexec_fn=limit,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"cannot write {self.report}: File too large", done.stderr)
        self.assertIn(f"cannot write {self.trace}: File too large", done.stderr)
        self.assertEqual(self.files(), [])

    def test_a_pipe_that_is_not_read(self):
        os.mkfifo(self.trace)
        reader = os.open(self.trace, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        said = self.end("many").stderr
        self.assertIn(f"cannot write {self.trace}: Connection timed out", said)


if __name__ == "__main__":
    unittest.main()
