# SPDX-License-Identifier: GPL-3.0-or-later
"""The charts of a report, drawn by matplotlib."""

from math import ceil
from pathlib import Path
from statistics import geometric_mean

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from .results import Column, Results  # noqa: E402
from .scaling import MEAN, Scaling  # noqa: E402

# The same file for the same numbers.
pyplot.rcParams["svg.hashsalt"] = "amp"
# Letters as such, not as shapes.
pyplot.rcParams["svg.fonttype"] = "none"
_FORMAT = {"format": "svg", "bbox_inches": "tight", "metadata": {"Date": None}}
# Programs in a row of bars.
_ACROSS = 11


def _colours(columns: list[Column]) -> list:
    """Greys for what there was before, strong colours for what is ours."""
    others = sum(not (column.is_ours or column.is_folded) for column in columns)
    greys = iter(pyplot.cm.Greys(0.25 + 0.55 * i / max(others, 1)) for i in range(others))
    strong = iter(pyplot.cm.tab10(i % 10) for i in range(len(columns)))
    return [
        next(strong) if column.is_ours or column.is_folded else next(greys) for column in columns
    ]


def _bound(machine: Results, program: str, base: Column) -> float | None:
    """How many times faster than in the base a program can be, by its own bound."""
    share = machine.share(program, base)
    return 1 / share if share else None


def _legend_below(figure, handles, labels) -> None:
    figure.legend(
        list(handles),
        list(labels),
        fontsize="small",
        ncols=min(4 if figure.get_figwidth() < 8 else 6, len(labels)),
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
    )


def _bars(axes, machine: Results, base: Column, names: list[str], across: int) -> None:
    """A panel of bars by program and column, with room for so many programs; a line at each
    program's bound."""
    columns = machine.columns
    width = 0.85 / len(columns)
    for i, (column, colour) in enumerate(zip(columns, _colours(columns))):
        speeds = machine.speeds(column, base)
        if speeds:
            speeds[MEAN] = geometric_mean(list(speeds.values()))
        at = [place + i * width for place, name in enumerate(names) if name in speeds]
        heights = [speeds[name] for name in names if name in speeds]
        axes.bar(at, heights, width, color=colour, label=machine.title(column), align="edge")
    for place, name in enumerate(names):
        if bound := _bound(machine, name, base):
            axes.hlines(bound, place, place + 0.85, "black", "dotted", label="bound", lw=1)
    axes.axhline(1, color="black", lw=0.6)
    axes.set_xticks(
        [place + 0.42 for place in range(len(names))],
        [MEAN if name == MEAN else machine.short(name) for name in names],
        rotation=20,
        ha="right",
    )
    axes.set_xlim(-0.2, across + 0.05)


def performance(machine: Results, path: Path) -> bool:
    """Bars by program and column, relative to the base, with geometric means at the end, in as many
    rows as it takes; whether there was anything to draw."""
    base = machine.base
    programs = [one for one in machine.programs if (one, base) in machine.cells]
    if base is None or not programs:
        return False
    names = [*programs, MEAN]
    rows = [names[i : i + _ACROSS] for i in range(0, len(names), _ACROSS)]
    across = len(rows[0])
    figure, grid = pyplot.subplots(
        len(rows), figsize=(1 + across, 2.6 * len(rows) + 0.8), squeeze=False, sharey=True
    )
    for axes, row in zip(grid.flat, rows):
        _bars(axes, machine, base, row, across)
    middle = grid[len(rows) // 2][0]
    middle.set_ylabel(f"performance relative to {machine.label(base)}")
    known = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            known.setdefault(label, handle)
    figure.suptitle(machine.name)
    figure.tight_layout()
    _legend_below(figure, known.values(), known.keys())
    figure.savefig(path, **_FORMAT)
    pyplot.close(figure)
    return True


def scaling(found: Scaling, path: Path) -> None:
    """A panel for the geometric mean and one for each program: speedup by machine."""
    panels = [MEAN, *(program for program in found.programs if program != MEAN)]
    across = min(3, len(panels))
    down = ceil(len(panels) / across)
    figure, grid = pyplot.subplots(
        down, across, figsize=(4.2 * across, 3.1 * down), squeeze=False, sharex=True
    )
    labels = [name.removeprefix("virtual ") for name in found.machines]
    for axes, panel in zip(grid.flat, panels):
        ideal = [found.ideal[name] for name in found.machines]
        axes.plot(labels, ideal, "k--", lw=1, label="ideal")
        for column, colour in zip(found.columns, _colours(found.columns)):
            values = [found.speedups.get((panel, column, name)) for name in found.machines]
            numbers = [float("nan") if value is None else value for value in values]
            axes.plot(labels, numbers, "o-", ms=3, color=colour, label=found.label(column))
        axes.set_title(panel, fontsize="medium")
        axes.tick_params(axis="x", rotation=30)
        axes.set_ylim(bottom=0)
    for axes in list(grid.flat)[len(panels) :]:
        axes.remove()
    grid[0][0].set_ylabel("speedup over one slow core")
    figure.tight_layout()
    _legend_below(figure, *grid[0][0].get_legend_handles_labels())
    figure.savefig(path, **_FORMAT)
    pyplot.close(figure)
