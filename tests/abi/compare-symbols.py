#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that our libgomp.so.1 has every versioned symbol of the system's, and adds only its own.

Our library may be of a newer GCC than the system's; then it also has what upstream's library of
that GCC has.
"""

import argparse
import shlex
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library):
    """The defined dynamic symbols as (name@version, type) and, for data, size."""
    found = set()
    for line in output("readelf", "--dyn-syms", "--wide", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or fields[6] == "UND":
            continue
        size = fields[2] if fields[3] in ("OBJECT", "TLS") else None
        found.add((fields[7], fields[3], size))
    return found


def wants_libatomic(library):
    """The undefined functions of libatomic, which nothing loads."""
    return [
        line.split()[7]
        for line in output("readelf", "--dyn-syms", "--wide", library).splitlines()
        if " UND " in line and "__atomic_" in line
    ]


def needed(library):
    return {
        line.split("[")[1].rstrip("]")
        for line in output("readelf", "-d", library).splitlines()
        if "(NEEDED)" in line
    }


def soname(library):
    return [
        line.split("[")[1].rstrip("]")
        for line in output("readelf", "-d", library).splitlines()
        if "(SONAME)" in line
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours")
    parser.add_argument(
        "--compiler",
        type=shlex.split,
        default=["gcc"],
        help="with flags; whose libgomp.so.1 is the system's",
    )
    parser.add_argument(
        "--upstream", help="upstream's library of our sources (default: the system's)"
    )
    arguments = parser.parse_args()

    system = output(*arguments.compiler, "-print-file-name=libgomp.so.1").strip()
    if "/" not in system:
        print("skipped: the system has no libgomp.so.1 to compare with")
        return 77
    ours, theirs = symbols(arguments.ours), symbols(system)
    if arguments.upstream:
        theirs |= symbols(arguments.upstream)
    failures = [f"missing: {entry}" for entry in sorted(theirs - ours, key=str)]
    added = ours - theirs
    failures += [
        f"added outside of GOMP_AMP_*: {entry}"
        for entry in sorted(added, key=str)
        if "GOMP_AMP_" not in entry[0]
    ]
    failures += [f"of libatomic: {name}" for name in wants_libatomic(arguments.ours)]
    if not added:
        failures.append("no symbol of the fork: is this our library?")
    if len(theirs) < 300:
        failures.append(
            f"only {len(theirs)} symbols read from {system}: the comparison says nothing"
        )
    failures += [
        f"needs a library that the system's does not: {name}"
        for name in sorted(needed(arguments.ours) - needed(system))
    ]
    if soname(arguments.ours) != soname(system):
        failures.append(f"soname is {soname(arguments.ours)}, not {soname(system)}")
    own = sorted(entry[0] for entry in added)
    print(f"{len(theirs)} symbols of {arguments.upstream or system}, {len(own)} of our own: {own}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
