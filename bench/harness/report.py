# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of measurements: Markdown for people, CSV with every single value for everything else."""

import csv
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from .disturbance import NOTHING, WIDTH
from .figure import FAST_ONLY, Figure, Kind, Target
from .measure import Measurement, capacity_bound, single_label

_UNITS = {"seconds": "seconds", "ns_per_loop": "ns a loop", "ns_per_iteration": "ns an iteration"}

CSV_HEADER = ("figure", "round", "case", "measure", "value", "disturbed")


def _target_text(target: Target, unit: str) -> str:
    if target.kind is Kind.SHARE_AT_LEAST:
        return f"at least {100 * target.limit:.0f} % of the bound"
    if target.kind is Kind.RATIO_WITHIN:
        return f"within {100 * target.limit:.0f} % of {target.other}"
    if target.kind is Kind.RATIO_AT_MOST:
        return f"at most {target.limit:g} x {target.other}"
    if target.kind is Kind.RATIO:
        return f"none; against {target.other}"
    return f"at most {target.limit:g} {unit}"


def _reached_text(target: Target, reached: float) -> str:
    if target.kind is Kind.SHARE_AT_LEAST:
        return f"{100 * reached:.1f} %"
    if target.kind in (Kind.RATIO_AT_MOST, Kind.RATIO_WITHIN, Kind.RATIO):
        return f"{reached:.3f} x"
    return f"{reached:.1f}"


def _columns(figure: Figure) -> list[str]:
    columns = ["schedule", _UNITS[figure.measure]]
    if figure.baseline:
        columns.append("speedup")
    if figure.bound:
        columns.append("share of the bound")
    if any(case.target for case in figure.cases):
        columns += ["target", "reached", "met"]
    return columns


def _rows(measured: Measurement) -> list[list[str]]:
    figure = measured.figure
    unit = _UNITS[figure.measure]
    marks = measured.marks()
    rows = []
    for case in measured.cases:
        value = measured.value(case.label)
        text = f"{value:.3f}" if figure.measure == "seconds" else f"{value:.1f}"
        row = [case.label, text + marks.mark(case.label)]
        if figure.baseline:
            row.append(f"{1 / measured.ratio(case.label, figure.baseline):.2f}")
        if figure.bound:
            row.append(f"{100 * measured.share(case.label):.1f} %")
        if case.target:
            row.append(_target_text(case.target, unit))
            row.append(_reached_text(case.target, measured.reached(case.label, case.target)))
            row.append("yes" if measured.meets(case.label, case.target) else "NO")
        rows.append(row)
    return rows


def aligned(rows: list[list[str]], columns: int) -> list[str]:
    """The rows of a Markdown table, padded so that they read well as plain text too."""
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(columns)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return lines


def table(measured: Measurement) -> str:
    """The table of a measurement, with its heading and what has to be known to read it."""
    figure, machine = measured.figure, measured.machine
    columns = _columns(figure)
    facts = [
        f"{len(machine.cpus) * figure.crowding} threads",
        machine.description,
        f"medians of {len(measured.rounds)} rounds",
    ]
    if figure.bound:
        singles = ", ".join(
            f"{sorted(one.singles[i] for one in measured.rounds)[len(measured.rounds) // 2]:.3f} s"
            for i in range(len(machine.classes))
        )
        bounds = sorted(capacity_bound(one.singles, machine) for one in measured.rounds)
        facts.append(f"one thread on a core of each class: {singles}")
        facts.append(f"capacity bound {bounds[len(bounds) // 2]:.3f} s")
    if figure.baseline:
        facts.append(f"speedups are over {figure.baseline}")
    if measured.sf is not None:
        facts.append(f"offline SF {measured.sf:.3f}")
    if runtimes := [name for name in measured.missing if name != FAST_ONLY]:
        facts.append(f"not installed here: {', '.join(runtimes)}")
    if figure.same_order:
        pairs = ", ".join(" before ".join(pair) for pair in measured.misplaced())
        names = " and ".join(figure.same_order)
        order = f"NOT {pairs}" if pairs else "same"
        facts.append(f"order of the schedules under {names}: {order}")
    lines = aligned([columns, *_rows(measured)], len(columns))
    return "\n".join(
        [
            f"## {figure.name}: {figure.title}",
            "",
            textwrap.fill("; ".join(facts) + ".", WIDTH),
            "",
            *lines,
            "",
            *measured.marks().note(len(measured.rounds)),
        ]
    )


def all_met(measured: Measurement) -> bool:
    targets = (measured.meets(case.label, case.target) for case in measured.cases if case.target)
    return all(targets) and not measured.misplaced()


def start_csv(path: Path) -> None:
    """Start a new CSV file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerow(CSV_HEADER)


def append_csv(path: Path, rows: Iterable[tuple]) -> None:
    """Add rows, with what CSV_HEADER names, to a CSV file."""
    with path.open("a", newline="") as file:
        csv.writer(file).writerows(rows)


def every_value(measured: Measurement) -> Iterator[tuple]:
    """The rows of a measurement for append_csv."""
    figure = measured.figure
    for number, one in enumerate(measured.rounds, 1):
        for members, seconds in zip(measured.machine.classes, one.singles):
            label = single_label(members[0])
            disturbed = one.disturbed.get(label, NOTHING)
            yield figure.name, number, label, figure.measure, seconds, disturbed
        for label, value in one.values.items():
            disturbed = one.disturbed.get(label, NOTHING)
            yield figure.name, number, label, figure.measure, value, disturbed
