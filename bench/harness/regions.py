# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure of folded teams by the length of parallel regions, on two cores of which the program
itself makes one half as fast."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from . import report
from .disturbance import MARK, Finding, undisturbed, unsteady
from .machine import pair
from .measure import WARM_UP_ROUNDS, round_name
from .runs import Run, RunError, execute, program
from .runtimes import OURS, STOCK, Runtime, find

PROGRAM = "regions"
MEASURE = "us_per_region"
STATIC, ALONE = "static", "fast core only"


@dataclass(frozen=True)
class Way:
    """How a region is run: by the system's libgomp, or folded with so many ids a core. told:
    whether the library knows the cores' speeds. targets: whether calls have to reach a target."""

    name: str
    fold: int = 0
    calls: str = ""
    told: bool = True

    def run(
        self,
        build: Path,
        runtimes: dict[str, Runtime],
        cpus: tuple[int, int],
        arguments: tuple[str, ...],
        equal: bool,
    ) -> Run:
        slow = -1 if equal else cpus[1]
        command = (str(program(build, PROGRAM)), *arguments, f"--slow-cpu={slow}")
        if not self.fold:
            used = cpus[:1] if self.name == ALONE else cpus
            return Run(command, runtimes[STOCK], used, "static")
        topology = f"{cpus[0]}=1024,{cpus[1]}=512" if self.told and not equal else "off"
        environment = (("GOMP_AMP_TOPOLOGY", topology), ("GOMP_AMP_FOLD_CALLS", self.calls))
        return Run(
            command, runtimes[OURS], cpus, "static", environment=environment, fold=str(self.fold)
        )


WAYS = (
    Way(STATIC),
    Way(ALONE),
    Way("turns, 3", 3, "off"),
    Way("calls, 3", 3, "auto"),
    Way("calls, 6", 6, "auto"),
    Way("calls, 6, nothing told", 6, "auto", told=False),
)


@dataclass(frozen=True)
class Length:
    """A region, with the program's arguments. over_static: how many times faster than static calls
    have to be; of a trivial region over_alone as well: how many times slower than one thread they
    may be. equal: on equal cores."""

    name: str
    arguments: tuple[str, ...]
    over_static: float | None = None
    over_alone: float | None = None
    equal: bool = False


_TRIVIAL = ("--iterations=64", "--work=2", "--loops=20000")

LENGTHS = (
    Length("600 us", ("--iterations=1024", "--loops=100"), 1.46),
    Length("60 us", ("--iterations=100", "--loops=1000"), 1.36),
    Length("7 us", ("--iterations=12", "--loops=4000"), 0.99),
    Length("64 trivial iterations", _TRIVIAL, 1 / 1.02, 1.03),
    Length("64 trivial iterations, equal cores", _TRIVIAL, 1 / 1.02, 1.03, equal=True),
    Length("600 us, a barrier inside", ("--iterations=1024", "--loops=100", "--barrier=1")),
    Length("60 us, a barrier inside", ("--iterations=100", "--loops=1000", "--barrier=1")),
    Length("7 us, a barrier inside", ("--iterations=12", "--loops=4000", "--barrier=1")),
)

Place = tuple[Length, Way]


@dataclass
class Measured:
    """The microseconds of a region in each round, and what disturbed the runs."""

    found: dict[Place, list[float]] = field(default_factory=dict)
    disturbed: dict[Place, list[Finding]] = field(default_factory=dict)

    def ratios(self, length: Length, way: Way, other: Way) -> list[float]:
        """How many times faster than other a way is, by round."""
        pairs = zip(self.found[length, other], self.found[length, way], strict=True)
        return [theirs / own for theirs, own in pairs]

    def ratio(self, length: Length, way: Way, other: Way) -> float:
        return median(self.ratios(length, way, other))

    def misses(self, length: Length, way: Way) -> bool:
        """Whether a called way does not reach a target of the region."""
        if way.calls in ("", "off"):
            return False
        if length.over_static and self.ratio(length, way, WAYS[0]) < length.over_static:
            return True
        return bool(length.over_alone) and self.ratio(length, WAYS[1], way) > length.over_alone


@dataclass(frozen=True)
class RegionsFigure:
    """A table of regions by their length, with a column for each way to run them."""

    name: str
    title: str
    rounds: int = 5

    def measure(
        self, build: Path, rounds: int, note: Callable[[str], None], repeat: int
    ) -> Measured:
        """Run every region every way in every round; RunError as soon as one is not right."""
        cpus = pair()
        if cpus is None:
            raise RunError(f"{self.name} takes two CPUs, and this process may use only one")
        measured = Measured()
        with tempfile.TemporaryDirectory(prefix="amp-figures-") as scratch:
            runtimes = find(build, Path(scratch))
            for number in range(-WARM_UP_ROUNDS, rounds):
                note(f"{self.name}: {round_name(number, rounds)}")
                shift = number % len(WAYS)
                for length in LENGTHS:
                    # What is compared are neighbours, and none is always first.
                    for way in WAYS[shift:] + WAYS[:shift]:
                        run = way.run(build, runtimes, cpus, length.arguments, length.equal)
                        result = undisturbed(
                            lambda run=run: execute(run),
                            lambda one: one.disturbed,
                            repeat if number >= 0 else 0,
                        )
                        if number >= 0:
                            place = length, way
                            measured.found.setdefault(place, []).append(result.fields[MEASURE])
                            measured.disturbed.setdefault(place, []).append(result.disturbed)
        return measured

    def table(self, measured: Measured) -> tuple[str, bool]:
        """The table in Markdown, and whether all targets are met."""
        good = True
        columns = ["a region", *(way.name for way in WAYS), "target"]
        rows = []
        for length in LENGTHS:
            row = [length.name]
            for way in WAYS:
                text = f"{median(measured.found[length, way]):.3g}"
                if way.name != STATIC:
                    text += f" ({measured.ratio(length, way, WAYS[0]):.2f})"
                if measured.misses(length, way):
                    text, good = f"{text} MISSED", False
                steady = not unsteady(measured.ratios(length, way, WAYS[0]))
                row.append(text if steady else f"{text} {MARK}")
            target = f"{length.over_static:.2f}" if length.over_static else ""
            if length.over_alone:
                target += f", {1 / length.over_alone:.2f} of {ALONE}"
            rows.append([*row, target])
        rounds = len(next(iter(measured.found.values())))
        facts = (
            "2 threads on two cores, of which one does all work twice; microseconds a region, in "
            "parentheses how many times faster than static; calls and turns have so many ids a "
            f"core, and calls the target; medians of {rounds} rounds, {MARK}: they differ by more "
            "than the ratio shows, and by more than 5 %."
        )
        lines = report.aligned([columns, *rows], len(columns))
        heading = f"## {self.name}: {self.title}"
        return "\n".join([heading, "", facts, "", *lines, ""]), good

    def every_value(self, measured: Measured) -> Iterator[tuple]:
        """The rows for report.append_csv."""
        for (length, way), values in measured.found.items():
            findings = measured.disturbed[length, way]
            for number, (value, finding) in enumerate(zip(values, findings, strict=True), 1):
                yield self.name, number, f"{length.name}: {way.name}", MEASURE, value, finding


FIGURES = (RegionsFigure("regions", "folded teams by the length of a region"),)
