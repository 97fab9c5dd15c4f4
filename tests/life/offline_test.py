#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""CPUs are taken away from a program in the middle of its loops, and given back.

offline_test.py cpuset <program>   by a cgroup: to the program it is as if they were offline
offline_test.py hotplug <program>  by taking a CPU offline, if AMP_TEST_HOTPLUG=1 allows it
offline_test.py tree <program>     from a directory that stands for /sys, while that is read
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from driver import check, environment, run, skip

MODE, PROGRAM = sys.argv[1:]
CPUSET = pathlib.Path("/sys/fs/cgroup/cpuset")
ONLINE = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
BY_CPU = {"GOMP_AMP_TOPOLOGY": "0=446,1-1023=1024"}


def while_running(torment):
    """Call TORMENT (pid) while the program runs, which then has to end well."""
    process = subprocess.Popen(
        [PROGRAM, "4"],
        # Where one CPU is left the library knows that the cores of a team are alike.
        env=environment(**BY_CPU, AMP_LIFE_ANY_KIND=1),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        check(process.stdout.readline() == "running\n", "the program does not start")
        torment(process.pid)
        output, _ = process.communicate(timeout=900)
        check(process.returncode == 0, f"the program ended with {process.returncode}")
        print(output)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def cpuset():
    if len(os.sched_getaffinity(0)) < 2:
        skip("this process may use one CPU only")
    unified = not CPUSET.exists()
    parent = pathlib.Path("/sys/fs/cgroup") if unified else CPUSET
    path = parent / f"libgomp-amp-life-{os.getpid()}"
    cpus = sorted(os.sched_getaffinity(0))
    try:
        path.mkdir()
    except OSError as error:
        skip(f"no cgroup can be made in {parent}: {error}")
    try:
        if not (path / "cpuset.cpus").exists():
            skip(f"{parent} gives its children no cpuset")
        if not unified:
            (path / "cpuset.mems").write_text((parent / "cpuset.mems").read_text())
        (path / "cpuset.cpus").write_text(",".join(map(str, cpus)))

        def torment(pid):
            (path / "cgroup.procs").write_text(str(pid))
            for i in range(30):
                left = [cpus[0]], [cpus[-1]], cpus
                (path / "cpuset.cpus").write_text(",".join(map(str, left[i % 3])))
                check(len(os.sched_getaffinity(pid)) == len(left[i % 3]), "the CPUs stay")
                time.sleep(0.01)

        while_running(torment)
    finally:
        path.rmdir()


def hotplug():
    if os.environ.get("AMP_TEST_HOTPLUG") != "1":
        skip("a CPU of the whole machine is only taken offline with AMP_TEST_HOTPLUG=1")
    try:
        before = ONLINE.read_text()
        ONLINE.write_text(before)
    except OSError as error:
        skip(f"{ONLINE}: {error}")

    def torment(_):
        for _ in range(3):
            ONLINE.write_text("0")
            time.sleep(0.05)
            ONLINE.write_text("1")
            time.sleep(0.05)

    try:
        while_running(torment)
    finally:
        ONLINE.write_text(before)


def tree():
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name, "devices/system/cpu")
        for cpu in cpus:
            (root / f"cpu{cpu}").mkdir(parents=True)
            (root / f"cpu{cpu}/cpu_capacity").write_text("446" if cpu == cpus[0] else "1024")
        spare = pathlib.Path(name, "spare")
        end = pathlib.Path(name, "end")
        # Killed, it would leave behind a mv that goes on.
        script = 'until test -e "$2"; do mv "$0" "$1" && mv "$1" "$0" || exit; done'
        vanish = subprocess.Popen(["sh", "-c", script, root / f"cpu{cpus[-1]}", spare, end])
        try:
            for _ in range(40):
                done = run([PROGRAM], {"GOMP_AMP_TOPOLOGY": name, "AMP_LIFE_ANY_KIND": 1})
                check(done.returncode == 0, f"{done.returncode}: {done.stderr}")
                check(done.stderr == "", f"a message: {done.stderr}")
        finally:
            end.touch()
            check(vanish.wait() == 0, "a CPU could not be moved")
        shutil.rmtree(root)
        gone = run([PROGRAM], {"GOMP_AMP_TOPOLOGY": name, "AMP_LIFE_ANY_KIND": 1})
        check(gone.returncode == 0, f"without a tree: {gone.returncode}: {gone.stderr}")
        check(gone.stderr.count("GOMP_AMP_TOPOLOGY") == 1, f"without a tree: {gone.stderr}")


{"cpuset": cpuset, "hotplug": hotplug, "tree": tree}[MODE]()
