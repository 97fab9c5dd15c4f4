#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program where the kernel says nothing of CPUs, so that hwloc is asked for the classes.

hidden-cpus_test.py <program> <argument>...
"""

import subprocess
import sys
import tempfile

from driver import skip

HIDE = 'mount --bind "$0" /sys/devices/system/cpu || exit 76; exec "$@"'

with tempfile.TemporaryDirectory() as empty:
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", HIDE, empty, *sys.argv[1:]],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
print(done.stderr)
if done.returncode == 76 or "unshare:" in done.stderr:
    skip("/sys/devices/system/cpu cannot be hidden")
sys.exit(done.returncode if done.returncode >= 0 else f"killed by signal {-done.returncode}")
