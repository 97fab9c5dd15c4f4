#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks *.machine files into directories that stand for /sys.

A machine file opens with a comment that says what machine it is.  Then, one
per line:

  file PATH TEXT               PATH, relative to /sys, holds TEXT; one [A-B] in
                               it stands for each number from A to B
  expect MASK SOURCE CLASS...  for a process with the affinity MASK, SOURCE
                               tells the classes CPUS=CAPACITY, slowest first,
                               ? being an unknown capacity
  order MASK BS|SB CPU...      the order in which threads are bound to CPUs

The last two are copied to the directory's file `expected`.
"""

import argparse
import pathlib
import re
import sys


def expand(path):
    """The paths that PATH, with at most one [A-B] in it, stands for."""
    match = re.search(r"\[(\d+)-(\d+)\]", path)
    if not match:
        return [path]
    first, last = int(match[1]), int(match[2])
    return [path[: match.start()] + str(i) + path[match.end() :] for i in range(first, last + 1)]


def unpack(machine, root):
    """Write the tree that the file MACHINE describes below the directory ROOT."""
    expected = []
    (root / "devices/system/cpu").mkdir(parents=True, exist_ok=True)
    for number, line in enumerate(machine.read_text().splitlines(), 1):
        words = line.split(maxsplit=2)
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "file" and len(words) == 3:
            for path in expand(words[1]):
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(words[2] + "\n")
        elif words[0] in ("expect", "order") and len(words) == 3:
            expected.append(line)
        else:
            sys.exit(f"{machine}:{number}: not 'file', 'expect' or 'order' with arguments: {line}")
    (root / "expected").write_text("\n".join(expected) + "\n")


def main():
    parser = argparse.ArgumentParser(description="Unpack machine files into sysfs trees.")
    parser.add_argument("output", type=pathlib.Path, help="directory that gets one tree a machine")
    parser.add_argument("machine", type=pathlib.Path, nargs="+", help="machine file")
    arguments = parser.parse_args()
    for machine in arguments.machine:
        unpack(machine, arguments.output / machine.stem)


if __name__ == "__main__":
    main()
