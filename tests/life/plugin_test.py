#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenMP plugins that a program without OpenMP opens, runs and closes.

plugin_test.py cycle <host> <plugin>...         again and again, whatever the wait policy
plugin_test.py constructor <host> <plugin>      one that runs loops while it is being opened
plugin_test.py late <host> <plugin>             the same where the kernel tells no classes
plugin_test.py factors <host> <plugin> <plugin> each plugin's factors are saved as its own
"""

import pathlib
import re
import sys
import tempfile

from driver import check, run, skip

HOST, *PLUGINS = sys.argv[2:]
BY_NUMBER = {"GOMP_AMP_THREAD_CLASSES": "0,1"}
BY_CPU = {"GOMP_AMP_TOPOLOGY": "0=446,1-1023=1024"}


def host(times, values):
    done = run([HOST, times, *PLUGINS], values)
    check(done.returncode == 0, f"with {values}: {done.returncode}: {done.stderr}")
    return done


def cycle():
    # A thread of a pool spins for a while after its region, in the library's code.
    for policy in "passive", "active":
        host(5, {**BY_NUMBER, "OMP_WAIT_POLICY": policy})
    host(5, {**BY_CPU, "GOMP_SPINCOUNT": "1000000"})


def constructor():
    with tempfile.TemporaryDirectory() as scratch:
        read = pathlib.Path(scratch, "read")
        head = "# libgomp-amp speedup factors, format 2\n# machine any\n"
        read.write_text(f"{head}none+0x1 0:1,1:2\n")
        for classes in BY_NUMBER, BY_CPU, {"AMP_LIFE_ANY_KIND": "1"}:
            host(1, {**classes, "OMP_SCHEDULE": "aid_static"})
            host(1, {**classes, "GOMP_AID_SF_FILE": read})
            host(1, {**classes, "GOMP_AID_SF_SAVE": scratch + "/saved"})


def late():
    # hwloc, which is then asked, is loaded: that waits for the thread that is opening the plugin.
    cpus = "/sys/devices/system/cpu/cpu[0-9]*"
    hide = f'for cpu in {cpus}; do mount -t tmpfs none "$cpu" || exit 77; done'
    command = ["unshare", "--mount", "sh", "-c", f'{hide}; exec "$@"', "sh"]
    done = run([*command, HOST, 1, *PLUGINS])
    if done.returncode == 77 or "unshare failed" in done.stderr:
        skip(f"the kernel's files cannot be hidden: {done.stderr.strip()}")
    check(done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}")


def factors():
    with tempfile.TemporaryDirectory() as scratch:
        saved = pathlib.Path(scratch, "saved")
        done = host(2, {**BY_NUMBER, "GOMP_AID_SF_SAVE": saved})
        lines = re.findall(r"^(\S+)\+(0x\S+) \S+ # (\d+)$", saved.read_text(), re.MULTILINE)
    modules = sorted({module for module, _, _ in lines})
    names = sorted(pathlib.Path(plugin).name for plugin in PLUGINS)
    check(modules == names, f"factors are of {modules}")
    # One of a plugin's loops makes sure to be sampled: twice a call for each of three kinds.
    for name in names:
        sure = [line for line in lines if line[0] == name and line[2] == "12"]
        check(sure, f"12 samples of no loop of {name}: {lines}")
    if len(set(re.findall(r"plugin at (\S+)", done.stdout))) > 1:
        skip("the plugins were not mapped at one address; that apart all is well")


{f.__name__: f for f in (cycle, constructor, late, factors)}[sys.argv[1]]()
