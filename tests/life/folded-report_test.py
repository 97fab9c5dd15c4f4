# SPDX-License-Identifier: GPL-3.0-or-later
"""What OMP_DISPLAY_ENV=verbose says of folded regions at the end of a program."""

import os
import re
import sys

import driver

FOLDED = {"GOMP_AMP_FOLD": 2, "GOMP_AMP_TOPOLOGY": "off", "OMP_DISPLAY_ENV": "verbose"}
LINE = re.compile(
    r"^libgomp: region life-folded-regions\+0x[0-9a-f]+ \(\S+_omp_fn\.\d+\) "
    r"is not folded any more: its threads wait outside of OpenMP; "
    r"(\d+) threads were picked up early$",
    re.MULTILINE,
)


def regions(values, mode="one", program=sys.argv[1]):
    done = driver.run([program, mode], values)
    driver.check(done.returncode == 0, done.stderr)
    return done.stderr


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
    said = regions(FOLDED, "pinned", sys.argv[2])
    driver.check(said.count("binds its threads itself") == 1, f"said once, not in: {said}")
    done = driver.run([sys.argv[3], "barriers"], FOLDED)
    ways = re.findall(r"region life-folded-omp\+.* is (.*)$", done.stderr, re.MULTILINE)
    driver.check(set(ways) == {"folded: its threads are carried"}, f"{ways} in: {done.stderr}")
    # It binds threads.
    ways = re.findall(r"is folded by the kernel: .*threads: (\S+)$", said, re.MULTILINE)
    driver.check(set(ways) == {"sched_setaffinity"}, f"{ways} in: {said}")


main()
