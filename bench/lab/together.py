# SPDX-License-Identifier: GPL-3.0-or-later
"""Several programs at once: in virtual time, and as if each had an even part of every core."""

import json
import os
import subprocess
import tempfile
import tomllib
from pathlib import Path

from .matrix import DIRECTORY

PERIOD_MS = 20
# What bench/run tells programs of this machine, and is not true of a virtual one.
HERE = ("OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_AMP_TOPOLOGY")


def command_of(build, name, size):
    """The command of NAME, and its threads, or None. BUILD: the directory of programs."""
    sizes = tomllib.loads((DIRECTORY / "programs.toml").read_text())["arguments"]
    name, _, threads = name.partition(":")
    words = sizes[name].get(size, sizes[name]["standard"]).split()
    return [str(build / name), *words], threads or None


def conducted(build, machine, policy, commands, starts=None, options=(), **variables):
    """What amp-emu reports of COMMANDS in virtual time; STARTS are those of each, in seconds."""
    words = []
    for number, command in enumerate(commands):
        words += [":", *([f"@{starts[number]:.4f}s"] if starts else []), *command]
    environment = {name: value for name, value in os.environ.items() if name not in HERE}
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory, "report.json")
        subprocess.run(
            [build / "bin/amp-emu", "virtual", machine, "--quiet", "--no-pin", "--policy", policy]
            + ["--period-ms", str(PERIOD_MS), "--json", report, *options]
            + ["--", *words[1:]],
            env=environment | variables,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return json.loads(report.read_text())


def shared_evenly(alone, starts=None):
    """How long each of some programs takes if all that are there have the same part of every core,
    by the seconds of each alone and when they start."""
    starts = starts or [0] * len(alone)
    left, ends, now = dict(enumerate(alone)), {}, 0.0
    while left:
        there = [i for i in left if starts[i] <= now]
        coming = min((starts[i] for i in left if starts[i] > now), default=float("inf"))
        until = min([coming, *(now + left[i] * len(there) for i in there)])
        for i in there:
            left[i] -= (until - now) / len(there)
            if left[i] < 1e-12:
                ends[i] = until - starts[i]
                del left[i]
        now = until
    return [ends[i] for i in range(len(alone))]
