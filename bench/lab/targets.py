# SPDX-License-Identifier: GPL-3.0-or-later
"""What the figures of a matrix promise, and what came of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from .matrix import Target
from .results import Column, Results


@dataclass(frozen=True)
class Reached:
    """A cell with a target: what is wanted, what was reached, and whether that is enough."""

    program: str
    column: Column
    wanted: str
    reached: str
    met: bool


def _times(
    target: Target, machine: Results, machines: Sequence[Results], program: str, column: Column
) -> tuple[str, float] | None:
    """What a cell is compared with, and how many times as long it takes."""
    own = machine.cells[program, column]
    if target.on:
        for other in machines:
            for (name, one), cell in other.cells.items():
                same = (name, one.label) == (program, column.label)
                if same and other.name == target.on:
                    return f"that on {target.on}", median(own.values) / median(cell.values)
        return None
    base = machine.called(target.of, column.runtime)
    cell = machine.cells.get((program, base)) if base else None
    ratio = cell.ratio(own) if cell else None
    return None if ratio is None else (machine.title(base), ratio)


def _reach(
    target: Target, machine: Results, machines: Sequence[Results], program: str, column: Column
) -> Reached | None:
    """None if something that it takes was not measured."""
    if target.share is not None:
        share = machine.share(program, column)
        if share is None:
            return None
        wanted = f"at least {100 * target.share:.0f} % of the bound"
        return Reached(program, column, wanted, f"{100 * share:.1f} %", share >= target.share)
    if target.at_most is not None:
        value = median(machine.cells[program, column].values)
        wanted, met = f"at most {target.at_most:g}", value <= target.at_most
        return Reached(program, column, wanted, f"{value:.1f}", met)
    compared = _times(target, machine, machines, program, column)
    if compared is None:
        return None
    other, times = compared
    if target.within is not None:
        wanted, met = f"within {100 * target.within:.0f} %", abs(times - 1) <= target.within
    else:
        wanted, met = f"at most {target.times:g} x", times <= target.times
    if target.times == 0:
        wanted, met = "none; against", True
    return Reached(program, column, f"{wanted} {other}", f"{times:.3f} x", met)


def reached(machine: Results, machines: Sequence[Results]) -> Iterator[Reached]:
    """Each cell that has a target, the first of the matrix's that is of it."""
    for program, column in machine.cells:
        for target in machine.matrix.targets if machine.matrix else ():
            if target.is_of(machine.name, program, column.label, column.runtime):
                found = _reach(target, machine, machines, program, column)
                if found:
                    yield found
                break
