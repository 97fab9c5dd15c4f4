# SPDX-License-Identifier: GPL-3.0-or-later
"""The charts of a report, drawn by matplotlib."""

from math import ceil
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from .results import STATIC, Column, Machine  # noqa: E402
from .scaling import MEAN, Scaling  # noqa: E402
from .stats import geometric_mean  # noqa: E402

_DPI = 130


def _colours(columns: list[Column]) -> list:
    """Greys for what there was before, strong colours for the AID schedules."""
    others = sum(not column.is_aid for column in columns)
    greys = iter(pyplot.cm.Greys(0.25 + 0.55 * i / max(others, 1)) for i in range(others))
    strong = iter(pyplot.cm.tab10(i % 10) for i in range(len(columns)))
    return [next(strong) if column.is_aid else next(greys) for column in columns]


def _bound(machine: Machine, program: str, base: Column) -> float | None:
    """How many times faster than static a program can be, by its own bound."""
    share = machine.share(program, base)
    return 1 / share if share else None


def performance(machine: Machine, path: Path) -> bool:
    """Bars by program and column, relative to static(BS), with geometric means at the end and a
    line at each program's bound; whether there was anything to draw."""
    base = machine.baseline(STATIC)
    columns = machine.columns
    programs = [one for one in machine.programs if (one, base) in machine.cells]
    if base is None or not programs:
        return False
    width = 0.85 / len(columns)
    figure, axes = pyplot.subplots(figsize=(max(7, 1.1 * len(programs) + 3), 4.2))
    for i, (column, colour) in enumerate(zip(columns, _colours(columns))):
        speeds = machine.speeds(column, base)
        at = [place + i * width for place, one in enumerate(programs) if one in speeds]
        heights = [speeds[one] for one in programs if one in speeds]
        if heights:
            at.append(len(programs) + 0.3 + i * width)
            heights.append(geometric_mean(heights))
        axes.bar(at, heights, width, color=colour, label=machine.title(column), align="edge")
    bounds = [_bound(machine, program, base) for program in programs]
    for place, value in enumerate(bounds):
        if value is not None:
            axes.hlines(value, place, place + 0.85, colors="black", linestyles="dotted", lw=1)
    if any(value is not None for value in bounds):
        axes.plot([], [], color="black", linestyle="dotted", label="bound")
    axes.axhline(1, color="black", lw=0.6)
    axes.set_xticks(
        [*(i + 0.42 for i in range(len(programs))), len(programs) + 0.72],
        [*map(machine.short, programs), "gmean"],
        rotation=40,
        ha="right",
    )
    axes.set_ylabel("performance relative to static(BS)")
    axes.set_title(machine.name)
    axes.legend(
        fontsize="small",
        ncols=min(5, len(columns)),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.28),
    )
    figure.savefig(path, dpi=_DPI, bbox_inches="tight")
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
            axes.plot(labels, numbers, "o-", ms=3, color=colour, label=column.label)
        axes.set_title(panel, fontsize="medium")
        axes.tick_params(axis="x", rotation=30)
        axes.set_ylim(bottom=0)
    for axes in list(grid.flat)[len(panels) :]:
        axes.remove()
    grid[0][0].set_ylabel("speedup over one slow core")
    grid[0][0].legend(fontsize="x-small")
    figure.tight_layout()
    figure.savefig(path, dpi=_DPI)
    pyplot.close(figure)
