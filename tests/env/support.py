# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the programs probe.c and blocks.c in environments, for the tests beside this file."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

CPUS = sorted(os.sched_getaffinity(0))
GARBAGE = "\x01\xfe~%s%n" * 1500  # 10 kB and more
DEFAULT = "schedule 2 1"  # dynamic,1

# What env_test.py was called with.
OPTIONS = argparse.Namespace()


class Run:
    """One run of the probe, or of PROGRAM, with the variables VALUES in a clean environment."""

    def __init__(self, cpus=None, program=(), **values):
        variables = environment.clean(**{"LD_LIBRARY_PATH": str(OPTIONS.library), **values})
        command = [*OPTIONS.under, *(program or [OPTIONS.probe])]
        if cpus is not None:
            command = ["taskset", "-c", ",".join(map(str, cpus))] + command
        done = subprocess.run(
            command,
            env={
                key: value if isinstance(value, bytes) else value.encode("latin-1")
                for key, value in variables.items()
            },
            capture_output=True,
            timeout=900,
            check=False,
        )
        self.status = done.returncode
        self.lines = done.stdout.decode().splitlines()
        self.error = done.stderr.decode("latin-1")
        said = re.findall(r"^libgomp: (.*)$", self.error, re.MULTILINE)
        # What is reported at the end is no complaint.
        self.folded = [line for line in said if line.startswith(("folded ", "region "))]
        self.messages = [line for line in said if line not in self.folded]
        # A line of upstream's begins with what the value is for: [host], [all], [device] or
        # [number]. The host's values are in display by name, as ours are.
        self.display, self.devices = {}, {}
        for device, name, value in re.findall(
            r"^  (?:\[(\w+)\] )?(\w+) = '(.*)'$", self.error, re.MULTILINE
        ):
            if device:
                self.devices[name, device] = value
            if device in ("", "host"):
                self.display[name] = value
            elif device == "all":
                self.display.setdefault(name, value)
        self.threads = [line.split()[2:] for line in self.lines if line.startswith("thread ")]

    def schedule(self):
        return self.lines[0]


class EnvironmentTest(unittest.TestCase):
    """Assertions that the tests below share."""

    def clean(self, run):
        """RUN worked, and there was no message."""
        self.assertEqual(run.messages, [])
        self.ran(run)

    def ran(self, run):
        self.assertEqual(run.status, 7, run.error)
        self.assertEqual(run.lines[-1], "wrong 0")

    def refused(self, name, value, expected, **others):
        """VALUE gets one message, as the project's rules want it; returns the run."""
        run = Run(OMP_DISPLAY_ENV="verbose", **{name: value}, **others)
        self.ran(run)
        self.assertEqual(len(run.messages), 1, f"{name}={value[:80]!r}: {run.messages}")
        message = run.messages[0]
        shown = "".join(c if " " <= c <= "~" else "?" for c in value)
        if len(shown) > 64:
            shown = shown[:61] + "..."
        self.assertTrue(message.startswith(f"{name}: '{shown}': "), message)
        self.assertRegex(message, "[:;] expected " + re.escape(expected))
        self.assertRegex(message, r"; using [^;]+$")
        self.assertLess(len(message), 500)
        return run


class Blocks(EnvironmentTest):
    """What the loops of blocks.c run as."""

    ENTRIES = ("routed", "ull", "combined", "reduction")

    def regions(self, *cases, trips=1000, cpus=None, **values):
        """The region that each of CASES is, in the order in which they ended. By its blocks a loop
        is known that is static: not so if it is shared out before it begins."""
        values.setdefault("GOMP_AMP_TEST_PLANS", "none")
        run = Run(cpus, [OPTIONS.blocks, str(trips), *cases], **values)
        self.assertEqual(run.status, 7, run.error)
        self.assertEqual(run.messages, [])
        regions = [json.loads(line) for line in run.lines]
        for region in regions:
            at = 0
            for start, end, _ in region["blocks"]:
                self.assertEqual(start, at)
                at = end
            self.assertEqual(at, trips)
        return regions

    @staticmethod
    def sizes(region):
        return [end - start for start, end, _ in region["blocks"]]


def options_of_source(table):
    """The names of the rows of TABLE, in order."""
    text = (OPTIONS.source / "amp" / table).read_text()
    return re.findall(r'^GOMP_AMP_OPTION \(\w+, "(\w+)"', text, re.MULTILINE)
