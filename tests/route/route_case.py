# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the calls of libgomp of a program, compiled in every route mode, and what it computes,
with what its source says.

A program states in comments, one line a function (a regular expression):
    expect FUNCTION N_DEFAULT N_STATIC N_ALL [SYMBOL]
that its loops make so many calls of SYMBOL (without one: of any entry point that starts a
schedule(runtime) loop) in each mode, and none with --amp-route=none;
    always FUNCTION N SYMBOL
that they do so in every mode; and with `flags ...` what else the compiler needs.
"""

import argparse
import itertools
import pathlib
import re
import subprocess
import sys

import support
from support import environment

MODES = ["none", "default", "static", "all"]
LEVELS = ["-O0", "-O2"]
# What routes runs before most of what the level is about.
QUICK = [("default", "-O0"), *((mode, "-O2") for mode in MODES)]
COMPILERS = {".c": "amp-gcc", ".cc": "amp-g++", ".f90": "amp-gfortran"}
# Functions must stay what they are in the source, and calls single, to be found and counted.
KEEP_FUNCTIONS = [
    "-fno-inline",
    "-fno-ipa-cp",
    "-fno-ipa-sra",
    "-fno-ipa-icf",
    "-fno-partial-inlining",
    "-fno-thread-jumps",
]
RUNTIME_START = re.compile(r"GOMP_(parallel_loop(_ull)?_\w*runtime|loop(_ull)?_\w*runtime_start)$")


class Expectation:
    """The calls that one function of a program makes in each mode."""

    def __init__(self, word, line):
        self.function, *fields = line.split()
        numbers = fields[:1] * 4 if word == "always" else ["0", *fields[:3]]
        self.calls = dict(zip(MODES, map(int, numbers)))
        self.symbol = fields[1:2] if word == "always" else fields[3:4]
        self.pattern = re.compile(rf"(?:\b|_MOD_)(?:{self.function})_?(?:\.\d+)?(?![\w.])")

    def count(self, calls):
        """The number of calls in CALLS, pairs of function and symbol, that are this function's."""
        return sum(
            1
            for caller, callee in calls
            if self.pattern.search(caller.replace("._omp_fn", " ._omp_fn"))
            and not caller.startswith("__amp_")
            and (callee in self.symbol if self.symbol else RUNTIME_START.match(callee))
        )


def read_expectations(source):
    """The expectations and the compiler flags that SOURCE states."""
    text = source.read_text()
    lines = re.findall(r"^[\s/!*]*(expect|always) (.*?)(?:\*/)?$", text, re.M)
    flags = re.search(r"^[\s/!*]*flags (.*?)(?:\*/)?$", text, re.M)
    return [Expectation(*line) for line in lines], flags.group(1).split() if flags else []


def calls_in(program):
    """All calls of libgomp in PROGRAM, by the guard or not: demangled callers, and callees."""
    listing = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", program],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    calls, caller = [], ""
    for line in listing.splitlines():
        if start := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            caller = start.group(1)
        elif call := re.search(r"\b(?:call|jmp)q?\s.*<(GOMP_|__amp_)(\w+)(?:@\w+)?>", line):
            calls.append((caller, f"GOMP_{call.group(2)}"))
    return calls


def run(command, **env):
    """The combined output of COMMAND, and its exit code."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        env=environment.clean(**{"OMP_NUM_THREADS": "4", **support.WRAPPED, **env}),
    )
    return done.stdout, done.returncode


def test(source, bin_dir, form, work, combinations):
    """The failures of SOURCE, one message each."""
    failures = []
    expectations, flags = read_expectations(source)
    assert expectations, f"{source} expects nothing"
    more = ["-J", work] if source.suffix == ".f90" else []
    for mode, level in combinations:
        program = work / f"{source.stem}-{mode}{level}"
        where = f"{source.name} --amp-compiler={form} --amp-route={mode} {level}"
        output, code = run(
            [
                bin_dir / COMPILERS[source.suffix],
                f"--amp-compiler={form}",
                f"--amp-route={mode}",
                "--amp-no-rpath",
                level,
                "-fopenmp",
                "-Wall",
                *KEEP_FUNCTIONS,
                *flags,
                *more,
                "-o",
                program,
                source,
            ]
        )
        if code:
            failures.append(f"{where}: the compiler failed:\n{output}")
            continue
        calls = calls_in(program)
        for e in expectations:
            if (got := e.count(calls)) != e.calls[mode]:
                failures.append(
                    f"{where}: {e.function}: {got} calls of "
                    f"{(e.symbol or ['a runtime loop'])[0]}, "
                    f"expected {e.calls[mode]}"
                )
        # A loop that relies on another's mapping shows it under dynamic; `all` may break it.
        schedules = [None] if mode == "all" else [None, "dynamic,1"]
        for schedule in schedules:
            env = {"OMP_SCHEDULE": schedule} if schedule else {}
            output, code = run([program], **env)
            if code:
                failures.append(f"{where}, OMP_SCHEDULE={schedule}: exit code {code}\n{output}")
    return failures


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="directory of the wrappers")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="directory for programs")
    parser.add_argument("--compiler", choices=support.FORMS, required=True, help="what routes")
    parser.add_argument("--quick", action="store_true", help="one level for most modes")
    arguments = parser.parse_args()
    if reason := support.missing(arguments.compiler, arguments.bin):
        print(reason)
        return 77
    arguments.work.mkdir(parents=True, exist_ok=True)
    combinations = QUICK if arguments.quick else list(itertools.product(MODES, LEVELS))
    failures = test(
        arguments.source, arguments.bin, arguments.compiler, arguments.work, combinations
    )
    print("\n".join(failures) or f"{arguments.source.name}: as expected")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
