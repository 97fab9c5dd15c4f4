# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads stay on the CPUs that a program leaves to itself, folded or not.

usage: confined_test.py initial|thread|nested PROGRAM
"""

import sys

import driver

mode, program = sys.argv[1:]
# What the program says if its teams are folded where they can be.
FOLDED = {
    "initial": ["outside: 0, folded"] * 2,
    "thread": ["outside: 0, not folded"] * 2 + ["outside: 0, folded"],
    "nested": ["unlike: 0, folded"] + ["unlike: 0, not folded"] * 2,
}[mode]
PLAIN = [line.replace("0, folded", "0, not folded") for line in FOLDED]
MESSAGE = "has another affinity mask than the process had at its start; its teams are not folded"
# Once in a process. One with a single thread may confine itself.
SAID = {"initial": 0, "thread": 1, "nested": 0}[mode]

for fold in (0, 1, 3):
    done = driver.run([program, mode], {"GOMP_AMP_FOLD": fold, "GOMP_AMP_TOPOLOGY": "off"})
    if done.returncode == 77:
        driver.skip(done.stdout.strip().removeprefix("skipped: "))
    where = f"{mode}, GOMP_AMP_FOLD={fold}: {done.stdout}{done.stderr}"
    driver.check(done.returncode == 0, where)
    driver.check(done.stdout.splitlines() == (FOLDED if fold else PLAIN), where)
    driver.check(done.stderr.count(MESSAGE) == (SAID if fold else 0), where)
