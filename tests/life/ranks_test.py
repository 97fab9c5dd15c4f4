#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that may use different CPUs of one machine, as MPI ranks, replay one file of factors.

ranks_test.py <program> <library that makes up a machine>
"""

import pathlib
import re
import sys
import tempfile

from driver import check, run

PROGRAM, OTHER_MACHINE = sys.argv[1:]
CLASSES = "0-1=300,2-3=600,4-5=1024"


def rank(cpus, threads, topology=CLASSES, mode="replay", **values):
    """The messages, and (class, iterations) of each thread, of a process that may use CPUS."""
    values |= {
        "LD_PRELOAD": OTHER_MACHINE,
        "AMP_TEST_CPUS": 6,
        "AMP_TEST_MASK": cpus,
        "GOMP_AMP_TOPOLOGY": topology,
    }
    done = run([PROGRAM, mode, threads], values)
    check(done.returncode == 0, f"{cpus}: {done.returncode}: {done.stderr}")
    ran = re.findall(r"^thread \d+ class (\d+) ran (\d+)$", done.stdout, re.MULTILINE)
    return done.stderr, sorted((int(cls), int(count)) for cls, count in ran)


def check_shares(cpus, threads, expected):
    """Each of the THREADS of a process on CPUS runs what is EXPECTED for its class."""
    messages, ran = rank(cpus, threads, GOMP_AID_SF_FILE=factors)
    check(messages == "", f"{cpus}: {messages}")
    # What rounding down left over is anybody's.
    fits = [
        any(cls == one and 0 <= count - share <= 2 for one, share in expected) for cls, count in ran
    ]
    check(len(fits) == threads and all(fits), f"{cpus}: {ran} instead of {expected}")


with tempfile.TemporaryDirectory() as scratch:
    factors = pathlib.Path(scratch, "factors")
    messages, ran = rank("0-5", 6, mode="sample", GOMP_AID_SF_SAVE=factors)
    check(messages == "", messages)
    check([cls for cls, _ in ran] == [0, 0, 1, 1, 2, 2], f"of the classes {ran}")

    # In the place of what was measured, as all these CPUs are as fast as each other: 1, 2 and 5.
    text = re.sub(r" 0:\S+ #", " 0:1.000000,1:2.000000,2:5.000000 #", factors.read_text())
    check(text.count("2:5.000000") == 1, f"saved: {text}")
    factors.write_text(text)
    check_shares("0-5", 6, [(0, 75), (1, 150), (2, 375)])
    check_shares("0-3", 4, [(0, 200), (1, 400)])
    check_shares("2-5", 4, [(1, 171), (2, 428)])
    check_shares("0-1,4-5", 4, [(0, 100), (2, 500)])

    # A class that the file lacks is missed only by those that may use it.
    factors.write_text(re.sub(r" 0:1.000000,", " ", text))
    check_shares("2-5", 4, [(1, 171), (2, 428)])
    messages, _ = rank("0-3", 4, GOMP_AID_SF_FILE=factors)
    check(messages.count("gives no speedup factor for core class 0 of 0..2") == 1, messages)

    # Another machine: the mid cores are as fast as the small ones.
    for cpus in "0-5", "2-5":
        messages, _ = rank(cpus, 4, "0-3=300,4-5=1024", GOMP_AID_SF_FILE=factors)
        refused = f"Cannot use the speedup factors in {factors}: they are of machine"
        check(messages.count(refused) == 1 and messages.count("libgomp:") == 1, messages)
