# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what becomes of the trace when programs fork, exit in regions, or end threads.

moments_test.py <moments>
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "life"))
import driver  # noqa: E402
from picture import Picture  # noqa: E402

PROGRAM = pathlib.Path(sys.argv.pop(1))
# Loops whose iterations each thread counts.
COUNTED = {"OMP_SCHEDULE": "static,1"}


class Moments(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.file = self.directory / "trace.json"

    def run_program(self, *arguments, trace=None, **values):
        done = driver.run(
            [PROGRAM, *arguments],
            {"OMP_NUM_THREADS": 3, "GOMP_AMP_TRACE": trace or self.file, **COUNTED, **values},
            cwd=self.directory,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def files(self):
        return sorted(path.name for path in self.directory.iterdir())

    def iterations(self, path=None):
        return sum(Picture(path or self.file).iterations().values())

    def test_a_child_has_its_own(self):
        child = self.run_program("forks").stdout.strip()
        self.assertEqual(self.files(), ["trace.json", f"trace.json.{child}"])
        self.assertEqual(self.iterations(), 110)
        of_child = Picture(self.directory / f"trace.json.{child}")
        self.assertEqual(sum(of_child.iterations().values()), 7)
        self.assertEqual(len(of_child.regions), 1)
        self.assertEqual(of_child.about["pid"], int(child))

    def test_a_child_without_openmp_or_handlers_writes_nothing(self):
        self.run_program("idle-forks")
        self.assertEqual(self.files(), ["trace.json"])
        self.assertEqual(self.iterations(), 100)

    def test_process_number_in_the_name(self):
        child = self.run_program("forks", trace="t-%p.json").stdout.strip()
        self.assertEqual(len(self.files()), 2)
        self.assertIn(f"t-{child}.json", self.files())

    def test_exit_in_a_region(self):
        for values in ({}, {"GOMP_AMP_FOLD": 3, "GOMP_AMP_TOPOLOGY": "off"}):
            with self.subTest(values=values):
                self.run_program("exits", **values)
                picture = Picture(self.file)
                left = [run for run in picture.regions.values() if run["args"].get("unfinished")]
                self.assertEqual((len(picture.regions), len(left)), (2, 1))
                self.assertTrue(
                    any(event["args"].get("unfinished") for event in picture.kind("id"))
                )

    def test_signal(self):
        self.run_program("signals", self.file)
        self.assertEqual(self.iterations(), 300)

    def test_a_cancelled_thread_writes_all(self):
        self.run_program("cancelled")
        self.assertEqual(self.iterations(), 300)

    def test_unloaded_modules_keep_their_names(self):
        modules = [PROGRAM.parent / f"report-plugin-{name}.so" for name in "ab"]
        self.run_program("plugins", *modules)
        picture = Picture(self.file)
        found = {
            picture.sites[number]["module"]: count for number, count in picture.iterations().items()
        }
        self.assertEqual(found, {str(modules[0].resolve()): 300, str(modules[1].resolve()): 303})

    def test_what_has_no_name_is_there(self):
        count = int(self.run_program("many").stdout)
        picture = Picture(self.file)
        self.assertEqual(sum(picture.iterations().values()), count)
        self.assertEqual(len(picture.regions), 1200)
        unnamed = [run for run in picture.regions.values() if "site" not in run["args"]]
        self.assertEqual(len(unnamed), 1200 - 1024)

    def test_threads_that_end_give_their_rows_to_others(self):
        self.run_program("threads", "100")
        picture = Picture(self.file)
        self.assertEqual(sum(picture.iterations().values()), 1000)
        self.assertEqual(len(picture.regions), 100)
        self.assertLess(len(picture.rows), 30)

    def test_nothing(self):
        self.run_program("nothing")
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
