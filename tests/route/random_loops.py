# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares random loops, compiled by --amp-route=static and run under every schedule, with the
same loops compiled by --amp-route=none: which iterations ran, and which loops were routed. Where
GCC compiles the loop that is not routed wrongly, the number of iterations is what counts.

Exit code: 0 all as expected, 1 not, 77 skipped.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import support
from loop_source import write_program

WRAPPERS = {"c": "amp-gcc", "cc": "amp-g++", "f90": "amp-gfortran"}
LANGUAGES = ["c", "cc", "f90"]
FLAGS = {"c": [], "cc": [], "f90": ["-ffree-line-length-none"]}
PER_PROGRAM = 100  # loops
ASYMMETRIC = {"GOMP_AMP_THREAD_CLASSES": "0,1"}
RUNS = [
    {},
    {"OMP_SCHEDULE": "static"},
    {"OMP_SCHEDULE": "static,3"},
    {"OMP_SCHEDULE": "dynamic,3"},
    {"OMP_SCHEDULE": "guided"},
    {"OMP_SCHEDULE": "aid_static", **ASYMMETRIC},
    {"OMP_SCHEDULE": "aid_hybrid"},
    {"OMP_SCHEDULE": "aid_hybrid", **ASYMMETRIC},
    {"OMP_SCHEDULE": "aid_dynamic", **ASYMMETRIC},
]
SHOWN = 10  # failures


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path, help="directory of the wrappers")
    parser.add_argument("lib", type=pathlib.Path, help="directory of the plugin and of libgomp")
    parser.add_argument("--compiler", choices=support.FORMS, default="plugin", help="what routes")
    parser.add_argument("--loops", type=int, default=300, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=16,
                        help="of the first program (default: %(default)s)")  # fmt: skip
    parser.add_argument("--keep", type=pathlib.Path, help="directory to leave the programs in")
    return parser.parse_args()


class Program:
    """One file of random loops."""

    def __init__(self, seed, language, count, work):
        rng = random.Random(f"{seed} {language}")
        self.name = f"loops-{seed}.{language}"
        self.language = language
        self.level = rng.choice(["-O0", "-O1", "-O2", "-O3"])
        self.source = work / self.name
        text, self.loops = write_program(rng, language, count)
        self.source.write_text(text)
        self.failures = []
        self.wrong_unrouted = 0  # loops

    def compile(self, route, level=None):
        """The program compiled by ROUTE, and what the compiler said."""
        level = level or self.level
        target = self.source.with_suffix(f".{self.language}-{route}")
        done = support.run(
            *support.amp(WRAPPERS[self.language]),
            *[f"--amp-route={route}", "--amp-explain", "-fopenmp", level],
            *["-w", "-fdiagnostics-plain-output", *FLAGS[self.language]],
            *[self.source, "-o", target],
            cwd=self.source.parent,
        )
        if "internal compiler error" in done.stderr and level != "-O0":
            # GCC's own bug, in optimising OpenMP loops of odd types.
            print(f"{self.name} --amp-route={route}: GCC fails at {level}, compiled at -O0 instead")
            if route == "none":
                self.level = "-O0"
            return self.compile(route, "-O0")
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            said = "\n".join(errors or [done.stderr])
            sys.exit(f"{self.name} {level} --amp-route={route}: the compiler failed:\n{said}")
        return target, done.stderr

    def run(self, target, **env):
        """What the loops of TARGET did: their numbers, and a line each."""
        try:
            done = support.run(target, OMP_WAIT_POLICY="passive", **env)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{self.name}: {env}: not over after 120 s")
            return None
        if done.returncode or done.stderr:
            self.failures.append(f"{self.name}: {env}: exit code {done.returncode}\n{done.stderr}")
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def fail(self, loop, text):
        """Note that LOOP is wrong as TEXT says, with its source."""
        where = f"{self.name}:{loop.first_line}: {self.level}: loop {loop.number}"
        self.failures.append("\n".join([f"{where}: {text}", *loop.lines]))

    def check_notes(self, said):
        """Compare the compiler's notes with what is to be routed; returns how many loops were."""
        notes = re.findall(rf"{re.escape(self.name)}:(\d+):\d+: note: (.*)", said)
        routed = 0
        for loop in self.loops:
            lines = range(loop.first_line, loop.first_line + len(loop.lines))
            of_loop = [text for line, text in notes if int(line) in lines]
            is_routed = [text.startswith("routed") for text in of_loop]
            expected = [loop.routed] if loop.routed is not None else is_routed[:1]
            if len(is_routed) != 1 or is_routed != expected:
                self.fail(loop, f"notes {of_loop}, expected {'' if loop.routed else 'not '}routed")
            routed += is_routed == [True]
        return routed

    def check(self):
        """Compare; returns how many loops were routed."""
        reference = self.run(self.compile("none")[0]) or {}
        target, said = self.compile("static")
        routed = self.check_notes(said)
        results = []
        for env in RUNS:
            results.append((env, self.run(target, **env)))
            if results[-1][1] is None:
                return routed
        for loop in self.loops:
            number = str(loop.number)
            expected, source = reference.get(number, "nothing"), "unrouted"
            if loop.routed and expected.split()[0] != str(loop.trips):
                # GCC compiles a few static loops next to the ends of a type wrongly.
                self.wrong_unrouted += 1
                expected, source = results[0][1].get(number, "nothing"), "routed, unset"
            if expected.split()[0] != str(loop.trips):
                self.fail(loop, f"{source}: {expected}, expected {loop.trips} iterations")
            for env, got in results:
                if got.get(number) != expected:
                    self.fail(loop, f"{env}: {got.get(number)}, {source}: {expected}")
        return routed


def main():
    arguments = parse_arguments()
    support.BIN, support.LIB = arguments.bin.resolve(), arguments.lib.resolve()
    support.FORM = arguments.compiler
    if reason := support.missing(support.FORM, support.BIN):
        print(reason)
        return 77
    failures, routed, made, wrong = [], 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="amp loops ") as directory:
        work = arguments.keep or pathlib.Path(directory)
        work.mkdir(parents=True, exist_ok=True)
        while made < arguments.loops:
            for language in LANGUAGES:
                count = min(PER_PROGRAM, arguments.loops - made)
                if count > 0:
                    seed = arguments.seed + made // (PER_PROGRAM * len(LANGUAGES))
                    program = Program(seed, language, count, work)
                    routed += program.check()
                    failures += program.failures
                    wrong += program.wrong_unrouted
                    made += count
    if wrong > made // 200:
        failures.append(f"{wrong} loops do not run as they should without routing either")
    for failure in failures[:SHOWN]:
        print(f"FAILED: {failure}\n")
    print(f"{made} loops from seed {arguments.seed}, {routed} routed, {len(RUNS)} runs each, "
          f"{wrong} wrong when not routed, {len(failures)} failures")  # fmt: skip
    if failures:
        print(f"again: {' '.join(sys.argv)} --keep DIRECTORY")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
