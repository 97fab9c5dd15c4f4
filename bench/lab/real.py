# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of programs that others have compiled."""

from statistics import geometric_mean, median

from .disturbance import MARK, deciding
from .foreign import GROUPS, table
from .markdown import aligned
from .results import STATIC, Cell, Results

FOLDED = "folded"


class Programs:
    """The cells of a machine by program and label."""

    def __init__(self, machine: Results):
        self.machine = machine
        self.cells = {
            (program, column.label): one for (program, column), one in machine.cells.items()
        }
        present = {column.label for column in machine.columns}
        self.labels = [one.label for one in machine.matrix.schedules if one.label in present]

    def ratios(self, program: str, label: str) -> list[float]:
        """How many times faster than static, by round."""
        cell, base = self.cells.get((program, label)), self.cells.get((program, STATIC))
        return cell.ratios(base) if cell and base else []

    def speedup(self, program: str, label: str) -> float | None:
        ratios = self.ratios(program, label)
        return median(ratios) if ratios else None

    def fields(self, program: str, label: str, name: str) -> list[str]:
        """What the rounds of a cell have under a name."""
        cell = self.cells.get((program, label)) or Cell("")
        found = (
            dict(word.split("=", 1) for word in row["fields"].split()) for row in cell.rows.values()
        )
        return [one[name] for one in found if name in one]

    def count(self, program: str, name: str) -> str:
        """The median of what the folded runs counted."""
        found = [float(one) for one in self.fields(program, FOLDED, name)]
        return f"{median(found):.0f}" if found else "failed"

    def outputs(self, program: str) -> str:
        wrong = [one for one in self.labels if "0" in self.fields(program, one, "same")]
        return "yes" if not wrong else f"NO: {', '.join(wrong)}"


def _cell(value: float | None) -> str:
    return "failed" if value is None else f"{value:.2f}"


def _mean(values: list[float | None]) -> str:
    known = [value for value in values if value]
    return _cell(geometric_mean(known) if known else None)


def _table(found: Programs) -> list[str]:
    """By groups, and in each by what folding gains."""
    others = [one for one in found.labels if one != STATIC]
    rows = [["program", "static, s", *others, "same output", "switches", "early"]]
    groups = {one.name: one.group for one in table()}
    for group in GROUPS:
        members = [one for one in found.machine.programs if groups.get(one, GROUPS[0]) == group]
        members.sort(key=lambda name: -(found.speedup(name, FOLDED) or 0))
        for name in members:
            static = found.cells.get((name, STATIC))
            row = [name, _cell(median(static.values) if static else None)]
            for one in others:
                mark = f" {MARK}" if deciding(found.ratios(name, one)) is not None else ""
                row.append(_cell(found.speedup(name, one)) + mark)
            counts = [found.count(name, one) for one in ("switches", "early")]
            rows.append([*row, found.outputs(name), *counts])
        if members:
            means = [_mean([found.speedup(name, one) for name in members]) for one in others]
            rows.append([f"**{group}**", "", *means])
    everything = found.machine.programs
    means = [_mean([found.speedup(name, one) for name in everything]) for one in others]
    return aligned([*rows, ["**all**", "", *means]], len(rows[0]))


def tables(machine: Results) -> str:
    """The tables of one machine in Markdown."""
    return "\n".join(_table(Programs(machine)))
