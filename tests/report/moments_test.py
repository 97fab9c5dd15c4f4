# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what becomes of the report when programs fork, exit in regions, or unload modules.

moments_test.py <moments>
"""

import json
import os
import pathlib
import select
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/life"), str(ROOT / "tools/amp-watch")]
import driver  # noqa: E402
from amp_watch import reports  # noqa: E402

PROGRAM = pathlib.Path(sys.argv.pop(1))
# Loops whose iterations each thread counts.
COUNTED = {"OMP_SCHEDULE": "static,1"}


def iterations(report):
    return sum(loop["iterations"] for loop in report["loops"])


def runs(report):
    return sum(region["invocations"] for region in report["regions"])


class Moments(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.file = self.directory / "report.json"

    def run_program(self, *arguments, report=None, status=0, **values):
        done = driver.run(
            [PROGRAM, *arguments],
            {"OMP_NUM_THREADS": 3, "GOMP_AMP_REPORT": report or self.file, **COUNTED, **values},
            cwd=self.directory,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def read(self, path=None):
        return reports.read(path or self.file)

    def files(self):
        return sorted(path.name for path in self.directory.iterdir())

    def test_a_child_has_its_own(self):
        child = self.run_program("forks").stdout.strip()
        self.assertEqual(self.files(), ["report.json", f"report.json.{child}"])
        self.assertEqual(iterations(self.read()), 110)
        of_child = self.read(self.directory / f"report.json.{child}")
        self.assertEqual((iterations(of_child), runs(of_child)), (7, 1))
        self.assertEqual(of_child["pid"], int(child))

    def test_a_child_without_openmp_or_handlers_writes_nothing(self):
        self.run_program("idle-forks")
        self.assertEqual(self.files(), ["report.json"])
        self.assertEqual(iterations(self.read()), 100)

    def test_process_number_in_the_name(self):
        child = self.run_program("forks", report="r-%p.json").stdout.strip()
        files = self.files()
        self.assertEqual(len(files), 2)
        self.assertIn(f"r-{child}.json", files)

    def test_exit_in_a_region(self):
        self.run_program("exits")
        report = self.read()
        self.assertEqual(runs(report), 1)
        self.assertEqual(sum(region["unfinished"] for region in report["regions"]), 1)

    def test_signal(self):
        self.run_program("signals", self.file)
        self.assertEqual(iterations(self.read()), 300)

    def test_a_name_that_is_not_utf8(self):
        program = self.directory / os.fsdecode(b"caf\xc3\xa9-\xff")
        shutil.copy(PROGRAM, program)
        driver.run([program, "exits"], {"OMP_NUM_THREADS": 3, "GOMP_AMP_REPORT": self.file})
        self.assertEqual(self.read()["program"].rsplit("/")[-1], "café-\ufffd")

    def test_a_cancelled_thread_writes_all(self):
        self.run_program("cancelled")
        self.assertEqual(iterations(self.read()), 300)

    def test_a_program_clears_its_environment(self):
        self.run_program("clears")
        self.assertEqual(iterations(self.read()), 100)

    def test_a_program_keeps_its_own_handler(self):
        self.run_program("own-handler", self.file)
        self.assertEqual(iterations(self.read()), 100)

    def test_unloaded_modules_keep_their_names(self):
        modules = [PROGRAM.parent / f"report-plugin-{name}.so" for name in "ab"]
        self.run_program("plugins", *modules)
        report = self.read()
        found = {loop["module"]: loop["iterations"] for loop in report["loops"]}
        self.assertEqual(found, {str(modules[0].resolve()): 300, str(modules[1].resolve()): 303})
        self.assertEqual({region["invocations"] for region in report["regions"]}, {3})

    def test_what_has_no_record_is_counted(self):
        count = int(self.run_program("many").stdout)
        report = self.read()
        self.assertEqual(iterations(report), count)
        self.assertEqual(runs(report), 1200)
        self.assertEqual(len(report["regions"]), 1025)
        self.assertIsNone(report["regions"][-1]["site"])
        self.assertEqual(report["regions"][-1]["invocations"], 1200 - 1024)
        self.assertIsNone(report["loops"][-1]["site"])

    def test_threads_that_end(self):
        self.run_program("threads")
        report = self.read()
        self.assertEqual((iterations(report), runs(report)), (200, 20))

    def test_more_threads_end_than_are_recorded_at_a_time(self):
        self.run_program("threads", "600", OMP_NUM_THREADS=9)
        report = self.read()
        self.assertEqual((iterations(report), runs(report)), (6000, 600))
        self.assertEqual(report["lost"], 0)

    def test_threads_without_a_team_end(self):
        self.run_program("strangers", "5000")
        report = self.read()
        self.assertEqual((iterations(report), report["lost"]), (15000, 0))

    def test_a_child_of_a_region_does_not_end_it(self):
        cpu = min(os.sched_getaffinity(0))
        command = ["taskset", "-c", cpu, PROGRAM, "forks-inside"]
        done = driver.run(command, {"GOMP_AMP_REPORT": self.file, "GOMP_AMP_FOLD": 3})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(runs(self.read()), 3)
        child = self.read(self.directory / f"report.json.{done.stdout.strip()}")
        self.assertEqual([region["nested"] for region in child["regions"]], [5, 0])
        self.assertEqual((runs(child), iterations(child)), (5, 50))

    def test_numbers_do_not_depend_on_the_locale(self):
        made = subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", self.directory / "de_DE.UTF-8"],
            capture_output=True,
            check=False,
        )
        if made.returncode != 0:
            self.skipTest("there is no locale de_DE to make")
        self.run_program("foreign-numbers", "de_DE.UTF-8", LOCPATH=self.directory)
        self.assertEqual(iterations(self.read()), 100)
        text = self.file.read_text()
        self.assertRegex(text, r'"square":\d+\.\d')

    def test_nothing_to_report(self):
        self.run_program("nothing")
        self.assertEqual(self.files(), [])

    def test_a_pipe_is_written_and_not_replaced(self):
        os.mkfifo(self.file)
        reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.run_program("threads")
        self.assertTrue(stat.S_ISFIFO(self.file.stat().st_mode))
        self.assertEqual(runs(json.loads(os.read(reader, 65536))), 20)

    def test_a_pipe_without_a_reader_is_left(self):
        os.mkfifo(self.file)
        said = self.run_program("threads").stderr
        self.assertIn(f"cannot write {self.file}: No such device or address", said)

    def test_a_reader_that_goes_away_ends_no_program(self):
        os.mkfifo(self.file)
        reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
        process = subprocess.Popen(
            [PROGRAM, "many"],
            env=driver.environment(OMP_NUM_THREADS=2, GOMP_AMP_REPORT=self.file),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        select.select([reader], [], [], 60)
        os.close(reader)
        said = process.communicate(timeout=900)[1]
        self.assertEqual(process.returncode, 0, said)
        self.assertIn(f"cannot write {self.file}: Broken pipe", said)

    def test_a_file_that_cannot_be_written(self):
        said = self.run_program("threads", report="/nowhere/report").stderr
        self.assertRegex(
            said, "GOMP_AMP_REPORT: cannot write /nowhere/report: .*; the report is lost"
        )


if __name__ == "__main__":
    unittest.main()
