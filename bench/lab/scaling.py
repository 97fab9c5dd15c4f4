# SPDX-License-Identifier: GPL-3.0-or-later
"""Speedups over one core of several machines that differ in their cores, beside the ideal ones."""

from dataclasses import dataclass
from statistics import geometric_mean, median

from .results import Column, Results
from .specs import parse_classes

MEAN = "geometric mean"


@dataclass(frozen=True)
class Scaling:
    """Speedups by program, column and machine; ideal by machine."""

    machines: list[str]
    columns: list[Column]
    ideal: dict[str, float]
    speedups: dict[tuple[str, Column, str], float]

    @property
    def programs(self) -> list[str]:
        return list(dict.fromkeys(program for program, _, _ in self.speedups))

    def label(self, column: Column) -> str:
        return column.among(self.columns)


def _classes(machine: Results) -> tuple[tuple[int, float], ...]:
    return parse_classes(machine.emulation.partition(" ")[2])


def scaling(machines: list[Results], reference: Results) -> Scaling:
    """The speedups over the reference, a machine on which programs ran with one thread on a core
    of its slowest class; of the machines that are emulated in the same way."""
    kind = reference.emulation.partition(" ")[0]
    machines = [one for one in machines if one.emulation.partition(" ")[0] == kind]
    slowest = _classes(reference)[-1][1]
    alone = {
        program: median(cell.values)
        for part in reference.parts
        for (program, column), cell in part.cells.items()
        if part.base and column.label == part.base.label
    }
    speedups: dict[tuple[str, Column, str], float] = {}
    columns: dict[Column, None] = {}
    ideal = {}
    for machine in machines:
        ideal[machine.name] = sum(count * speed for count, speed in _classes(machine)) / slowest
        for column in machine.columns:
            columns[column] = None
            found = {
                program: alone[program] / median(cell.values)
                for (program, cell_column), cell in machine.cells.items()
                if cell_column == column and program in alone
            }
            for program, value in found.items():
                speedups[program, column, machine.name] = value
            if found:
                speedups[MEAN, column, machine.name] = geometric_mean(list(found.values()))
    return Scaling([machine.name for machine in machines], list(columns), ideal, speedups)
