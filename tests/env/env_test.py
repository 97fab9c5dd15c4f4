#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how the built library takes its environment, through the programs probe.c and blocks.c.

The arguments that unittest does not know come first: --probe, --blocks, --under, --library,
--topologies, --document, --generator, --source; see CMakeLists.txt. Then come names of classes of
the modules below.
"""

import argparse
import pathlib
import shlex
import sys
import unittest

import support
from machine_test import *  # noqa: F403
from options_test import *  # noqa: F403
from schedules_test import *  # noqa: F403
from teams_test import *  # noqa: F403

SKIPPED = 77


def parse_arguments():
    parser = argparse.ArgumentParser(description="Test the library's environment variables.")
    path = pathlib.Path
    parser.add_argument("--probe", required=True, help="probe.c, compiled")
    parser.add_argument("--blocks", required=True, help="blocks.c, compiled")
    parser.add_argument(
        "--under", type=shlex.split, default=[], help="a command that runs the probe"
    )
    parser.add_argument("--library", type=path, required=True, help="directory of libgomp.so.1")
    parser.add_argument("--topologies", type=path, required=True, help="unpacked machines")
    parser.add_argument("--document", type=path, required=True, help="docs/guide/environment.md")
    parser.add_argument("--generator", help="program that prints the document")
    parser.add_argument("--source", type=path, required=True, help="the directory libgomp/")
    return parser.parse_known_args(namespace=support.OPTIONS)[1]


if __name__ == "__main__":
    program = unittest.main(argv=sys.argv[:1] + parse_arguments(), exit=False)
    for test, reason in program.result.skipped:
        print(f"skipped: {test}: {reason}")
    if not program.result.wasSuccessful():
        sys.exit(1)
    if program.result.testsRun == len(program.result.skipped):
        sys.exit(SKIPPED)
