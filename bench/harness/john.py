# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's john, a program that is not recompiled, on fast and slow cores: static, by hand, and
with folded teams."""

import os
import re
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from environment import clean

from . import report
from .disturbance import NOTHING, WIDTH, Finding, Marks, Watch, undisturbed
from .machine import Machine
from .measure import WARM_UP_ROUNDS, round_name, single_label
from .runs import RunError

NAME = "john"
ROUNDS = 5
# Of one run, by its own clock.
SECONDS = 1
TIMEOUT_SECONDS = 60

STATIC = "static"
FAST_ONLY = "fast cores only"
BY_HAND = "more threads than cores, bound by hand"
FOLDED = "amp-run --fold"

_RATE = re.compile(r"^Raw:\s+([\d.]+)(K?) c/s real", re.MULTILINE)
_PLAN = re.compile(r"LIBGOMP_AMP_FOLD = '(.*)'")


@dataclass(frozen=True)
class Run:
    """One run on some CPUs: a command before john's, and variables added to a clean environment."""

    cpus: tuple[int, ...]
    threads: int
    environment: dict[str, str]
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    rate: float
    plan: str = ""
    disturbed: Finding = NOTHING


def bound_to(cpus: tuple[int, ...], **others: str) -> Run:
    """A run with one thread on each of these CPUs; a CPU that is named twice has two."""
    affinity = {"GOMP_CPU_AFFINITY": " ".join(map(str, cpus)), "OMP_NUM_THREADS": str(len(cpus))}
    return Run(tuple(dict.fromkeys(cpus)), len(cpus), affinity | others)


def by_hand(machine: Machine, singles: tuple[float, ...]) -> Run:
    """What a user can do without libgomp-amp: as many threads on a core as it is times faster than
    the slowest, which the kernel switches, and which do not spin where they wait."""
    each = [round(rate / min(singles)) for rate in singles]
    cpus = [
        cpu for members, threads in zip(machine.classes, each) for cpu in members * max(threads, 1)
    ]
    return bound_to(tuple(sorted(cpus, key=machine.cpus.index)), OMP_WAIT_POLICY="passive")


def folded(build: Path, machine: Machine) -> Run:
    topology = {"GOMP_AMP_TOPOLOGY": machine.topology} if machine.topology else {}
    display = {"OMP_DISPLAY_ENV": "verbose"}
    command = (str(build / "bin" / "amp-run"), "--fold")
    return Run(machine.cpus, len(machine.cpus) + 1, topology | display, command)


def parse(output: str) -> tuple[float, str]:
    """How many passwords a second john says it tried, and how the library says teams are folded."""
    found = _RATE.findall(output)
    if len(found) != 1:
        raise RunError(f"{len(found)} rates instead of one")
    number, thousands = found[0]
    plan = _PLAN.search(output)
    return float(number) * (1000 if thousands else 1), plan[1] if plan else ""


def execute(john: Path, run: Run) -> Result:
    command = [*run.before, str(john), f"--test={SECONDS}", "--format=bcrypt"]
    watch = Watch(run.cpus, run.threads)
    watch.begin()
    try:
        done = subprocess.run(
            command,
            env=clean(**run.environment),
            preexec_fn=lambda: os.sched_setaffinity(0, set(run.cpus)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RunError(f"{command[0]} could not be run: {error}") from error
    disturbed = watch.end()
    try:
        if done.returncode != 0:
            raise RunError(f"it ended with status {done.returncode}")
        return Result(*parse(done.stdout), disturbed)
    except RunError as error:
        raise RunError(f"{' '.join(command)}: {error}; it printed:\n{done.stdout}") from error


@dataclass
class Measured:
    """The rates of each round by row and by single_label, and what disturbed them."""

    machine: Machine
    rounds: list[dict[str, Result]] = field(default_factory=list)
    plan: str = ""

    @property
    def rows(self) -> list[str]:
        several = (FAST_ONLY, BY_HAND) if len(self.machine.classes) > 1 else ()
        return [STATIC, *several, FOLDED]

    def bound(self, one: dict[str, Result]) -> float:
        """What all cores together can do."""
        return sum(
            len(members) * one[single_label(members[0])].rate for members in self.machine.classes
        )

    def rate(self, row: str) -> float:
        return median(one[row].rate for one in self.rounds)

    def speedup(self, row: str) -> float:
        return median(one[row].rate / one[STATIC].rate for one in self.rounds)

    def share(self, row: str) -> float:
        return median(one[row].rate / self.bound(one) for one in self.rounds)

    def marks(self) -> Marks:
        marks = Marks()
        for one in self.rounds:
            for label, result in one.items():
                marks.add(label, result.disturbed)
        return marks


def measure(
    john: Path,
    build: Path,
    machine: Machine,
    note: Callable[[str], None],
    rounds: int,
    repeat: int,
) -> Measured:
    """Run every row in every round; RunError as soon as one is not right."""
    measured = Measured(machine)
    for number in range(-WARM_UP_ROUNDS, rounds):
        note(f"{NAME}: {round_name(number, rounds)}")

        def attempt(run: Run) -> Result:
            return undisturbed(
                lambda: execute(john, run),
                lambda result: result.disturbed,
                repeat if number >= 0 else 0,
            )

        one = {
            single_label(members[0]): attempt(bound_to(members[:1])) for members in machine.classes
        }
        runs = {
            STATIC: bound_to(machine.cpus),
            FAST_ONLY: bound_to(machine.classes[0]),
            BY_HAND: by_hand(machine, tuple(result.rate for result in one.values())),
            FOLDED: folded(build, machine),
        }
        # No case is always first: what a run leaves behind, such as heat, falls on everyone.
        shift = number % len(measured.rows)
        for row in measured.rows[shift:] + measured.rows[:shift]:
            one[row] = attempt(runs[row])
        measured.plan = one[FOLDED].plan
        if not measured.plan:
            raise RunError(f"{runs[FOLDED].before[0]}: john did not run on libgomp-amp")
        if number >= 0:
            measured.rounds.append(one)
    return measured


def table(measured: Measured) -> str:
    """The table in Markdown."""
    marks = measured.marks()
    rows = [
        [
            row,
            f"{measured.rate(row):.0f}{marks.mark(row)}",
            f"{measured.speedup(row):.2f}",
            f"{100 * measured.share(row):.1f} %",
        ]
        for row in measured.rows
    ]
    labels = [single_label(members[0]) for members in measured.machine.classes]
    singles = ", ".join(f"{measured.rate(label):.0f}" for label in labels)
    facts = [
        measured.machine.description,
        f"medians of {len(measured.rounds)} rounds",
        f"one thread on a core of each class: {singles} c/s",
        f"capacity bound {median(map(measured.bound, measured.rounds)):.0f} c/s",
        f"folded: {measured.plan}",
    ]
    columns = ["threads", "c/s", "speedup", "share of the bound"]
    return "\n".join(
        [
            f"## {NAME}: Debian's john as it is, --test={SECONDS} --format=bcrypt",
            "",
            textwrap.fill("; ".join(facts) + ".", WIDTH),
            "",
            *report.aligned([columns, *rows], len(columns)),
            "",
            *marks.note(len(measured.rounds)),
        ]
    )


def every_value(measured: Measured) -> Iterator[tuple]:
    """The rows of a measurement for report.append_csv."""
    for number, one in enumerate(measured.rounds, 1):
        for label, result in one.items():
            yield NAME, number, label, "c/s", result.rate, result.disturbed
