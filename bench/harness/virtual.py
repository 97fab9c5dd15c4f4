# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of virtual time alone: against an independent simulation, for many threads, and for
iterations of every shape of cost."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from . import report
from .disturbance import Finding, Marks, Watch, undisturbed
from .machine import own_cpus
from .measure import WARM_UP_ROUNDS, round_name
from .runs import RunError

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "virtual"))
import exact  # noqa: E402
import lab  # noqa: E402

AID_SCHEDULES = ("aid_static", "aid_hybrid", "aid_dynamic")
SCALES = (8, 64, 256, 1024)

MAKESPAN_WITHIN = REPEATS_WITHIN = 0.05
EFFICIENCY_AT_LEAST = 0.95

# Spins as long as the thread's CPU clock says, instead of counted steps. A schedule that gives a
# thread one long allotment would otherwise show how the host's speed changed from one thread's turn
# to the next one's, of which there are a thousand.
BY_CLOCK = "--by-clock=1"
# How much later each thread arrives where only the usual order matters, and no time is to be lost.
STAGGER_NS = 2000

Rows = list[list[str]]
# What each round found, by case: named values.
Found = dict[tuple[str, str], list[dict[str, float]]]


@dataclass
class Measured:
    """What was found, and what disturbed the runs of each round, likewise."""

    found: Found
    disturbed: dict[tuple[str, str], list[Finding]]

    def marks(self) -> Marks:
        marks = Marks()
        for key, findings in self.disturbed.items():
            for finding in findings:
                marks.add(" ".join(key), finding)
        return marks


def watched(run: Callable[[], dict[str, float]]) -> tuple[dict[str, float], Finding]:
    """What a run in virtual time gives, on one CPU, and what disturbed it."""
    allowed = os.sched_getaffinity(0)
    cpu = own_cpus()[0]
    watch = Watch((cpu,), 1)
    try:
        os.sched_setaffinity(0, {cpu})
        watch.begin()
        return run(), watch.end()
    finally:
        os.sched_setaffinity(0, allowed)


@dataclass(frozen=True)
class Case:
    """The kernel `shapes` with these arguments, on a machine, under a schedule."""

    machine: str
    schedule: str
    arguments: tuple[str, ...]
    stagger_ns: int = 0
    removal_ns: int | None = exact.REMOVAL_NS
    # Whether its makespan is held against the simulation's.
    simulated: bool = False

    def run(self, build: Path) -> dict[str, float]:
        """Seconds, the share of the capacity bound, and the ratio to the simulation."""
        loop = exact.run(
            build,
            self.machine,
            self.schedule,
            *self.arguments,
            removal_ns=self.removal_ns,
            stagger_ns=self.stagger_ns,
        )
        values = {"seconds": loop.seconds, "share": loop.bound / loop.seconds}
        if self.simulated:
            values["ratio"] = loop.seconds / exact.simulated(
                loop, exact.costs(build, *self.arguments)
            )
        return values


@dataclass(frozen=True)
class VirtualFigure:
    """A table about virtual time: its cases by row and column, all run in turn in every round.
    render makes the columns and rows of it, and says whether the targets are met; rounds_used says
    what it makes of the rounds."""

    name: str
    title: str
    facts: str
    cases: dict[tuple[str, str], Case]
    render: Callable[[Found], tuple[list[str], Rows, bool]]
    rounds: int = 5
    rounds_used: str = "medians"

    def measure(
        self, build: Path, rounds: int, note: Callable[[str], None], repeat: int
    ) -> Measured:
        """Run every case in every round; RunError as soon as one is not right."""
        if not (build / "lib" / lab.RUNTIME).exists():
            raise RunError(f"{build}/lib/{lab.RUNTIME} does not exist: build the project first")
        measured = Measured({key: [] for key in self.cases}, {key: [] for key in self.cases})
        for number in range(-WARM_UP_ROUNDS, rounds):
            note(f"{self.name}: {round_name(number, rounds)}")
            for key, case in self.cases.items():
                try:
                    values, finding = undisturbed(
                        lambda: watched(lambda: case.run(build)),
                        lambda one: one[1],
                        repeat if number >= 0 else 0,
                    )
                except lab.LabError as error:
                    raise RunError(str(error)) from error
                if number >= 0:
                    measured.found[key].append(values)
                    measured.disturbed[key].append(finding)
        return measured

    def table(self, measured: Measured) -> tuple[str, bool]:
        """The table in Markdown, and whether the targets are met."""
        found, marks = measured.found, measured.marks()
        columns, rows, met = self.render(found)
        self.mark(columns, rows, marks)
        rounds = len(next(iter(found.values())))
        facts = f"{self.facts}; {self.rounds_used} of {rounds} rounds."
        lines = report.aligned([columns, *rows], len(columns))
        parts = [f"## {self.name}: {self.title}", "", facts, "", *lines, "", *marks.note(rounds)]
        return "\n".join(parts), met

    @staticmethod
    def mark(columns: list[str], rows: Rows, marks: Marks) -> None:
        """Mark the cells of the cases: they have a column each, or a row whose second cell is the
        other half of the key."""
        for row in rows:
            if mark := marks.mark(f"{row[0]} {row[1]}"):
                row[2] += mark
            for at, column in enumerate(columns):
                row[at] += marks.mark(f"{row[0]} {column}")

    def every_value(self, measured: Measured) -> Iterator[tuple]:
        """The rows for report.append_csv."""
        for key, rounds in measured.found.items():
            findings = measured.disturbed[key]
            for number, (values, finding) in enumerate(zip(rounds, findings, strict=True), 1):
                for measure, value in values.items():
                    yield self.name, number, " ".join(key), measure, value, finding


def middle(rounds: list[dict[str, float]], measure: str) -> float:
    return median(values[measure] for values in rounds)


def spread(rounds: list[dict[str, float]]) -> float:
    """How much longer the longest of the repeats took than the shortest one."""
    seconds = [values["seconds"] for values in rounds]
    return max(seconds) / min(seconds) - 1


def _against_simulation(found: Found) -> tuple[list[str], Rows, bool]:
    rows, good = [], True
    for (shape, schedule), rounds in found.items():
        ratio, apart = middle(rounds, "ratio"), spread(rounds)
        met = abs(ratio - 1) <= MAKESPAN_WITHIN and apart <= REPEATS_WITHIN
        good = good and met
        milliseconds = f"{1000 * middle(rounds, 'seconds'):.2f}"
        word = "yes" if met else "NO"
        rows.append([shape, schedule, milliseconds, f"{ratio:.3f} x", f"{100 * apart:.1f} %", word])
    columns = ["costs", "schedule", "milliseconds", "of the simulation's", "repeats apart", "met"]
    return columns, rows, good


def grid(values: dict[tuple[str, str], float]) -> tuple[list[str], Rows]:
    """A row for each row's name, a column for each column's."""
    names = list(dict.fromkeys(row for row, _ in values))
    columns = list(dict.fromkeys(column for _, column in values))
    rows = [[row, *(f"{values[row, column]:.3f}" for column in columns)] for row in names]
    return ["", *columns], rows


def _shares(found: Found) -> tuple[list[str], Rows, bool]:
    return *grid({key: middle(rounds, "share") for key, rounds in found.items()}), True


def _efficiencies(found: Found) -> tuple[list[str], Rows, bool]:
    """The best of the rounds counts: a host that takes the CPU away and counts it as used can only
    add to a thread's time, and does so to some thread in most runs of a thousand."""
    best = {key: max(values["share"] for values in rounds) for key, rounds in found.items()}
    columns, rows = grid(best)
    for row in rows:
        for at, schedule in enumerate(columns[1:], 1):
            row[at] += f" ({middle(found[row[0], schedule], 'share'):.3f})"
    return columns, rows, min(best.values()) >= EFFICIENCY_AT_LEAST


def _scale_machines(threads: int) -> tuple[str, str]:
    return f"{threads // 2}x3.0+{threads // 2}x1.0", f"{threads}x1"


def _scale(name: str, scales: tuple[int, ...], removal_ns: int | None, cost: str) -> VirtualFigure:
    return VirtualFigure(
        name,
        "efficiency, as the share of the capacity bound, of a uniform loop on many cores",
        f"200 iterations of 50 us a thread, removals that cost {cost}; target: at least "
        f"{EFFICIENCY_AT_LEAST} in the best of the rounds (in parentheses: their median)",
        {
            (machine, schedule): Case(
                machine,
                schedule,
                (f"--iterations={200 * threads}", "--mean-ns=50000", BY_CLOCK),
                removal_ns=removal_ns,
            )
            for threads in scales
            for machine in _scale_machines(threads)
            for schedule in AID_SCHEDULES
        },
        _efficiencies,
        rounds_used="the best",
    )


FIGURES = (
    VirtualFigure(
        "virtual-exact",
        "makespans in virtual time against those of an independent simulation",
        f"{exact.MACHINE}, 2000 iterations of 20 us in the mean, removals of "
        f"{exact.REMOVAL_NS} ns; "
        f"target: within {100 * MAKESPAN_WITHIN:.0f} % of the simulation, repeats within "
        f"{100 * REPEATS_WITHIN:.0f} % of each other",
        {
            (shape, schedule): Case(
                exact.MACHINE, schedule, (f"--shape={shape}",), exact.STAGGER_NS, simulated=True
            )
            for shape in exact.SHAPES
            for schedule in exact.SCHEDULES
        },
        _against_simulation,
    ),
    VirtualFigure(
        "virtual-shapes",
        "shares of the capacity bound by shape of the iterations' costs",
        f"{exact.MACHINE}, 2000 iterations of 20 us in the mean, removals of {exact.REMOVAL_NS} ns",
        {
            (shape, schedule): Case(
                exact.MACHINE, schedule, (f"--shape={shape}", BY_CLOCK), STAGGER_NS
            )
            for shape in exact.SHAPES
            for schedule in (*exact.SCHEDULES, *AID_SCHEDULES)
        },
        _shares,
    ),
    _scale("virtual-scale", SCALES, None, "what amp-emu measures here"),
    _scale("virtual-scale-contended", SCALES[-2:], exact.REMOVAL_NS, f"{exact.REMOVAL_NS} ns"),
)
