#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that our libgomp.so.1 has every versioned symbol of the system's and of upstream's, and
adds its own and those of forward.def, and no other.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forward"))
import table  # noqa: E402


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


def names(entries):
    """The entries that are symbols, as (name, version). Each version is an entry too."""
    found = (name.replace("@@", "@").split("@") for name, _, _ in entries)
    return {(name, version[0]) for name, *version in found if version and name != version[0]}


def forward(ours, upstream, base):
    """What is wrong with the symbols of later majors in OURS. UPSTREAM's library is of BASE."""
    rows = table.Table()
    mine = names(ours)
    failures = [
        f"of forward.def, and missing: {symbol.name}@{symbol.version}"
        for symbol in rows.symbols
        if (symbol.name, symbol.version) not in mine
    ]
    failures += [
        f"absent by forward.def, but there: {symbol.name}@{symbol.version}"
        for symbol in rows.absent
        if symbol.major > base and (symbol.name, symbol.version) in mine
    ]
    by_major = {(symbol.name, symbol.version) for symbol in rows.lacking(base)}
    by_library = {(symbol.name, symbol.version) for symbol in rows.symbols} - names(upstream)
    failures += [
        f"forward.def is wrong about whether GCC {base} has {name}@{version}"
        for name, version in sorted(by_major ^ by_library)
    ]
    return failures


def unresolved(library):
    """The undefined functions of libatomic, which nothing loads, and of the library itself: calls
    of functions that have another name now. Upstream's build links them silently."""
    fields = (
        line.split() for line in output("readelf", "--dyn-syms", "--wide", library).splitlines()
    )
    return [
        row[7]
        for row in fields
        if len(row) > 7
        and row[6] == "UND"
        and row[4] != "WEAK"
        and row[7].startswith(("__atomic_", "gomp_", "GOMP_", "omp_"))
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
    parser.add_argument("--major", type=int, help="the major of --upstream's library")
    arguments = parser.parse_args()

    system = output(*arguments.compiler, "-print-file-name=libgomp.so.1").strip()
    if "/" not in system:
        print("skipped: the system has no libgomp.so.1 to compare with")
        return 77
    ours, theirs = symbols(arguments.ours), symbols(system)
    if arguments.upstream:
        theirs |= symbols(arguments.upstream)
    rows = table.Table()
    absent = {f"{row.name}@@{row.version}" for row in rows.absent}
    absent |= {row.version for row in rows.absent}
    failures = [
        f"missing: {entry}" for entry in sorted(theirs - ours, key=str) if entry[0] not in absent
    ]
    later = {f"{row.name}@@{row.version}" for row in rows.symbols}
    later |= {name for name, _, _ in ours if name in rows.majors}
    added = {entry for entry in ours - theirs if entry[0] not in later}
    failures += [
        f"added outside of GOMP_AMP_* and forward.def: {entry}"
        for entry in sorted(added, key=str)
        if "GOMP_AMP_" not in entry[0]
    ]
    if arguments.upstream:
        failures += forward(ours, symbols(arguments.upstream), arguments.major)
    failures += [f"undefined: {name}" for name in unresolved(arguments.ours)]
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
