#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what plugin and patched compiler make of the same sources: the exit code, the note on
each loop and every other message, and the assembly text, byte by byte.

The sources are this repository's own, and those of further directories. Of a source that neither
compiles the messages count. Exit code: 0 equal, 1 not, 77 skipped.
"""

import argparse
import collections
import difflib
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import support
from route_case import LEVELS, MODES, read_expectations
from support import environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = [ROOT / "tests/route/src", ROOT / "tests/omp", ROOT / "bench"]
# Almost all of their time goes into templates and headers that hold no loop.
SLOW = ROOT / "tests/omp"
INCLUDES = [ROOT / "bench/common", ROOT / "libgomp/include", ROOT / "tests/route/src"]

FORTRAN = [".f", ".F", ".f90", ".F90", ".f95", ".f03", ".f08"]
WRAPPERS = {
    ".c": "amp-gcc",
    **dict.fromkeys([".C", ".cc"], "amp-g++"),
    **dict.fromkeys(FORTRAN, "amp-gfortran"),
}
# With code for devices GCC keeps the options, which name the plugin or do not.
OPTIONS_SECTION = re.compile(r"^\t\.section\t\.gnu\.offload_lto_\.opts,.*?^\t\.text$", re.M | re.S)
NOTE = re.compile(r"^.+:\d+:\d+: note: (routed|not routed): ", re.M)
TIMEOUT = 900  # seconds for a compilation, against hangs
SHOWN = 30  # lines of the first difference


@dataclass(frozen=True)
class Case:
    """One compilation: a source, the wrapper that compiles it, the mode and the level."""

    source: pathlib.Path
    wrapper: str
    mode: str
    level: str

    def __str__(self):
        return f"{self.wrapper} --amp-route={self.mode} {self.level} {self.source}"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directories", nargs="*", type=pathlib.Path,
                        help="sources in addition to the repository's own")  # fmt: skip
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="directory of the wrappers")
    parser.add_argument("--not-own", action="store_true", help="leave the repository's sources out")
    parser.add_argument("--quick", action="store_true",
                        help="compile tests/omp at -O0 alone")  # fmt: skip
    parser.add_argument("--mode", dest="modes", action="append", choices=MODES,
                        help="a mode, of several (default: each)")  # fmt: skip
    parser.add_argument("--level", dest="levels", action="append", type=int, choices=range(4),
                        help="a level of optimisation, of several (default: 0 and 2)")  # fmt: skip
    parser.add_argument("--every", type=int, default=1, metavar="N",
                        help="take one compilation of N (default: %(default)s)")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2,
                        help="compilations at a time (default: %(default)s)")  # fmt: skip
    arguments = parser.parse_args()
    arguments.modes = arguments.modes or MODES
    arguments.levels = [f"-O{level}" for level in arguments.levels or []] or LEVELS
    for directory in arguments.directories:
        if not directory.is_dir():
            parser.error(f"{directory} is not a directory")
    if min(arguments.every, arguments.jobs) < 1:
        parser.error("--every and --jobs have to be 1 or more")
    return arguments


def wrappers(source):
    """The wrappers to compile SOURCE with; GCC's c-c++-common suite is for two languages."""
    found = [WRAPPERS[source.suffix]] if source.suffix in WRAPPERS else []
    return found + ["amp-g++"] * (bool(found) and "c-c++-common" in source.parts)


def cases(arguments):
    """All compilations to compare."""
    folders = ([] if arguments.not_own else OWN) + [d.resolve() for d in arguments.directories]
    found = [
        Case(source, wrapper, mode, level)
        for folder in folders
        for source in sorted(folder.rglob("*"))
        for wrapper in wrappers(source)
        for mode in arguments.modes
        for level in arguments.levels
        if not (arguments.quick and folder == SLOW and level != "-O0")
    ]
    return found[:: arguments.every]


def make_modules(bin_dir, sources, target):
    """Put into TARGET what Fortran SOURCES use of one another, in whatever order they need."""
    for _ in range(2):
        for source in sources:
            subprocess.run(
                [bin_dir / "amp-gfortran", "-fsyntax-only", "-J", target, source],
                env=environment.clean(**support.WRAPPED),
                capture_output=True,
                timeout=TIMEOUT,
            )


def compile_case(arguments, form, case, modules):
    """The exit code of FORM for CASE, its sorted messages and its code."""
    language = ["-x", "c++"] if case.wrapper == "amp-g++" and case.source.suffix == ".c" else []
    with tempfile.TemporaryDirectory() as directory:  # Fortran's modules are written there
        done = subprocess.run(
            [arguments.bin.resolve() / case.wrapper, f"--amp-compiler={form}"]
            + [f"--amp-route={case.mode}", "--amp-explain", "-fopenmp", case.level]
            + ["-S", "-o", "-", "-fno-ident", "-fdiagnostics-plain-output"]
            # The names of sections for offloading are random without a seed, and 0 is none.
            + ["-frandom-seed=1", *(f"-I{i}" for i in INCLUDES), f"-I{modules}"]
            + [*read_expectations(case.source)[1], *language, case.source],
            cwd=directory,
            env=environment.clean(LC_ALL="C", **support.WRAPPED),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    code = OPTIONS_SECTION.sub("", done.stdout)
    return done.returncode, sorted(done.stderr.splitlines()), code.splitlines()


def compare(arguments, case, modules):
    """The exit code of CASE, its notes by kind, and how the forms differ: None if they don't."""
    results = [compile_case(arguments, form, case, modules) for form in support.FORMS]
    (code, messages, _), (other, *_) = results
    notes = collections.Counter(NOTE.findall("\n".join(messages)))
    if code != other:
        said = "\n".join(itertools.chain.from_iterable(r[1] for r in results))
        return code, notes, f"{case}: exit code {code} by plugin, {other} by patch\n{said}"
    for what, left, right in zip(("messages", "code"), results[0][1:], results[1][1:]):
        if left != right:
            lines = difflib.unified_diff(left, right, *support.FORMS, lineterm="", n=2)
            return code, notes, "\n".join([f"{case}: {what} differ", *lines])
    return code, notes, None


def report(todo, results):
    """Print what was compared; returns an error message if that was nothing."""
    sums = collections.Counter()
    for case, (code, notes, _) in zip(todo, results):
        compiled = "compiled" if code == 0 else "refused by both"
        sums[case.mode, compiled] += 1
        for kind, count in notes.items():
            sums[case.mode, kind] += count
    print(f"{len({case.source for case in todo})} sources")
    for mode in dict.fromkeys(case.mode for case in todo):
        loops = sums[mode, "routed"] + sums[mode, "not routed"]
        print(
            f"--amp-route={mode}: {sums[mode, 'compiled']} compilations and "
            f"{sums[mode, 'refused by both']} that fail; {loops} loops told of, "
            f"{sums[mode, 'routed']} routed, {sums[mode, 'not routed']} not"
        )
    told = sum(count for (_, kind), count in sums.items() if kind in ("routed", "not routed"))
    return None if told else "FAILED: no loop was told of"


def main():
    arguments = parse_arguments()
    if reason := support.missing("patched", arguments.bin.resolve()):
        print(reason)
        return 77
    todo = cases(arguments)
    fortran = dict.fromkeys(c.source for c in todo if c.source.suffix in FORTRAN)
    with tempfile.TemporaryDirectory() as modules, ThreadPoolExecutor(arguments.jobs) as pool:
        make_modules(arguments.bin, [s for s in fortran if ROOT in s.parents], modules)
        results = list(pool.map(lambda case: compare(arguments, case, modules), todo))
    empty = report(todo, results)
    failures = [difference for *_, difference in results if difference]
    for failure in failures[:1]:
        print("FAILED:", *failure.splitlines()[:SHOWN], sep="\n")
    for failure in failures[1:]:
        print(f"FAILED: {failure.splitlines()[0]}")
    if empty:
        print(empty)
    return bool(failures or empty)


if __name__ == "__main__":
    sys.exit(main())
