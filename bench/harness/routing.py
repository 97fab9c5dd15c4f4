# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure of what routing costs loops of every length: nanoseconds a loop, inline and routed."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from . import report
from .disturbance import Finding, Marks, undisturbed
from .machine import pair
from .measure import WARM_UP_ROUNDS, round_name
from .runs import Run, RunError, execute, program
from .runtimes import OURS, STOCK, Runtime, find

INLINE, ROUTED = "routecost-inline", "routecost"
# In loops of so few iterations the iterations are of no account; in the long ones their start is.
SHORT, LONG = 64, 100_000
# Routing is said to cost a loop nothing up to this share of the loop's time ...
SMALL = 0.01
# ... and to make the iterations slower from this ratio on; less is this machine's noise.
SLOWER = 1.05

# The loops of bench/micro/routecost-loops.inc that tell something, by form.
LOOPS = (
    *(
        (form, loop)
        for form in ("for", "parallel")
        for loop in (
            "saxpy",
            "sum",
            "fill_int",
            "fill_unsigned",
            "fill_size",
            "gather",
            "plane",
            "constant",
        )
    ),
    ("nowait", "fill_int"),
    ("nowait", "sum"),
)


@dataclass(frozen=True)
class Case:
    """One loop in one form, with this many threads, compiled and served like this."""

    threads: int
    form: str
    loop: str
    program: str
    runtime: str

    def beside(self, program: str, runtime: str) -> "Case":
        """The same loop, compiled and served otherwise."""
        return Case(self.threads, self.form, self.loop, program, runtime)

    @property
    def label(self) -> str:
        return f"{self.threads} {self.form} {self.loop} {self.program} {self.runtime}"

    def run(
        self, build: Path, runtimes: dict[str, Runtime], cpus: tuple[int, ...], repeat: int
    ) -> tuple["Costs", Finding]:
        """Its nanoseconds by number of iterations, and what disturbed the run."""
        options = (f"--form={self.form}", f"--loop={self.loop}", "--samples=9")
        command = (str(program(build, self.program)), *options)
        run = Run(command, runtimes[self.runtime], cpus[: self.threads], "static")
        prefix = f"ns_{self.loop}_{self.form}_"
        result = undisturbed(lambda: execute(run), lambda one: one.disturbed, repeat)
        costs = {
            int(name.removeprefix(prefix)): value
            for name, value in result.fields.items()
            if name.startswith(prefix)
        }
        return costs, result.disturbed


Costs = dict[int, float]
# What each round found of a case.
Found = dict[Case, list[Costs]]


@dataclass
class Measured:
    """What was found, and what disturbed the runs of each round."""

    found: Found
    disturbed: dict[Case, list[Finding]]

    def marks(self) -> Marks:
        marks = Marks()
        for case, findings in self.disturbed.items():
            for finding in findings:
                marks.add(case.label, finding)
        return marks


def ratio(found: Found, case: Case, other: Case, count: int) -> float:
    """How many times other a case takes: the median of the rounds' ratios."""
    pairs = zip(found[case], found[other], strict=True)
    return median(costs[count] / others[count] for costs, others in pairs)


def start_cost(found: Found, case: Case, other: Case) -> float:
    """How many nanoseconds more than other's a loop's start takes, whatever follows."""
    return median(
        costs[count] - others[count]
        for costs, others in zip(found[case], found[other], strict=True)
        for count in costs
        if count <= SHORT
    )


def break_even(found: Found, case: Case, other: Case) -> str:
    """From about how many iterations on a loop takes at most SMALL more than other does.

    It follows from the start's cost: the ratios of single lengths are too noisy to tell 1 %."""
    counts = sorted(found[other][0])
    start = start_cost(found, case, other)
    slower = median(
        (costs[count] - start) / others[count]
        for costs, others in zip(found[case], found[other], strict=True)
        for count in counts
        if count >= LONG
    )
    if slower > SLOWER:
        return f"never: iterations take {slower:.2f}"
    enough = start / SMALL
    before, taken = 0, 0.0
    for count in counts:
        takes = median(costs[count] for costs in found[other])
        if takes >= enough:
            share = (enough - taken) / (takes - taken) if takes > taken else 1
            return spaced(rounded(before + max(share, 0) * (count - before)))
        before, taken = count, takes
    return f"beyond {spaced(counts[-1])}"


def rounded(number: float) -> int:
    """To two digits that count, as a whole number."""
    return int(float(f"{number:.1e}"))


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def nanoseconds(value: float) -> str:
    return f"{value:.1f}" if value < 100 else spaced(round(value))


@dataclass(frozen=True)
class RoutingFigure:
    """Tables of loops by their number of iterations, one for each number of threads."""

    name: str
    title: str
    loops: tuple[tuple[str, str], ...] = LOOPS
    threads: tuple[int, ...] = (1, 2)
    rounds: int = 5

    def cases(self) -> list[Case]:
        """All of them, in the order in which a round runs them: what is compared are neighbours."""
        return [
            Case(threads, form, loop, program, runtime)
            for threads in self.threads
            for form, loop in self.loops
            for runtime in (OURS, STOCK)
            for program in (INLINE, ROUTED)
        ]

    def measure(
        self, build: Path, rounds: int, note: Callable[[str], None], repeat: int
    ) -> Measured:
        """Run every case in every round; RunError as soon as one is not right."""
        cpus = pair()
        if cpus is None:
            raise RunError(f"{self.name} takes two CPUs, and this process may use only one")
        cases = self.cases()
        measured = Measured({case: [] for case in cases}, {case: [] for case in cases})
        with tempfile.TemporaryDirectory(prefix="amp-figures-") as scratch:
            runtimes = find(build, Path(scratch))
            for number in range(-WARM_UP_ROUNDS, rounds):
                note(f"{self.name}: {round_name(number, rounds)}")
                # A run leaves the caches and the clock otherwise than it found them: each of the
                # two that are compared is the first one every other round.
                for case in cases if number % 2 else reversed(cases):
                    costs, finding = case.run(build, runtimes, cpus, repeat if number >= 0 else 0)
                    if number >= 0:
                        measured.found[case].append(costs)
                        measured.disturbed[case].append(finding)
        return measured

    def _rows(self, measured: Measured, threads: int, counts: list[int]) -> list[list[str]]:
        found, marks = measured.found, measured.marks()
        rows = []
        for form, loop in self.loops:
            for runtime, built in ((OURS, INLINE), (OURS, ROUTED), (STOCK, ROUTED)):
                case = Case(threads, form, loop, built, runtime)
                values = {n: median(costs[n] for costs in found[case]) for n in counts}
                cells = {n: nanoseconds(value) for n, value in values.items()}
                row = [f"{loop}, {form}", "inline"]
                if built == ROUTED:
                    inline = case.beside(INLINE, runtime)
                    for n in counts:
                        cells[n] += f" ({ratio(found, case, inline, n):.2f})"
                    row = ["", f"routed, {runtime}"]
                row[1] += marks.mark(case.label)
                row += cells.values()
                if built == ROUTED:
                    row.append(f"{start_cost(found, case, inline):.1f}")
                    row.append(break_even(found, case, inline))
                rows.append(row)
        return rows

    def table(self, measured: Measured) -> tuple[str, bool]:
        """The tables in Markdown; they have no target, so that all are met."""
        found = measured.found
        rounds = next(iter(found.values()))
        counts = sorted(rounds[0])
        columns = ["loop", "compiled, served", *map(spaced, counts)]
        columns += ["start, ns", f"within {100 * SMALL:.0f} % from"]
        parts = []
        for threads in self.threads:
            word = "thread" if threads == 1 else "threads"
            facts = (
                f"{threads} {word}; nanoseconds a loop by its number of iterations, in parentheses "
                "how many times those of the same loop inline under the same library; start: what "
                "a loop costs more, whatever its iterations; "
                f"medians of {len(rounds)} rounds."
            )
            lines = report.aligned([columns, *self._rows(measured, threads, counts)], len(columns))
            title = f"## {self.name}: {self.title}, {threads} {word}"
            parts += [title, "", facts, "", *lines, ""]
        parts += measured.marks().note(len(rounds))
        return "\n".join(parts), True

    def every_value(self, measured: Measured) -> Iterator[tuple]:
        """The rows for report.append_csv."""
        for case, rounds in measured.found.items():
            findings = measured.disturbed[case]
            for number, (costs, finding) in enumerate(zip(rounds, findings, strict=True), 1):
                for count, value in costs.items():
                    yield self.name, number, case.label, f"ns_{count}", value, finding


FIGURES = (RoutingFigure("routing-tiny", "what routing costs a loop"),)
