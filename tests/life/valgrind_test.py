#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""valgrind's memcheck finds no error, and no block that is lost, in folded teams. It runs one
thread at a time, and ids keep their kernel threads there.

valgrind_test.py <program that has folded teams>
"""

import shutil
import sys

from driver import check, run, skip

ERROR = 9
COMMAND = [
    *("valgrind", "--tool=memcheck", f"--error-exitcode={ERROR}"),
    *("--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"),
]
ROUNDS = 12

if not shutil.which("valgrind"):
    skip("valgrind is not here")
done = run([*COMMAND, "true"])
if done.returncode != 0:
    skip(f"valgrind does not run here: {done.stderr}")
FOLDED = [sys.argv[1], ROUNDS]
for program, variables in (
    (FOLDED, {"GOMP_AMP_FOLD": 3}),
    (FOLDED, {"GOMP_AMP_FOLD": 4, "OMP_NUM_THREADS": 1}),
    (FOLDED, {"GOMP_AMP_FOLD": 1, "OMP_NUM_THREADS": 3}),
):
    done = run([*COMMAND, *program], variables)
    check(done.returncode == 0, f"{variables}: status {done.returncode}\n{done.stderr}")
    check("ERROR SUMMARY: 0 errors" in done.stderr, f"{variables}: it was not watched")
