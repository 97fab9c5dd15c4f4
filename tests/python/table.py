#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints how long wheels take with and without folding: static on all cores, on the fast cores,
folded. Medians of rounds, each of which begins with another setting.

In virtual time, or with --here on this machine, if amp-emu steal has made some of its CPUs slow:

    build/wheel/venv/bin/libgomp-amp emu steal --small 1 --sf 2 -- tests/python/table.py --here

It takes the environment that the test python.wheel has left in the build directory.
"""

import argparse
import os
import re
import sys
from statistics import median

import wheels
from wheels import BIN, COMPUTATIONS, MACHINE

FOLDED = {"GOMP_AMP_FOLD": "auto"}


def virtual():
    """By the name of a setting, the command before Python and the variables."""
    fast, slow = (int(part.partition("x")[0]) for part in MACHINE.split("+"))
    before = [BIN / "libgomp-amp", "emu", "virtual", "--quiet", MACHINE, "--"]
    return {
        "static": (before, {"OMP_NUM_THREADS": f"{fast + slow}"}),
        "fast cores only": (before, {"OMP_NUM_THREADS": f"{fast}"}),
        "folded": (before, {"OMP_NUM_THREADS": f"{fast + slow}", **FOLDED}),
    }


def here(topology):
    """The same on this machine, whose cores TOPOLOGY describes, a value of GOMP_AMP_TOPOLOGY."""
    capacities = dict(part.split("=") for part in topology.split(","))
    fast = max(capacities, key=lambda cpu: int(capacities[cpu]))
    all_cores = {"OMP_NUM_THREADS": str(len(capacities))}
    ours = [BIN / "libgomp-amp", "run"]
    told = {"GOMP_AMP_TOPOLOGY": topology} | all_cores
    return {
        "static": ([], all_cores),
        "fast cores only": (["taskset", "-c", fast], {"OMP_NUM_THREADS": "1"}),
        "folded": (ours, told | FOLDED),
    }


def row(name, settings, rounds):
    """The line of the table for the computation NAME."""
    seconds = {setting: [] for setting in settings}
    first = None
    for number in range(rounds):
        shift = number % len(settings)
        for setting in (list(settings) * 2)[shift : shift + len(settings)]:
            before, variables = settings[setting]
            text = wheels.shown(name, *before, **variables)
            first = first or text
            if not wheels.alike(name, first, text):
                sys.exit(f"table: {name}: {setting}: another result\n{first}\n{text}")
            seconds[setting].append(float(re.search(r"^seconds: (.+)$", text, re.MULTILINE)[1]))
    static, *others = map(median, seconds.values())
    return f"| {name} | {static:.3f} | " + " | ".join(f"{static / x:.2f}" for x in others) + " |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a row (all): it begins so")
    parser.add_argument("--here", action="store_true", help="in real time")
    parser.add_argument("--rounds", type=int, default=5, help="of each setting (5)")
    options = parser.parse_args()
    if not BIN.exists():
        parser.error(f"there is no {BIN}; run ctest -R python.wheel first")
    topology = os.environ.get("GOMP_AMP_TOPOLOGY")
    if options.here and topology is None:
        parser.error("--here: GOMP_AMP_TOPOLOGY is not set; run it by amp-emu steal")
    settings = here(topology) if options.here else virtual()
    first, *others = settings
    print(f"| | {first}, s | {' | '.join(others)} |")
    print("|" + "---|" * (len(settings) + 1))
    for name in COMPUTATIONS:
        if not options.names or name.startswith(tuple(options.names)):
            print(row(name, settings, options.rounds), flush=True)


if __name__ == "__main__":
    main()
