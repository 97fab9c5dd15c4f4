# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring a figure: all its cases in turn, round after round, and what follows from the times."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .figure import Case, Figure, Kind, Target
from .machine import Machine
from .runs import Run, execute, program
from .runtimes import OURS, STOCK, VIRTUAL, Runtime

WARM_UP_ROUNDS = 1
# Times closer than this are not in any order.
TIE = 0.02
# What a removal costs in virtual time; of no account in programs with few of them.
REMOVAL_NS = 100


def round_name(number: int, rounds: int) -> str:
    """What to call a round while it is measured; numbers below 0 are rounds that do not count."""
    return "warm-up" if number < 0 else f"round {number + 1} of {rounds}"


@dataclass(frozen=True)
class Round:
    """One measurement of all: values by a case's label, and single-thread seconds by class."""

    values: dict[str, float]
    singles: tuple[float, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """The rounds of a figure that count; sf is the offline speedup factor, if one was given."""

    figure: Figure
    machine: Machine
    rounds: tuple[Round, ...]
    missing: tuple[str, ...] = ()
    sf: float | None = None

    @property
    def cases(self) -> tuple[Case, ...]:
        return tuple(case for case in self.figure.cases if case.runtime not in self.missing)

    def value(self, label: str) -> float:
        return median(one.values[label] for one in self.rounds)

    def ratio(self, label: str, other: str) -> float:
        """How many times other a case takes: the median of the rounds' ratios, for a round's runs
        are neighbours in time and a host's load drifts."""
        return median(one.values[label] / one.values[other] for one in self.rounds)

    def share(self, label: str) -> float:
        """The share of the capacity bound that a case reaches, likewise by rounds."""
        return median(
            capacity_bound(one.singles, self.machine) / one.values[label] for one in self.rounds
        )

    def reached(self, label: str, target: Target) -> float:
        """The quantity that the target limits."""
        if target.kind is Kind.SHARE_AT_LEAST:
            return self.share(label)
        if target.kind in (Kind.RATIO_AT_MOST, Kind.RATIO_WITHIN, Kind.RATIO):
            return self.ratio(label, target.other)
        return self.value(label)

    def meets(self, label: str, target: Target) -> bool:
        reached = self.reached(label, target)
        if target.kind is Kind.SHARE_AT_LEAST:
            return reached >= target.limit
        if target.kind is Kind.RATIO_WITHIN:
            return abs(reached - 1) <= target.limit
        return reached <= target.limit

    def misplaced(self) -> list[tuple[str, str]]:
        """Pairs of schedules of which the first is clearly faster under the first of the figure's
        same_order, and as clearly slower under the second one."""
        if self.figure.same_order is None:
            return []
        first, second = (
            {case.schedule: self.value(case.label) for case in self.cases if case.runtime == name}
            for name in self.figure.same_order
        )
        return [
            (one, other)
            for one in first
            for other in first
            if first[one] < (1 - TIE) * first[other] and second[other] < (1 - TIE) * second[one]
        ]


def capacity_bound(singles: tuple[float, ...], machine: Machine) -> float:
    """The least time in which all cores together can do the work: 1 / sum over cores of
    1 / (time of the program with one thread on that core). singles has one time a class."""
    return 1 / sum(
        len(members) / seconds for members, seconds in zip(machine.classes, singles, strict=True)
    )


def virtual_machine(singles: tuple[float, ...], machine: Machine) -> str:
    """The machine for amp-emu virtual whose classes are as fast as the times say."""
    slowest = max(singles)
    return "+".join(
        f"{len(members)}x{slowest / seconds:.4f}"
        for members, seconds in zip(machine.classes, singles, strict=True)
    )


def offline_sf(singles: tuple[float, ...]) -> str:
    """GOMP_AID_SF for those times: class 0 is the slowest, which comes last in singles."""
    slowest = singles[-1]
    pairs = enumerate(slowest / seconds for seconds in reversed(singles))
    return ",".join(f"{number}:{max(factor, 1):.3f}" for number, factor in pairs)


class Session:
    """What the runs of one process of bench/figures share."""

    def __init__(
        self,
        build: Path,
        runtimes: dict[str, Runtime],
        machine: Machine,
        note: Callable[[str], None],
    ):
        self.build = build
        self.runtimes = runtimes
        self.machine = machine
        self.note = note

    def measure(self, figure: Figure, rounds: int) -> Measurement:
        """Warm up and measure; RunError as soon as a run is not right."""
        missing = {case.runtime for case in figure.cases} - self.runtimes.keys()
        cases = [case for case in figure.cases if case.runtime not in missing]
        environment = dict(figure.environment)
        if self.machine.topology:
            environment["GOMP_AMP_TOPOLOGY"] = self.machine.topology
        elif figure.two_classes:
            first, *others = self.machine.cpus
            slower = ",".join(f"{cpu}=512" for cpu in others)
            environment["GOMP_AMP_TOPOLOGY"] = f"{first}=1024,{slower}"
        sf = None
        if figure.offline_sf:
            self.note(f"{figure.name}: one thread on a core of each class, for the offline SF")
            times = [self._singles(figure) for _ in range(3)]
            singles = tuple(median(column) for column in zip(*times))
            environment["GOMP_AID_SF"] = offline_sf(singles)
            sf = singles[-1] / singles[0]

        kept = []
        for number in range(-WARM_UP_ROUNDS, rounds):
            self.note(f"{figure.name}: {round_name(number, rounds)}")
            singles = self._singles(figure) if figure.bound else ()
            # Nobody is always first: what a run leaves behind, such as heat, falls on everyone.
            shift = number % len(cases)
            values = {
                case.label: self._run(figure, case, environment, singles)
                for case in cases[shift:] + cases[:shift]
            }
            if number >= 0:
                kept.append(Round(values, singles))
        return Measurement(figure, self.machine, tuple(kept), tuple(sorted(missing)), sf)

    def _singles(self, figure: Figure) -> tuple[float, ...]:
        command = (str(program(self.build, figure.program)), *figure.arguments)
        runtime = self.runtimes[STOCK]
        return tuple(
            execute(Run(command, runtime, members[:1], "static")).fields[figure.measure]
            for members in self.machine.classes
        )

    def _run(
        self,
        figure: Figure,
        case: Case,
        environment: dict[str, str],
        singles: tuple[float, ...],
    ) -> float:
        path = program(self.build, case.program or figure.program)
        command = (str(path), *figure.arguments, *case.arguments)
        if case.runtime == VIRTUAL:
            emulator = (str(self.build / "bin" / "amp-emu"), "virtual")
            options = ("--quiet", "--removal-ns", str(REMOVAL_NS), "--")
            command = (*emulator, virtual_machine(singles, self.machine), *options, *command)
        ours = tuple(environment.items()) if case.runtime == OURS else ()
        cpus = self.machine.cpus
        run = Run(
            command,
            self.runtimes[case.runtime],
            cpus,
            case.schedule,
            threads=len(cpus) * figure.crowding if figure.crowding > 1 else None,
            environment=ours,
        )
        return execute(run).fields[figure.measure]
