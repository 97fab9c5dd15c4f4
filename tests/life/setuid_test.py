#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""In a set-user-ID program the library opens no file and obeys no option that its caller names.

setuid_test.py options <program> <library>   those of the library
setuid_test.py hwloc <program> <library>     those of hwloc, where the library would load that
The program has a RUNPATH to the library.
"""

import ctypes
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile

from driver import check, run, skip

PROGRAM, LIBRARY = map(pathlib.Path, sys.argv[2:])
USER = 65534  # nobody, on Debian
IN_OPEN = 0x20


class Watch:
    """Tells which of the watched files and directories anybody opened."""

    def __init__(self, *paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK)
        check(self.descriptor >= 0, "inotify_init1")
        for path in paths:
            added = libc.inotify_add_watch(self.descriptor, os.fsencode(path), IN_OPEN)
            check(added >= 0, f"inotify_add_watch: {path}")

    def opened(self):
        try:
            events = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return 0
        return len(events) // struct.calcsize("iIII")


def outcome(program, scratch):
    """What a run by USER of PROGRAM reads, writes and obeys of files in SCRATCH."""
    names = scratch / "factors", scratch / "saved", scratch / "tree"
    values = {
        "GOMP_AID_SF_FILE": names[0],
        "GOMP_AID_SF_SAVE": names[1],
        "GOMP_AMP_TOPOLOGY": names[2],
        "GOMP_AMP_THREAD_CLASSES": "0,1",
        "GOMP_AMP_AFFINITY": "BS",
        "GOMP_AMP_AFINITY": "BS",
        "GOMP_TASK_SCHEDULE": "fifo",
        "GOMP_AID_SAMPLE_NS": "77",
        "OMP_DISPLAY_ENV": "verbose",
        "AMP_LIFE_ANY_KIND": "1",
    }
    watch = Watch(names[0], names[2] / "devices/system/cpu/cpu0")
    done = run([program], values, user=USER, group=USER, extra_groups=[], cwd="/")
    check(done.returncode == 0, f"{program}: {done.returncode}: {done.stderr}")
    shown = dict(re.findall(r"^ +(?:\[host\] )?(G\w+) = '(.*)'$", done.stderr, re.MULTILINE))
    check("GOMP_AID_SAMPLE_NS" in shown, f"no options are shown: {done.stderr}")
    written = names[1].exists()
    names[1].unlink(missing_ok=True)
    return watch.opened(), written, shown, "GOMP_AMP_AFINITY" in done.stderr


def prepare(scratch):
    """The files that the variables name, all of which USER may read and replace."""
    scratch.chmod(0o777)
    (scratch / "factors").write_text("# libgomp-amp speedup factors, format 2\n# machine any\n")
    for cpu in range(os.cpu_count()):
        core = scratch / f"tree/devices/system/cpu/cpu{cpu}"
        core.mkdir(parents=True)
        (core / "cpu_capacity").write_text("446" if cpu == 0 else "1024")


def copy(scratch, name):
    program = scratch / name
    shutil.copy(PROGRAM, program)
    program.chmod(0o755)
    return program


def secure_copies(scratch):
    """One by its set-user-ID bit, one by a capability."""
    owned = copy(scratch, "set-user-id")
    owned.chmod(0o4755)
    capable = copy(scratch, "capable")
    # cap_net_raw, permitted and effective: struct vfs_cap_data of version 2.
    os.setxattr(capable, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
    return owned, capable


def options(scratch, plain):
    prepare(scratch)
    opened, written, shown, reported = outcome(plain, scratch)
    check(opened >= 2, f"the plain program opened only {opened} of the files: bad test")
    check(reported, "the plain program says nothing of an unknown variable: bad test")
    check(written, "the plain program wrote no factors: bad test")
    check(shown["GOMP_AID_SAMPLE_NS"] == "77", f"the plain program shows {shown}: bad test")
    for program in secure_copies(scratch):
        opened, written, shown, reported = outcome(program, scratch)
        check(opened == 0, f"{program}: {opened} of the files that its caller named were opened")
        check(not written, f"{program}: wrote the file that its caller named")
        check(not reported, f"{program}: printed the name of a variable that its caller chose")
        defaults = {
            "GOMP_AID_SAMPLE_NS": "2000",
            "GOMP_AMP_AFFINITY": "FALSE",
            "GOMP_AMP_TOPOLOGY": "",
            "GOMP_AMP_THREAD_CLASSES": "",
            "GOMP_AID_SF_FILE": "",
            "GOMP_AID_SF_SAVE": "",
            "GOMP_TASK_SCHEDULE": "UPSTREAM",
        }
        for option, default in defaults.items():
            check(shown.get(option) == default, f"{program}: {option} = {shown.get(option)}")


def hwloc(scratch, plain):
    """In a namespace of our own where the kernel tells nothing of CPUs."""
    empty = scratch / "empty"
    plugins = scratch / "plugins"
    topology = scratch / "topology.xml"
    empty.mkdir()
    plugins.mkdir()
    topology.write_text("<topology/>\n")
    script = (
        'mount --bind "$1" /sys/devices/system/cpu && exec setpriv'
        f' --reuid {USER} --regid {USER} --clear-groups "$2"'
    )

    def opened(program):
        watch = Watch(plugins, topology)
        done = run(
            [
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                script,
                "-",
                empty,
                program,
            ],
            {
                "AMP_LIFE_ANY_KIND": 1,
                "HWLOC_XMLFILE": topology,
                "HWLOC_PLUGINS_PATH": plugins,
                "OMP_SCHEDULE": "aid_static",
            },
            cwd="/",
        )
        if "unshare" in done.stderr or "mount:" in done.stderr:
            skip(f"/sys/devices/system/cpu cannot be hidden: {done.stderr.strip()}")
        check(done.returncode == 0, f"{program}: {done.returncode}: {done.stderr}")
        return watch.opened()

    if not opened(plain):
        skip("hwloc is not installed, or was not asked")
    for program in secure_copies(scratch):
        check(opened(program) == 0, f"{program}: opened what hwloc's variables name")


if os.geteuid() != 0:
    skip("only root can make a set-user-ID program of another user's")
with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name)
    scratch.chmod(0o755)
    plain = copy(scratch, "plain")
    first = run([plain], {"AMP_LIFE_ANY_KIND": 1}, user=USER, group=USER, extra_groups=[], cwd="/")
    # As behind a home directory that is closed to others.
    if "is not libgomp-amp" in first.stderr:
        skip(f"user {USER} may not read the library in {LIBRARY}")
    check(first.returncode == 0, f"{plain}: {first.returncode}: {first.stderr}")
    {"options": options, "hwloc": hwloc}[sys.argv[1]](scratch, plain)
