#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs upstream's libgomp test suites on our library, and compares with upstream's library.

The modes: `upstream` (upstream's library), `unset` (ours, no variable set), `fifo` (ours, with
GOMP_TASK_SCHEDULE=fifo), `report` and `trace` (ours, with GOMP_AMP_REPORT or GOMP_AMP_TRACE), one
for each schedule (ours, tests compiled by amp-gcc, OMP_SCHEDULE set and half of the CPUs made
small), and `fold-K-W` (ours, teams folded: K thread numbers on each of W workers;
`report-fold-2-2` and `trace-fold-2-2` have a report or a trace too). With AMP_OMPT_CHECKER=LIBRARY
three of these also run under that tool, `tool-*`. The programs of OpenACC
have no loops for the schedules and no teams to fold, and run in the others. Each mode must give the
results of `upstream`, test by test, or the difference must be in the list of known ones; an entry
that matches nothing is an error, if all was run. Files with an unexpected difference are run once
more, alone, in both modes; a difference that is gone then is no failure, but reported as UNSTEADY.
Of every process of every program the dynamic linker says which libgomp.so.1 it ran; another than
the mode's is a failure.
Exit code: 0 as expected, 1 not so, 2 the run could not be set up, 77 skipped.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "common"), str(HERE.parent / "dejagnu")]

import gcc_source  # noqa: E402
import libgomp_suite  # noqa: E402
import modes as modes_  # noqa: E402
import runtest  # noqa: E402
from compilers import GCC  # noqa: E402
from libgomp_suite import SUITES  # noqa: E402
from modes import COMPILERS, REFERENCE  # noqa: E402
from results import STATES, Difference, count_states, differences, explain, read_list  # noqa: E402
from setup_error import SetupError, Skip  # noqa: E402

# What our library has and upstream's has not.
OUR_SYMBOL = b"ompx_amp_version"

# The driver of each language, in place of `gcc` in the compiler's name. The suites of GCC 12 and 13
# compile all languages with C's.
DRIVERS = {"c": "gcc", "cxx": "g++", "fortran": "gfortran"}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    gcc_source.add_arguments(parser)
    parser.add_argument(
        "--build",
        type=pathlib.Path,
        required=True,
        metavar="DIR",
        help="where upstream's library was built, with its headers and modules",
    )
    for name, what in ("stock", "upstream's"), ("ours", "our"):
        parser.add_argument(
            f"--{name}",
            type=pathlib.Path,
            required=True,
            metavar="DIR",
            help=f"the directory of {what} libgomp.so.1",
        )
    parser.add_argument("--cc", default=GCC, help="the compiler (default: %(default)s)")
    parser.add_argument("--amp-gcc", default="amp-gcc", help="its wrapper (default: %(default)s)")
    parser.add_argument("--modes", help="some modes, comma-separated (default: all)")
    parser.add_argument("--suites", default=",".join(SUITES), help="(default: %(default)s)")
    parser.add_argument(
        "--sample",
        type=pathlib.Path,
        metavar="FILE",
        help="run only the files that it lists, in lines of a suite's name and a pattern",
    )
    parser.add_argument(
        "--differences",
        type=pathlib.Path,
        default=HERE / "differences.txt",
        help="the known differences (default: %(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default: %(default)s)")
    parser.add_argument(
        "--timeout",
        type=int,
        default=3600,
        help="seconds for one suite in one mode (default: %(default)s)",
    )
    return parser.parse_args()


def read_sample(path):
    """The patterns of file names in PATH by suite; empty for no PATH."""
    patterns = {}
    for number, line in enumerate(path.read_text().splitlines() if path else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        suite, *names = line.split()
        if suite not in SUITES or not names:
            raise SetupError(
                f"{path}:{number} is {line!r}; it has to be a suite "
                f"({', '.join(SUITES)}) and patterns of file names"
            )
        patterns.setdefault(suite, []).extend(names)
    return patterns


def expand(patterns, suites_directory):
    """The files of each suite that PATTERNS match; a * of DejaGnu's would match folders, too."""
    names = {}
    for suite, wanted in patterns.items():
        folders = [suites_directory / folder for folder in libgomp_suite.folders(suite)]
        for pattern in wanted:
            found = {path.name for folder in folders for path in folder.glob(pattern)}
            if not found:
                raise SetupError(f"--sample has {pattern!r}, which no file of {suite} matches")
            names.setdefault(suite, set()).update(found)
    return {suite: sorted(found) for suite, found in names.items()}


def output_of(argv):
    """What ARGV prints, stripped."""
    try:
        return subprocess.run(
            list(map(str, argv)),
            capture_output=True,
            text=True,
            check=True,
            timeout=900,
            env=libgomp_suite.dejagnu_environment(),
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise SetupError(f"{argv[0]} does not work: {error}") from None


def driver_beside(gcc, driver):
    """The path or name GCC with DRIVER in place of its last `gcc`."""
    before, found, after = gcc.rpartition("gcc")
    if not found or "/" in after:
        raise SetupError(f"the compiler is {gcc!r}; expected a file whose name has gcc in it")
    return before + driver + after


class Bench:
    """What the runs have in common: the places of everything."""

    def __init__(self, arguments, modes):
        self.arguments, self.modes = arguments, modes
        self.work = arguments.work.resolve()
        self.libraries = {"stock": arguments.stock.resolve(), "ours": arguments.ours.resolve()}
        for name, directory in self.libraries.items():
            library = directory / "libgomp.so.1"
            if not library.is_file():
                raise SetupError(f"--{name} is {directory}, which has no libgomp.so.1")
            if (OUR_SYMBOL in library.read_bytes()) != (name == "ours"):
                raise SetupError(f"--{name} is {directory}, whose libgomp.so.1 is another one")
        self.work.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.work / "store", ignore_errors=True)
        libgomp_suite.unpack(arguments.gcc_source, self.work / "source")
        libgomp_suite.make_top(self.work / "top", arguments.build.resolve(), self.find_library)
        self.site = {
            "source": self.work / "source",
            "top": self.work / "top",
            "triplet": output_of([arguments.cc, "-dumpmachine"]),
        }
        runtest.require_plain("--work", self.work, *self.libraries.values(), *self.compilers())

    def compilers(self):
        """The words of all compilers' commands."""
        commands = [command for name in COMPILERS for command in self.drivers(name).values()]
        return [word for command in commands for word in command.split()]

    def drivers(self, name):
        """The command of the compiler NAME for each language of DRIVERS."""
        places = {"cc": self.arguments.cc, "amp_gcc": self.arguments.amp_gcc}
        return {
            language: COMPILERS[name].format(
                **{what: driver_beside(place, driver) for what, place in places.items()}
            )
            for language, driver in DRIVERS.items()
        }

    def find_library(self, name):
        """The path of a library that the compiler links."""
        path = pathlib.Path(output_of([self.arguments.cc, f"-print-file-name={name}"]))
        if not path.is_absolute():
            raise SetupError(f"{self.arguments.cc} has no {name}")
        return path

    def run(self, suite, mode, names, directory):
        """The outcome of a run."""
        how = self.modes[mode]
        site = {
            **self.site,
            **self.drivers(how.compiler),
            "store": self.work / "store" / f"{suite}-{how.compiler}",
            "library": self.libraries[how.library],
            "variables": " ".join(f"{name}={value}" for name, value in how.variables.items()),
        }
        return libgomp_suite.run(suite, names, self.work / directory, site, self.arguments.timeout)


def run_all(bench, suites, names):
    """The outcome of each (suite, mode); a compiler's first run fills the store for the others."""
    keys = [
        (suite, mode)
        for suite in reversed(suites)
        for mode, how in bench.modes.items()
        if SUITES[suite].openmp or not {"OMP_SCHEDULE", "GOMP_AMP_FOLD"} & how.variables.keys()
    ]
    first = {}
    for suite, mode in keys:
        first.setdefault((suite, bench.modes[mode].compiler), (suite, mode))
    recording = {}

    def job(key):
        suite, mode = key
        recorder = first[suite, bench.modes[mode].compiler]
        # Those that record are all started before any other, so that what is waited for does run.
        if recorder != key:
            recording[recorder].result()
        outcome = bench.run(suite, mode, names.get(suite, []), f"{suite}-{mode}")
        print(f"{suite}, {mode}: {round(outcome.seconds)} seconds", flush=True)
        return outcome

    with ThreadPoolExecutor(bench.arguments.jobs) as pool:
        for key in first.values():
            recording[key] = pool.submit(job, key)
        others = {key: pool.submit(job, key) for key in keys if key not in recording}
        futures = {**recording, **others}
        return {
            (s, m): futures[s, m].result() for s in suites for m in bench.modes if (s, m) in futures
        }


def table(suite, outcomes):
    """The counts of the runs of SUITE, a column for each mode, in Markdown."""
    counts = {mode: count_states(outcome.tests) for mode, outcome in outcomes.items()}
    rows = [("tests", [count.total() for count in counts.values()])]
    for state in STATES:
        if any(count[state] for count in counts.values()):
            rows.append((state, [count[state] for count in counts.values()]))
    rows.append(("programs run", [o.proof.programs for o in outcomes.values()]))
    rows.append(("of them not linked to libgomp", [o.proof.without for o in outcomes.values()]))
    rows.append(("processes", [o.proof.processes for o in outcomes.values()]))
    rows.append(("seconds in programs", [round(o.proof.seconds) for o in outcomes.values()]))
    rows.append(("seconds", [round(o.seconds) for o in outcomes.values()]))
    lines = [f"| {suite} | " + " | ".join(outcomes) + " |", "|---|" + "--:|" * len(outcomes)]
    lines += [f"| {name} | " + " | ".join(map(str, numbers)) + " |" for name, numbers in rows]
    return "\n".join(lines) + "\n"


def found_in(mode, before, after):
    """The differences of MODE from the tests BEFORE to those AFTER, named after the mode too."""
    return [Difference(d.change, f"{mode} {d.name}") for d in differences(before, after)]


def file_of(name):
    """The name of the file of a test that a difference of found_in names, or None."""
    match = re.match(r"\S+ \S*/([^/\s]+\.\w+)(\s|:|$)", name)
    return match and match[1]


def run_again(bench, suite, mode, found):
    """Those of the differences FOUND that are still there, and the others."""
    files = sorted({file_of(d.name) for d in found} - {None})
    if not files:
        return found, []
    tests = []
    for again in REFERENCE, mode:
        outcome = bench.run(suite, again, files, f"{suite}-{mode}-again-{again}")
        tests.append(outcome.tests)
    left = found_in(mode, *tests)
    still = [d for d in found if d in left or file_of(d.name) is None]
    return still, [d for d in found if d not in still]


def compare(bench, suites, done, whole):
    """The failures and what else there is to say, one line each."""
    entries = read_list(bench.arguments.differences)
    failures, remarks = [], []
    for (suite, mode), outcome in done.items():
        failures += [f"{suite}, {mode}: {failure}" for failure in outcome.failures]
        reference = done[suite, REFERENCE]
        if outcome.proof.without != reference.proof.without and not outcome.failures:
            remarks.append(f"{suite}, {mode}: not as many programs are linked to libgomp")
        if mode == REFERENCE or reference.failures or outcome.failures:
            continue
        found = found_in(mode, reference.tests, outcome.tests)
        unexpected = explain(found, entries)
        remarks.append(f"{suite}, {mode}: {len(found)} differences, {len(unexpected)} not known")
        if unexpected:
            unexpected, unsteady = run_again(bench, suite, mode, unexpected)
            remarks += [f"UNSTEADY, {suite}: {d.change} | {d.name}" for d in unsteady]
        failures += [f"{suite}: {d.change} | {d.name}" for d in unexpected]
    for entry in entries:
        if entry.hits:
            remarks.append(f"{entry.hits} known: {entry.change} | {entry.pattern} | {entry.reason}")
        elif whole and not entry.sometimes:
            failures.append(f"stale, matches nothing: {entry.change} | {entry.pattern}")
    return failures, remarks


def main():
    arguments = parse_arguments()
    try:
        modes = modes_.all_modes()
        chosen = gcc_source.choose("--modes", arguments.modes or ",".join(modes), modes)
        suites = gcc_source.choose("--suites", arguments.suites, SUITES)
        if REFERENCE not in chosen:
            raise SetupError(f"--modes lacks {REFERENCE}, with which the others are compared")
        patterns = read_sample(arguments.sample)
        if arguments.sample:
            suites = [suite for suite in suites if suite in patterns]
        whole = not arguments.sample and chosen == list(modes) and suites == list(SUITES)
        runtest.require()
        bench = Bench(arguments, {name: modes[name] for name in chosen})
        names = expand(patterns, bench.site["source"] / "libgomp/testsuite")
        done = run_all(bench, suites, names)
        failures, remarks = compare(bench, suites, done, whole)
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    except SetupError as error:
        print(f"suite: {error}", file=sys.stderr)
        return 2
    tables = [table(s, {m: done[s, m] for m in bench.modes if (s, m) in done}) for s in suites]
    report = [*tables, *remarks, *(f"FAILED: {failure}" for failure in failures)]
    report.append(f"{len(failures)} failures; the files are in {bench.work}")
    text = "\n".join(report).encode(errors="replace").decode()
    (bench.work / "report.md").write_text(text + "\n")
    print(text)
    shutil.rmtree(bench.work / "store", ignore_errors=True)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
