# SPDX-License-Identifier: GPL-3.0-or-later
"""What OMP_DISPLAY_ENV=verbose says of folded regions at the end of a program."""

import os
import re
import sys

import driver

CALLED = {"GOMP_AMP_FOLD": 2, "GOMP_AMP_TOPOLOGY": "off", "OMP_DISPLAY_ENV": "verbose"}
FOLDED = {**CALLED, "GOMP_AMP_FOLD_CALLS": "off"}
LINE = re.compile(
    r"^libgomp: region life-folded-regions\+0x[0-9a-f]+ \(\S+_omp_fn\.\d+\) "
    r"is not folded any more: its threads wait outside of OpenMP; "
    r"it was called 0 times; (\d+) threads were woken early$",
    re.MULTILINE,
)


def regions(values, mode="one"):
    done = driver.run([sys.argv[1], mode], values)
    driver.check(done.returncode == 0, done.stderr)
    return done.stderr


# How a region is run, by the last words of its line, and the option that every region is called.
WAYS = {
    "static-loop": "called: no id was seen to wait for another one",
    "barriers": "run by turns: its threads wait for each other",
    "ordered": "run by turns: its threads wait for each other",
    "inner-yields": "run by turns: its threads wait for each other",
    "inner-threads-yield": "run by turns: its threads wait for each other",
    "detached": "run by turns: its threads wait for each other",
    "tasks-once": "run by turns: it has tasks",
}


def called():
    for case, way in WAYS.items():
        # One core: no id begins before another one waits.
        values = {**CALLED, "GOMP_AMP_FOLD_CALLS": "all", "OMP_NUM_THREADS": 1}
        done = driver.run([sys.argv[2], case], values)
        driver.check(done.returncode == 0, done.stderr)
        region = r"life-called\+0x[0-9a-f]+ \(\S+_omp_fn\.\d+\)"
        line = rf"^libgomp: region {region} is {way}; it was called \d+ times?(;|$)"
        driver.check(re.search(line, done.stderr, re.MULTILINE), f"{case}: {done.stderr}")


def main():
    if len(os.sched_getaffinity(0)) < 2:
        driver.skip("one core")
    said = regions(FOLDED)
    found = LINE.findall(said)
    driver.check(len(found) == 1 and int(found[0]) >= 3, f"one region is named, not in: {said}")
    found = LINE.findall(regions(FOLDED, "many"))
    driver.check(len(found) == 8, f"8 regions are named, not {len(found)}")
    said = regions({**FOLDED, "OMP_DISPLAY_ENV": None})
    driver.check("libgomp: region" not in said, f"nobody asked for: {said}")
    said = regions(FOLDED, "pinned")
    driver.check(said.count("binds its threads itself") == 1, f"said once, not in: {said}")
    called()
    # It has thread-local variables.
    said = driver.run([sys.argv[3], "switches"], CALLED).stderr
    ways = re.findall(r"\) is (.*); it was called (\d+) times$", said, re.MULTILINE)
    turns = ("run by turns: its module or a library of it has thread-local state", "0")
    driver.check(ways and set(ways) == {turns}, f"{ways} in: {said}")


main()
