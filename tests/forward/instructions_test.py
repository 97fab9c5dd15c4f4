#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how many instructions a static loop of GCC 17 spends in the library, which valgrind counts.

instructions_test.py <forward-static-loops> <directory of libgomp.so.1>
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

# Each thread of teams of 1 to 9 calls each function once.
TEST, CALLS = "Answers.InTeamsOfEverySize", sum(range(1, 10))
# Those of the snapshot's library of October 2026, and four for the test whether there is a tool.
MOST = {
    "GOMP_loop_static_worksharing": 11,
    "GOMP_loop_static_worksharing_start": 11 + 4,
    "GOMP_distribute_static_worksharing_start": 8,
}


class Instructions(unittest.TestCase):
    def test_of_each_function(self):
        for function, most in MOST.items():
            with self.subTest(function):
                command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
                command += [f"--toggle-collect={function}", PROGRAM, f"--gtest_filter={TEST}"]
                done = subprocess.run(
                    command,
                    env=environment.clean(LD_LIBRARY_PATH=LIBRARY, OMP_WAIT_POLICY="passive"),
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                count = int(re.search(r"Collected : (\d+)", done.stderr)[1])
                print(f"{function}: {count / CALLS:.1f} instructions")
                self.assertGreater(count, 0)
                self.assertLessEqual(count, most * CALLS)


if __name__ == "__main__":
    PROGRAM, LIBRARY = sys.argv[1:3]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
