#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every allocation of a run fails once: the run is right, or ends with upstream's message.

memory-out_test.py <program> <interposer>
"""

import os
import pathlib
import sys
import tempfile

from driver import check, run

PROGRAM, INTERPOSER = sys.argv[1:]
CLASSES = {"GOMP_AMP_THREAD_CLASSES": "0,1"}
ENDS = ("libgomp: Out of memory allocating", "libgomp: Thread creation failed")


def configurations(directory):
    """What makes the library allocate: nothing, tables, names, lines."""
    factors = directory / "factors"
    head = "# libgomp-amp speedup factors, format 2\n# machine any\n"
    factors.write_text(f"{head}none+0x1 0:1,1:2 # 3\n")
    yield "classes by number", CLASSES
    yield "classes by CPU", {"GOMP_AMP_TOPOLOGY": "0=446,1-1023=1024"}
    for cpu in os.sched_getaffinity(0):
        core = directory / f"devices/system/cpu/cpu{cpu}"
        core.mkdir(parents=True)
        (core / "cpu_capacity").write_text("446" if cpu == 0 else "1024")
    yield "classes of a directory", {"GOMP_AMP_TOPOLOGY": directory}
    yield "binding", {"GOMP_AMP_TOPOLOGY": "0=446,1-1023=1024", "GOMP_AMP_AFFINITY": "BS"}
    # Loops of folded teams are static.
    folded = {"GOMP_AMP_FOLD": "auto", "AMP_LIFE_ANY_KIND": "1"}
    yield "folded", {"GOMP_AMP_TOPOLOGY": "0=446,1-1023=1024", **folded}
    yield (
        "factors",
        {
            **CLASSES,
            "GOMP_AID_SF": "1:2",
            "GOMP_AID_SF_FILE": factors,
            "GOMP_AID_SF_SAVE": directory / "saved",
        },
    )


def sweep(name, values, rest):
    """Fail the first allocation, then the second and so on, and with REST all that follow."""
    with tempfile.NamedTemporaryFile() as count:
        values = {**values, "LD_PRELOAD": INTERPOSER, "AMP_FAIL_COUNT": count.name}
        done = run([PROGRAM], values)
        check(done.returncode == 0, f"{name}: {done.returncode} with memory: {done.stderr}")
        calls = int(pathlib.Path(count.name).read_text())
    check(calls > 10, f"{name}: only {calls} allocations were seen")
    if rest:
        values["AMP_FAIL_REST"] = 1
    worked = 0
    for nth in range(1, calls + 1):
        done = run([PROGRAM], {**values, "AMP_FAIL_NTH": nth, "AMP_LIFE_ANY_KIND": 1})
        worked += done.returncode == 0
        check(
            done.returncode == 0
            or (done.returncode == 1 and any(end in done.stderr for end in ENDS)),
            f"{name}: without allocation {nth} of {calls}: {done.returncode}: {done.stderr}",
        )
    print(f"{name}, {'and all later' if rest else 'one'}: {calls} allocations, {worked} not missed")


with tempfile.TemporaryDirectory() as scratch:
    for title, options in configurations(pathlib.Path(scratch)):
        sweep(title, options, rest=False)
        sweep(title, options, rest=True)
