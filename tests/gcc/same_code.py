#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the assembly of the system's compiler with that of the patched one that routes nothing.

The sources are those of GCC's gomp test suites and this repository's own, at -O0 and -O2, with
-fopenmp. Code, messages and exit code have to be equal, byte by byte. Exit code: 0 equal, 1 not,
2 the run could not be set up, 77 skipped.
"""

import argparse
import difflib
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "common"), str(TESTS / "dejagnu")]

import dejagnu  # noqa: E402
import drivers  # noqa: E402
import environment  # noqa: E402
import gcc_source  # noqa: E402
from setup_error import SetupError, Skip  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ["tests/route/src", "bench"]
LEVELS = ["-O0", "-O2"]
SUFFIXES = {
    ".c": "c",
    ".C": "c++",
    ".cc": "c++",
    **dict.fromkeys([".f", ".F", ".f90", ".F90", ".f95", ".f03", ".f08"], "fortran"),
}
TIMEOUT = 900  # seconds for a compilation, against hangs
SHOWN = 20  # lines of the first difference


@dataclass
class Case:
    """One source, its language and its level."""

    source: pathlib.Path
    language: str
    level: str


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    drivers.add_arguments(parser)
    gcc_source.add_arguments(parser)
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="take one source of N (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="compilations at a time (default: %(default)s)"
    )
    return parser.parse_args()


def cases(suites, every):
    """One case of EVERY for each source in SUITES and in the repository, language and level."""
    found = []
    for folder in [*sorted(suites.glob("*/gomp")), *(ROOT / own for own in OWN)]:
        for source in sorted(folder.rglob("*")):
            if language := SUFFIXES.get(source.suffix):
                found.append((source, language))
                # The C++ suite compiles these, too.
                if folder.parent.name == "c-c++-common":
                    found.append((source, "c++"))
    return [Case(*pair, level) for pair in found[::every] for level in LEVELS]


def compile_case(compiler, case):
    """The exit code, the code (None if it failed) and the messages of COMPILER for CASE."""
    language = ["-x", "c++"] if case.language == "c++" else []
    with tempfile.TemporaryDirectory() as directory:  # Fortran's modules are written there
        try:
            done = subprocess.run(
                [*compiler, "-S", "-fno-ident", case.level, "-fopenmp", "-o", "-"]
                # The names of sections for offloading are random without a seed.
                + ["-frandom-seed=1", *language, case.source],
                cwd=directory,
                env=environment.clean(LC_ALL="C"),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            return "timeout", None, b""
        modules = b"".join(p.read_bytes() for p in sorted(pathlib.Path(directory).glob("*.mod")))
    code = done.stdout + modules if done.returncode == 0 else None
    return done.returncode, code, done.stderr


def compare(arguments, case):
    """What became of CASE: a word for the count, and the difference, if there is one."""
    stock, patched = (
        compile_case(drivers.command(arguments, case.language, variant), case)
        for variant in ("stock", "none")
    )
    title = f"{case.source} as {case.language}, {case.level}"
    if stock[0] != patched[0]:
        message = (patched[2] or stock[2]).decode(errors="replace")
        return "different", f"{title}: exit code {stock[0]}, patched {patched[0]}\n{message}"
    for what, left, right in zip(("code", "messages"), stock[1:], patched[1:]):
        if left != right:
            lines = [text.decode(errors="replace").splitlines() for text in (left, right)]
            shown = list(difflib.unified_diff(*lines, "stock", "patched", lineterm="", n=2))
            return "different", "\n".join([f"{title}: {what} differ", *shown[:SHOWN]])
    return "equal" if stock[1] is not None else "not compiled by either, with equal messages", None


def main():
    arguments = parse_arguments()
    try:
        if arguments.every < 1:
            raise SetupError(f"--every is {arguments.every}; it has to be 1 or more")
        drivers.require(arguments, ["stock", "none"])
        arguments.work.mkdir(parents=True, exist_ok=True)
        for language in drivers.LANGUAGES:
            for variant in ("stock", "none"):
                drivers.prove(arguments, language, variant, arguments.work)
        suites = dejagnu.unpack(arguments)
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    except SetupError as error:
        print(f"same_code: {error}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(arguments.jobs) as pool:
        todo = cases(suites, arguments.every)
        results = list(pool.map(lambda case: compare(arguments, case), todo))
    counts = Counter((case.language, result) for case, (result, _) in zip(todo, results))
    for (language, result), count in sorted(counts.items()):
        print(f"{language}: {count} {result}")
    failures = [difference for _, difference in results if difference]
    for failure in failures[:1]:
        print(f"FAILED: {failure}")
    for failure in failures[1:]:
        print(f"FAILED: {failure.splitlines()[0]}")
    if not any(result == "equal" for _, result in counts):
        print("FAILED: nothing was compiled by both")
        return 1
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
