# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what random loops do, compiled by --amp-route=static and run under every schedule, with
what they do without OpenMP and without optimisation; and which of them were routed.

Where plain GCC compiles a loop wrongly in the same way, the loop only counts: there may be a few.

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
from loop_source import choose_loop, program_text

WRAPPERS = {"c": "amp-gcc", "cc": "amp-g++", "f90": "amp-gfortran"}
LANGUAGES = ["c", "cc", "f90"]
COMPILERS = {"c": support.GCC, "cc": support.GXX, "f90": support.GFORTRAN}
FLAGS = {"c": [], "cc": [], "f90": ["-ffree-line-length-none"]}
# GCC's messages on undefined behaviour, which no loop may have. There is none in Fortran's loops.
SANITIZER = {"c": ["-fsanitize=undefined"], "cc": ["-fsanitize=undefined"], "f90": []}
CRASH = re.compile(r":(\d+):\d+: internal compiler error: (.*)")
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
# Those of them that plain GCC's library knows, the one for no setting first.
SCHEDULES = ["static", "static,3", "dynamic,3", "guided"]
ROUTED = "nonmonotonic:runtime"  # the schedule that a routed loop gets
SHOWN = 10  # failures


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path, help="directory of the wrappers")
    parser.add_argument("lib", type=pathlib.Path, help="directory of the plugin and of libgomp")
    parser.add_argument("--compiler", choices=support.FORMS, default="plugin", help="what routes")
    parser.add_argument("--loops", type=int, default=150, help="how many (default: %(default)s)")
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
        self.work = work
        self.loops = [choose_loop(rng, language, n) for n in range(count)]
        self.failures = []
        self.gccs_own = []  # loops that plain GCC compiles wrongly too

    def fail(self, loop, text):
        """Note that LOOP is wrong as TEXT says, with its source."""
        where = f"{self.name}:{loop.first_line}: {self.level}: loop {loop.number}"
        self.failures.append("\n".join([f"{where}: {text}", *loop.lines]))

    def excuse(self, loop, text):
        """Note that LOOP is wrong as TEXT says, and that this is GCC's own bug."""
        print(f"{self.name}: {self.level}: loop {loop.number}: GCC's own: {text}")
        self.gccs_own.append(loop)

    def compile(self, form, *command, schedules=None):
        """Compile the program by COMMAND as FORM, its loops with SCHEDULES if there are any: the
        target, what the compiler said, and where it failed by an internal error, and how."""
        directory = self.work / form
        directory.mkdir(exist_ok=True)
        source = directory / self.name
        source.write_text(program_text(self.language, self.loops, schedules))
        target = directory / f"{self.name}.out"
        done = support.run(
            *[*command, "-w", "-fdiagnostics-plain-output", *FLAGS[self.language]],
            *[self.name, "-o", target.name],
            cwd=directory,
        )
        crash = CRASH.search(done.stderr)
        if done.returncode and not crash:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            said = "\n".join(errors or [done.stderr])
            sys.exit(f"{self.name} {form} {self.level}: the compiler failed:\n{said}")
        return target, done.stderr, crash and (int(crash[1]), crash[2])

    def run(self, target, **env):
        """What the loops of TARGET did, a line each by their numbers; None if one does not end."""
        where = f"{target.parent.name}: {env}"
        try:
            done = support.run(target, OMP_WAIT_POLICY="passive", **env)
        except subprocess.TimeoutExpired as expired:
            ended = (expired.stdout or b"").count(b"\n")
            self.fail(self.loops[ended], f"{where}: not over after {expired.timeout} s")
            return None
        if done.returncode or done.stderr:
            text = f"{where}: exit code {done.returncode}\n{done.stderr}"
            self.failures.append(f"{self.name}: {self.level}: {text}")
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def serial(self):
        """What the loops do without OpenMP and without optimisation: what is expected."""
        command = [COMPILERS[self.language], "-O0", *SANITIZER[self.language]]
        target, _, crash = self.compile("serial", *command)
        assert not crash, crash
        expected = self.run(target) or {}
        for loop in self.loops:
            got = expected.get(str(loop.number))
            if iterations(got) != str(loop.trips):
                self.fail(loop, f"serial: {got}, expected {loop.trips} iterations")
        return expected

    def plain(self, schedules):
        """The program compiled by GCC alone, as compile does it."""
        compiler = COMPILERS[self.language]
        return self.compile("plain", compiler, "-fopenmp", self.level, schedules=schedules)

    def notes(self, said):
        """The compiler's notes on each loop in SAID: lists of texts by number."""
        notes = {loop.number: [] for loop in self.loops}
        for line, text in re.findall(rf"{re.escape(self.name)}:(\d+):\d+: note: (.*)", said):
            if loop := self.loop_at(int(line)):
                notes[loop.number].append(text)
        return notes

    def loop_at(self, line):
        """The loop that LINE is of; None if it is of none."""
        for loop in self.loops:
            if loop.first_line <= line < loop.first_line + len(loop.lines):
                return loop
        return None

    def routed(self):
        """The program compiled by --amp-route=static, and what the compiler said.

        Loops at which GCC fails are taken out of the program, if it fails in the same way where
        they have the clause that routing gives them in the source.
        """
        command = [*support.amp(WRAPPERS[self.language]), "--amp-route=static", "--amp-explain"]
        while True:
            target, said, crash = self.compile("routed", *command, "-fopenmp", self.level)
            if not crash:
                return target, said
            line, error = crash
            loop = self.loop_at(line)
            if not loop:
                sys.exit(f"{self.name}: {self.level}: the compiler failed in no loop: {error}")
            routed = [n for n, texts in self.notes(said).items() if is_routed(texts)]
            if self.plain(dict.fromkeys(routed, ROUTED))[2] == crash:
                self.excuse(loop, error)
            else:
                self.fail(loop, f"GCC alone does not fail so: {error}")
            self.loops.remove(loop)

    def check_notes(self, said):
        """Compare the compiler's notes with what is to be routed; returns which loops were."""
        notes = self.notes(said)
        for loop in self.loops:
            texts = notes[loop.number]
            expected = is_routed(texts) if loop.routed is None else loop.routed
            if len(texts) != 1 or is_routed(texts) != expected:
                self.fail(loop, f"notes {texts}, expected {'' if expected else 'not '}routed")
        return {number for number, texts in notes.items() if is_routed(texts)}

    def judge(self, wrong, routed, expected):
        """Fail for the loops of WRONG, unless GCC alone compiles them wrongly too.

        WRONG: what they did, by number and schedule. ROUTED: which loops are routed.

        A loop that is routed must be wrong alike with the clause of routing in the source, and
        wrong without: where it is right without, it must not be routed. Under a schedule that only
        our library knows, alike is the number of iterations. Their values may depend on the chunks.
        """
        own = self.run_plain({})
        clause = self.run_plain(dict.fromkeys(routed & wrong.keys(), ROUTED))
        for loop in self.loops:
            if loop.number not in wrong:
                continue
            number = str(loop.number)
            by_own = {schedule: done.get(number) for schedule, done in own.items()}
            by_clause = {schedule: done.get(number) for schedule, done in clause.items()}
            got = wrong[loop.number]
            counts = set(map(iterations, by_clause.values()))
            alike = all(
                line == by_clause[schedule] if schedule in by_clause else iterations(line) in counts
                for schedule, line in got
            )
            text = f"{grouped(got)}, expected {expected[number]}"
            if alike and expected[number] not in [*by_own.values(), *by_clause.values()]:
                self.excuse(loop, text)
            else:
                plain = grouped(by_own.items()), grouped(by_clause.items())
                self.fail(loop, "{}; by GCC alone {}; with the clause {}".format(text, *plain))

    def run_plain(self, schedules):
        """What the loops do if GCC alone compiles them with SCHEDULES, by OMP_SCHEDULE."""
        target, _, crash = self.plain(schedules)
        return {s: {} if crash else self.run(target, OMP_SCHEDULE=s) or {} for s in SCHEDULES}

    def check(self):
        """Compare; returns how many loops were routed."""
        expected = self.serial()
        target, said = self.routed()
        routed = self.check_notes(said)
        wrong = {}
        for env in RUNS:
            done = self.run(target, **env)
            if done is None:
                return len(routed)
            for loop in self.loops:
                number = str(loop.number)
                if done.get(number) != expected.get(number):
                    schedule = env.get("OMP_SCHEDULE", SCHEDULES[0])
                    wrong.setdefault(loop.number, set()).add((schedule, done.get(number)))
        if wrong:
            self.judge(wrong, routed, expected)
        return len(routed)


def iterations(line):
    """How many iterations a loop had by LINE, which it printed; None if it printed none."""
    return line and line.split()[0]


def grouped(pairs):
    """PAIRS of schedules and lines as text, with the schedules of each line."""
    schedules = {}
    for schedule, line in sorted(pairs, key=str):
        schedules.setdefault(line, []).append(schedule)
    return "; ".join(f"{line} ({', '.join(names)})" for line, names in schedules.items())


def is_routed(texts):
    """Whether TEXTS, the notes on a loop, say that it was routed."""
    return any(text.startswith("routed") for text in texts)


def main():
    arguments = parse_arguments()
    support.BIN, support.LIB = arguments.bin.resolve(), arguments.lib.resolve()
    support.FORM = arguments.compiler
    if reason := support.missing(support.FORM, support.BIN):
        print(reason)
        return 77
    failures, routed, made, own = [], 0, 0, 0
    # Of each language some.
    per_program = min(PER_PROGRAM, arguments.loops // len(LANGUAGES) or 1)
    with tempfile.TemporaryDirectory(prefix="amp loops ") as directory:
        work = (arguments.keep or pathlib.Path(directory)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        while made < arguments.loops:
            for language in LANGUAGES:
                count = min(per_program, arguments.loops - made)
                if count > 0:
                    seed = arguments.seed + made // (per_program * len(LANGUAGES))
                    program = Program(seed, language, count, work)
                    routed += program.check()
                    failures += program.failures
                    own += len(program.gccs_own)
                    made += count
    if own > 2 + made // 400:
        failures.append(f"{own} loops are excused by bugs of GCC's own, too many")
    for failure in failures[:SHOWN]:
        print(f"FAILED: {failure}\n")
    print(f"{made} loops from seed {arguments.seed}, {routed} routed, {len(RUNS)} runs each, "
          f"{own} wrong by GCC's own bugs, {len(failures)} failures")  # fmt: skip
    if failures:
        print(f"again: {' '.join(sys.argv)} --keep DIRECTORY")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
