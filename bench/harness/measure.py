# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring a figure: all its cases in turn, round after round, and what follows from the times."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .disturbance import REPEAT, Finding, Marks, undisturbed
from .figure import FAST_ONLY, Case, Figure, Kind, Target
from .machine import Machine
from .runs import Result, Run, execute, program
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
    """One measurement of all: values by a case's label, and single-thread seconds by class;
    disturbed are the findings of the cases, and of the single threads under single_label."""

    values: dict[str, float]
    singles: tuple[float, ...] = ()
    disturbed: dict[str, Finding] = field(default_factory=dict)


@dataclass(frozen=True)
class Measurement:
    """The rounds of a figure that count; sf is the offline speedup factor, if one was given;
    missing is what some cases need and the machine has not got."""

    figure: Figure
    machine: Machine
    rounds: tuple[Round, ...]
    missing: tuple[str, ...] = ()
    sf: float | None = None

    @property
    def cases(self) -> tuple[Case, ...]:
        return tuple(case for case in self.figure.cases if not case.needs & set(self.missing))

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

    def marks(self) -> Marks:
        """What disturbed the rounds, by case."""
        marks = Marks()
        for one in self.rounds:
            for label, finding in one.disturbed.items():
                marks.add(label, finding)
        return marks

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


def single_label(cpu: int) -> str:
    """What a run of one thread on that CPU is called."""
    return f"1 thread on CPU {cpu}"


class Session:
    """What the runs of one process of bench/figures share."""

    def __init__(
        self,
        build: Path,
        runtimes: dict[str, Runtime],
        machine: Machine,
        note: Callable[[str], None],
        repeat: int = REPEAT,
    ):
        self.repeat = repeat
        self.build = build
        self.runtimes = runtimes
        self.machine = machine
        self.note = note

    def measure(self, figure: Figure, rounds: int) -> Measurement:
        """Warm up and measure; RunError as soon as a run is not right."""
        missing = {case.runtime for case in figure.cases} - self.runtimes.keys()
        # On a machine of one class all cores are the fast ones.
        without = missing if len(self.machine.classes) > 1 else missing | {FAST_ONLY}
        cases = [case for case in figure.cases if not case.needs & without]
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
            times = [self._singles(figure)[0] for _ in range(3)]
            singles = tuple(median(column) for column in zip(*times))
            environment["GOMP_AID_SF"] = offline_sf(singles)
            sf = singles[-1] / singles[0]

        kept = []
        for number in range(-WARM_UP_ROUNDS, rounds):
            self.note(f"{figure.name}: {round_name(number, rounds)}")
            # Rounds that do not count are not repeated.
            repeat = self.repeat if number >= 0 else 0
            singles, disturbed = self._singles(figure, repeat) if figure.bound else ((), {})
            # No case is always first: what a run leaves behind, such as heat, falls on everyone.
            shift = number % len(cases)
            values = {}
            for case in cases[shift:] + cases[:shift]:
                result = self._run(figure, case, environment, singles, repeat)
                values[case.label] = result.fields[figure.measure]
                disturbed[case.label] = result.disturbed
            if number >= 0:
                kept.append(Round(values, singles, disturbed))
        return Measurement(figure, self.machine, tuple(kept), tuple(sorted(without)), sf)

    def _execute(self, run: Run, repeat: int) -> Result:
        return undisturbed(lambda: execute(run), lambda result: result.disturbed, repeat)

    def _singles(
        self, figure: Figure, repeat: int = 0
    ) -> tuple[tuple[float, ...], dict[str, Finding]]:
        command = (str(program(self.build, figure.program)), *figure.arguments)
        runtime = self.runtimes[STOCK]
        values, disturbed = [], {}
        for members in self.machine.classes:
            result = self._execute(Run(command, runtime, members[:1], "static"), repeat)
            values.append(result.fields[figure.measure])
            disturbed[single_label(members[0])] = result.disturbed
        return tuple(values), disturbed

    def _run(
        self,
        figure: Figure,
        case: Case,
        environment: dict[str, str],
        singles: tuple[float, ...],
        repeat: int,
    ) -> Result:
        path = program(self.build, case.program or figure.program)
        command = (str(path), *figure.arguments, *case.arguments)
        if case.runtime == VIRTUAL:
            emulator = (str(self.build / "bin" / "amp-emu"), "virtual")
            options = ("--quiet", "--removal-ns", str(REMOVAL_NS), "--")
            command = (*emulator, virtual_machine(singles, self.machine), *options, *command)
        ours = tuple(environment.items()) if case.runtime == OURS else ()
        cpus = self.machine.classes[0] if case.fast_only else self.machine.cpus
        run = Run(
            command,
            self.runtimes[case.runtime],
            cpus,
            case.schedule,
            threads=len(cpus) * figure.crowding if figure.crowding > 1 else None,
            environment=ours,
        )
        return self._execute(run, repeat)
