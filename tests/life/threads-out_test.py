#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""With no more threads to be had (ulimit -u) a program ends as it does on the system's library.

threads-out_test.py <program>
"""

import os
import resource
import sys

from driver import check, run

PROGRAM = sys.argv[1]
# A user who has no other processes, not even another run of this test.
NOBODY_ELSE = 20000 + os.getpid() % 40000


def limited(processes, threads):
    """The program with THREADS threads where its user may have PROCESSES."""

    def limit():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY_ELSE)
            os.setuid(NOBODY_ELSE)
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))

    return run([PROGRAM, threads], {"GOMP_AMP_THREAD_CLASSES": "0,1"}, preexec_fn=limit)


for allowed in (1, 5):
    done = limited(allowed, 64)
    check(done.returncode == 1, f"{allowed} allowed: {done.returncode}: {done.stderr}")
    check(
        "libgomp: Thread creation failed: Resource temporarily unavailable" in done.stderr,
        f"{allowed} allowed: {done.stderr}",
    )
    check(done.stderr.count("libgomp:") == 1, f"more than one message: {done.stderr}")
alone = limited(1, 1)
check(alone.returncode == 0, f"a team of one: {alone.returncode}: {alone.stderr}")
if os.geteuid() == 0:
    enough = limited(16, 4)
    check(enough.returncode == 0, f"with room: {enough.returncode}: {enough.stderr}")
