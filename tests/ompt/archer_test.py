# SPDX-License-Identifier: GPL-3.0-or-later
"""LLVM's Archer on this library, with programs that GCC compiled with -fsanitize=thread: it reports
no race where there is none, and each one that there is.

archer_test.py races.c COMPILER. AMP_TEST_ARCHER names libarcher.so if it is not installed.
"""

import glob
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
import environment

SOURCE, COMPILER = sys.argv[1:3]
# How teams run: each thread for itself, folded; and tasks first in, first out.
WAYS = {
    "plain": {},
    "folded": {"GOMP_AMP_FOLD": "2", "GOMP_AMP_TOPOLOGY": "off"},
    "fifo": {"GOMP_TASK_SCHEDULE": "fifo"},
}
REPORT = 66


def skip(reason):
    print(reason)
    sys.exit(77)


def archer():
    named = os.environ.get("AMP_TEST_ARCHER")
    found = [named] if named else sorted(glob.glob("/usr/lib/llvm-*/lib/libarcher.so"))
    if not found:
        skip("no libarcher.so: install libomp-19-dev or another LLVM's")
    return found[-1]


class Archer(unittest.TestCase):
    def run_program(self, name, bad, tool=True, **variables):
        if tool:
            variables |= {"OMP_TOOL_LIBRARIES": LIBRARY}
        return subprocess.run(
            # Sanitized programs need the addresses that their shadow memory expects.
            ["setarch", "-R", PROGRAM, name, *(["bad"] if bad else [])],
            env=environment.clean(
                LD_LIBRARY_PATH=os.environ["LD_LIBRARY_PATH"],
                TSAN_OPTIONS=f"ignore_noninstrumented_modules=1 exitcode={REPORT}",
                **variables,
            ),
            capture_output=True,
            text=True,
            timeout=900,
        )

    def test_no_false_reports(self):
        for way, variables in WAYS.items():
            for name in NAMES:
                with self.subTest(way=way, name=name):
                    result = self.run_program(name, bad=False, **variables)
                    self.assertEqual(result.returncode, 0, result.stderr[:3000])

    def test_races_are_found(self):
        for way, variables in WAYS.items():
            for name in NAMES:
                with self.subTest(way=way, name=name):
                    # What runs when is chance.
                    for _ in range(5):
                        result = self.run_program(name, bad=True, **variables)
                        if result.returncode != 0:
                            break
                    self.assertEqual(result.returncode, REPORT, result.stderr[:3000])
                    self.assertIn("data race", result.stderr)

    def test_without_archer_there_are_false_reports(self):
        result = self.run_program("barriers", bad=False, tool=False)
        self.assertEqual(result.returncode, REPORT)


if __name__ == "__main__":
    LIBRARY = archer()
    with tempfile.TemporaryDirectory() as directory:
        PROGRAM = os.path.join(directory, "races")
        built = subprocess.run(
            [COMPILER, "-O1", "-g", "-fopenmp", "-fsanitize=thread", SOURCE, "-o", PROGRAM],
            capture_output=True,
            text=True,
        )
        if built.returncode != 0:
            skip(f"{COMPILER} does not compile with -fsanitize=thread: {built.stderr[:200]}")
        NAMES = subprocess.run([PROGRAM], capture_output=True, text=True).stdout.split()
        if not NAMES:
            skip("programs that are compiled with -fsanitize=thread do not run here")
        unittest.main(argv=sys.argv[:1])
