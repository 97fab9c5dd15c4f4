# SPDX-License-Identifier: GPL-3.0-or-later
"""Another process takes CPUs away from a program and gives them back; nothing is reported.

usage: follow_test.py folded|aid|unbound WAY PROGRAM
"""

import os
import sys

import driver

mode, way, program = sys.argv[1:]
BY_CPU = "0=446,1-1023=1024"
WITH = {
    # Each region on all CPUs.
    "folded": {"GOMP_AMP_FOLD": 3, "GOMP_AMP_TOPOLOGY": "off", "GOMP_AMP_TEST_RANGES": "fixed"},
    "aid": {"OMP_SCHEDULE": "aid_hybrid", "GOMP_AMP_TOPOLOGY": BY_CPU},
    "unbound": {"GOMP_AMP_TOPOLOGY": BY_CPU, "GOMP_SPINCOUNT": 300000},
}[mode]

others, options = [], {}
if way.startswith("grown"):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) != 2:
        driver.skip(f"this process may use {len(cpus)} CPUs, not two")
    others = cpus[1:]
    options["preexec_fn"] = lambda: os.sched_setaffinity(0, cpus[:1])
done = driver.run([program, mode, way, *others], WITH, **options)
if done.returncode == 77:
    driver.skip(done.stdout.strip().removeprefix("skipped: "))
driver.check(done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}")
driver.check(done.stderr == "", f"reported: {done.stderr!r}")
