#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs GCC's own gomp test suites with the system's compiler and the patched one, and compares.

Variant `none` (the patched compiler, nothing routed) must give the results of `stock`, test by
test. Each difference between `stock` and `default` has to be in the list of known ones, with its
reason; an entry that matches nothing is an error. `static` and `all`, which are run only if asked
for, must not crash the compiler, as the others must not. Exit code: 0 as expected, 1 not so, 2 the
run could not be set up, 77 skipped.
"""

import argparse
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "common"), str(TESTS / "dejagnu")]

import dejagnu  # noqa: E402
import drivers  # noqa: E402
import gcc_source  # noqa: E402
import runtest  # noqa: E402
from dejagnu import SUITES  # noqa: E402
from drivers import VARIANTS  # noqa: E402
from results import STATES, count_states, differences, explain, read_list  # noqa: E402
from setup_error import SetupError, Skip  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    drivers.add_arguments(parser)
    gcc_source.add_arguments(parser)
    parser.add_argument(
        "--variants",
        default="stock,none,default",
        help=f"any of {','.join(VARIANTS)} (default: %(default)s)",
    )
    parser.add_argument("--suites", default=",".join(SUITES), help="(default: %(default)s)")
    parser.add_argument(
        "--differences",
        type=pathlib.Path,
        default=HERE / "gomp-differences.txt",
        help="the known differences of default (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="suites at a time (default: %(default)s)"
    )
    parser.add_argument(
        "--timeout",
        type=int,
        default=1200,
        help="seconds for a run of a suite (default: %(default)s)",
    )
    return parser.parse_args()


def run_all(arguments, suites, variants, sources):
    """The outcome and the seconds of each (suite, variant)."""

    def job(key):
        suite, variant = key
        compiler = drivers.command(arguments, SUITES[suite][0], variant)
        start = time.monotonic()
        outcome = dejagnu.run_suite(
            suite, compiler, sources, arguments.work / f"{suite}-{variant}", arguments.timeout
        )
        return outcome, time.monotonic() - start

    keys = [(suite, variant) for suite in suites for variant in variants]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        return dict(zip(keys, pool.map(job, keys)))


def table(done):
    """The counts of all runs, in Markdown."""
    counts = {key: count_states(outcome.tests) for key, (outcome, _) in done.items()}
    states = [state for state in STATES if any(count[state] for count in counts.values())]
    lines = [
        "| suite | variant | tests | " + " | ".join(states) + " | crashes | seconds |",
        "|---|---|" + "--:|" * (len(states) + 3),
    ]
    for (suite, variant), (outcome, seconds) in done.items():
        numbers = [counts[suite, variant].total(), *(counts[suite, variant][s] for s in states)]
        numbers += [sum(outcome.ices.values()), round(seconds)]
        lines.append(f"| {suite} | {variant} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines)


def compare(arguments, suites, variants, done):
    """The failures of the comparisons with stock, one line each; prints what is as listed."""
    entries = read_list(arguments.differences) if "default" in variants else []
    failures = []
    for (suite, variant), (outcome, _) in done.items():
        failures += [f"{suite}, {variant}: {failure}" for failure in outcome.failures]
    for suite in suites:
        stock = done[suite, "stock"][0]
        for variant in variants:
            outcome = done[suite, variant][0]
            if variant == "stock" or stock.failures or outcome.failures:
                continue
            for message, count in outcome.ices.items():
                if count > stock.ices.get(message, 0):
                    failures.append(f"{suite}, {variant} crashes: {message}")
            found = differences(stock.tests, outcome.tests)
            kept = arguments.work / f"{suite}-{variant}.differences"
            lines = "".join(f"{d.change} | {d.name}\n" for d in found)
            kept.write_text(lines, errors="surrogateescape")
            print(f"{suite}, stock to {variant}: {len(found)} differences")
            if variant == "default":
                found = explain(found, entries)
            if variant in ("none", "default"):
                failures += [f"{suite}, stock to {variant}: {d.change} | {d.name}" for d in found]
    for entry in entries:
        if entry.hits:
            print(f"{entry.hits} known: {entry.change} | {entry.pattern} | {entry.reason}")
        elif suites == list(SUITES) and not entry.sometimes:
            failures.append(f"stale, matches nothing: {entry.change} | {entry.pattern}")
    return failures


def main():
    arguments = parse_arguments()
    try:
        variants = gcc_source.choose("--variants", arguments.variants, VARIANTS)
        suites = gcc_source.choose("--suites", arguments.suites, SUITES)
        if "stock" not in variants:
            raise SetupError("--variants lacks stock, with which the others are compared")
        runtest.require()
        drivers.require(arguments, variants)
        arguments.work = arguments.work.resolve()
        arguments.work.mkdir(parents=True, exist_ok=True)
        for variant in variants:
            for suite in suites:
                drivers.prove(arguments, SUITES[suite][0], variant, arguments.work)
        sources = dejagnu.unpack(arguments)
        done = run_all(arguments, suites, variants, sources)
        print(table(done), end="\n\n")
        failures = compare(arguments, suites, variants, done)
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    except SetupError as error:
        print(f"gomp_suite: {error}", file=sys.stderr)
        return 2
    for failure in failures:
        print(f"FAILED: {failure.encode(errors='replace').decode()}")
    print(f"{len(failures)} failures; the files are in {arguments.work}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
