# SPDX-License-Identifier: GPL-3.0-or-later
"""The conclusions from a machine's results: means, gains, and where what is ours loses."""

from dataclasses import dataclass
from statistics import fmean, geometric_mean, median

from .results import DYNAMIC, STATIC, UPSTREAM_TASKS, Column, Results

BEHIND = 0.02
# What the AID schedules are compared with, and what tasks are.
AID_OVER = (STATIC, DYNAMIC)
TASKS_OVER = (STATIC, UPSTREAM_TASKS)


@dataclass(frozen=True)
class Gain:
    """What a column gains over another one: 0.1 is a tenth faster."""

    mean: float
    geometric: float
    least: float
    least_program: str


def gain(machine: Results, column: Column, over: Column | None) -> Gain | None:
    speeds = machine.speeds(column, over)
    if not speeds:
        return None
    worst = min(speeds, key=speeds.get)
    values = list(speeds.values())
    return Gain(fmean(values) - 1, geometric_mean(values) - 1, speeds[worst] - 1, worst)


def gains(machine: Results, tasks: bool = False) -> dict[Column, list[Gain | None]]:
    """Of each AID schedule over static(BS) and over dynamic(BS); or of tasks, over static(BS) and
    over upstream's tasks."""
    over = [machine.baseline(label) for label in (TASKS_OVER if tasks else AID_OVER)]
    found = {
        column: [gain(machine, column, one) if one != column else None for one in over]
        for column in machine.columns
        if (column.tasks if tasks else column.is_aid)
    }
    return {column: each for column, each in found.items() if any(each)}


@dataclass(frozen=True)
class Loss:
    """A program that some other schedule makes faster than the best of our own does: in the median
    of the rounds, and in the rounds where it is least and most behind."""

    program: str
    best_own: Column
    best_other: Column
    behind: float
    least: float
    most: float


def losses(machine: Results, limit: float = BEHIND, tasks: bool = False) -> list[Loss]:
    """The programs whose best AID schedule is further behind than the limit, the worst first; or
    whose tasks are that much slower in our own mode than in another one."""
    found = []
    columns = [column for column in machine.columns if column.tasks or not tasks]
    for program in machine.programs:
        speeds = {column: machine.speed(program, column, machine.base) for column in columns}
        known = {column: speed for column, speed in speeds.items() if speed is not None}
        own = [column for column in known if (column.is_ours if tasks else column.is_aid)]
        others = [column for column in known if column not in own]
        if not own or not others:
            continue
        best_own, best_other = max(own, key=known.get), max(others, key=known.get)
        behind = [
            ratio - 1
            for ratio in machine.cells[program, best_other].ratios(machine.cells[program, best_own])
        ]
        if behind and median(behind) > limit:
            spread = median(behind), min(behind), max(behind)
            found.append(Loss(program, best_own, best_other, *spread))
    return sorted(found, key=lambda loss: -loss.behind)


def shares(machine: Results, column: Column) -> list[float]:
    """The shares of the bound of the programs of which they are known."""
    found = (machine.share(program, column) for program in machine.programs)
    return [share for share in found if share]
