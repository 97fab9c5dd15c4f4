# SPDX-License-Identifier: GPL-3.0-or-later
"""The conclusions from a machine's results: means, gains, and where the AID schedules lose."""

from dataclasses import dataclass
from statistics import fmean, median

from .results import DYNAMIC, STATIC, Column, Machine
from .stats import geometric_mean

BEHIND = 0.02


@dataclass(frozen=True)
class Gain:
    """What a column gains over another one: 0.1 is a tenth faster."""

    mean: float
    geometric: float
    least: float
    least_program: str


def gain(machine: Machine, column: Column, over: Column | None) -> Gain | None:
    speeds = machine.speeds(column, over)
    if not speeds:
        return None
    worst = min(speeds, key=speeds.get)
    values = list(speeds.values())
    return Gain(fmean(values) - 1, geometric_mean(values) - 1, speeds[worst] - 1, worst)


def gains(machine: Machine) -> dict[Column, tuple[Gain | None, Gain | None]]:
    """Of each AID schedule over static(BS) and over dynamic(BS)."""
    static, dynamic = machine.baseline(STATIC), machine.baseline(DYNAMIC)
    return {
        column: (gain(machine, column, static), gain(machine, column, dynamic))
        for column in machine.columns
        if column.is_aid
    }


@dataclass(frozen=True)
class Loss:
    """A program that some other schedule makes faster than the best AID schedule does: in the
    median of the rounds, and in the rounds where it is least and most behind."""

    program: str
    best_aid: Column
    best_other: Column
    behind: float
    least: float
    most: float


def losses(machine: Machine, limit: float = BEHIND) -> list[Loss]:
    """The programs whose best AID schedule is further behind than the limit, the worst first."""
    found = []
    static = machine.baseline(STATIC)
    for program in machine.programs:
        speeds = {column: machine.speed(program, column, static) for column in machine.columns}
        known = {column: speed for column, speed in speeds.items() if speed is not None}
        aid = [column for column in known if column.is_aid]
        others = [column for column in known if not column.is_aid]
        if not aid or not others:
            continue
        best_aid, best_other = max(aid, key=known.get), max(others, key=known.get)
        behind = [
            ratio - 1
            for ratio in machine.cells[program, best_other].ratios(machine.cells[program, best_aid])
        ]
        if behind and median(behind) > limit:
            spread = median(behind), min(behind), max(behind)
            found.append(Loss(program, best_aid, best_other, *spread))
    return sorted(found, key=lambda loss: -loss.behind)


def mean_share(machine: Machine, column: Column) -> float | None:
    """The geometric mean of the shares of the bound over all programs."""
    shares = [machine.share(program, column) for program in machine.programs]
    known = [share for share in shares if share]
    return geometric_mean(known) if known else None
