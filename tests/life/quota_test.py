#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cgroup's CPU quota throttles the program in the middle of its loops.

quota_test.py <program>
"""

import os
import pathlib
import subprocess
import sys
import time

from driver import check, environment, skip

PROGRAM = sys.argv[1]
CGROUPS = pathlib.Path("/sys/fs/cgroup")
PERIOD = 10000


def group():
    """A new group, and its files that set the quota; v1 has two, v2 one."""
    for parent, settings in (
        (CGROUPS / "cpu", {"cpu.cfs_period_us": PERIOD, "cpu.cfs_quota_us": PERIOD // 5}),
        (CGROUPS / "cpu,cpuacct", {"cpu.cfs_period_us": PERIOD, "cpu.cfs_quota_us": PERIOD // 5}),
        (CGROUPS, {"cpu.max": f"{PERIOD // 5} {PERIOD}"}),
    ):
        path = parent / f"libgomp-amp-life-{os.getpid()}"
        try:
            path.mkdir()
        except OSError:
            continue
        if all((path / name).exists() for name in settings):
            return path, settings
        path.rmdir()
    skip("no cgroup of ours can have a CPU quota here")


def throttled(path):
    for line in (path / "cpu.stat").read_text().splitlines():
        if line.startswith("nr_throttled "):
            return int(line.split()[1])
    return 0


path, settings = group()
process = None
try:
    try:
        for name, value in settings.items():
            (path / name).write_text(str(value))
    except OSError as error:
        skip(f"{path / name} cannot be written: {error}")
    process = subprocess.Popen(
        [PROGRAM, "4"],
        env=environment(GOMP_AMP_THREAD_CLASSES="0,1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    check(process.stdout.readline() == "running\n", "the program does not start")
    (path / "cgroup.procs").write_text(str(process.pid))
    while process.poll() is None and throttled(path) < 20:
        time.sleep(0.01)
    output, _ = process.communicate(timeout=900)
    check(process.returncode == 0, f"the program ended with {process.returncode}")
    print(output, f"{throttled(path)} times throttled")
finally:
    if process and process.poll() is None:
        process.kill()
        process.wait()
    path.rmdir()
