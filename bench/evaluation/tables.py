# SPDX-License-Identifier: GPL-3.0-or-later
"""The Markdown of a report."""

from collections.abc import Mapping
from statistics import fmean, median

from harness.disturbance import DRIFT, MARK, unsteady
from harness.report import aligned
from harness.runtimes import VIRTUAL

from .results import STATIC, UPSTREAM_TASKS, Cell, Column, Machine
from .scaling import MEAN, Scaling
from .stats import geometric_mean, median_interval
from .summary import AID_OVER, BEHIND, TASKS_OVER, Gain, gains, losses, shares


def _table(rows: list[list[str]]) -> str:
    return "\n".join(aligned(rows, len(rows[0])))


def _nothing(machine: Machine, program: str, column: Column) -> str:
    """What stands where there is no number."""
    return "failed" if (program, column) in machine.failures else "-"


def _base_ratios(cell: Cell, base: Cell) -> list[float]:
    """How many times faster than the base a cell is, by round."""
    return [] if cell is base else cell.ratios(base)


def _unsteady(machine: Machine, program: str, column: Column) -> bool:
    """Whether the runs of a cell say less than its number."""
    cell = machine.cells.get((program, column))
    base = machine.cells.get((program, machine.base))
    return bool(cell and base) and unsteady(_base_ratios(cell, base))


def _mark(machine: Machine, program: str, column: Column) -> str:
    """What stands behind a number of which the rounds differ by more than it shows."""
    return f" {MARK}" if _unsteady(machine, program, column) else ""


def disturbances(machine: Machine) -> str:
    """What the mark means, and how many runs were disturbed; nothing if there is neither."""
    cells = machine.cells.values()
    unsteady_cells = sum(_unsteady(machine, *place) for place in machine.cells)
    marked = [text for cell in cells for text in cell.disturbed]
    parts = []
    if unsteady_cells:
        parts.append(
            f"{MARK}: the rounds' ratios to the base differ by more than {100 * DRIFT:.0f} % and "
            f"by more than the median shows, in {unsteady_cells} of {len(cells)} cells."
        )
    if marked:
        parts.append(
            f"{len(marked)} of {sum(len(cell.rows) for cell in cells)} runs were disturbed, by the "
            "host, by other programs or by a CPU that changed its speed; the CSV's column "
            f"`disturbed` says which, and by what. One of them: {marked[0]}."
        )
    return " ".join(parts)


def _distinct(machine: Machine, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in machine.rows if row[column]))


def facts(machine: Machine) -> str:
    """What has to be known to read the numbers, in a paragraph."""
    libraries = dict.fromkeys(
        f"{row['runtime']} {row['library']} ({row['library_sha256']})" for row in machine.rows
    )
    rounds = [len(cell.rows) for cell in machine.cells.values()] or [0]
    counted = f"{min(rounds)} to {max(rounds)}" if min(rounds) < max(rounds) else f"{rounds[0]}"
    words = [
        machine.emulation,
        f"threads: {', '.join(_distinct(machine, 'threads'))}",
        f"pinned to {' or '.join(_distinct(machine, 'pinning'))}",
        f"rounds: {counted}",
        f"CPU: {', '.join(_distinct(machine, 'cpu'))}",
        f"Linux {', '.join(_distinct(machine, 'kernel'))}",
    ]
    if reached := _distinct(machine, "reached"):
        words.append(f"slowed CPUs, and how many times: {'; '.join(reached)}")
    words.append(f"libraries: {'; '.join(libraries)}")
    words.append(f"settings: {'; '.join(_distinct(machine, 'settings'))}")
    words.append(f"programs: {'; '.join(machine.programs)}")
    handed = {row["program"] for row in machine.rows if row["handovers"] not in ("", "0")}
    if handed:
        words.append(f"with handovers, hence less exact: {', '.join(sorted(handed))}")
    return ". ".join(words) + "."


def instruments(machines: list[Machine]) -> str:
    """Which counters there were, and whether there was energy; for all machines at once."""
    counters = dict.fromkeys(name for one in machines for name in _distinct(one, "counters"))
    sources = {
        "modelled" if all(cell == VIRTUAL for cell in _distinct(one, "runtime")) else "measured"
        for one in machines
        if _distinct(one, "energy_j")
    }
    said = " and ".join(sorted(sources)) or "n/a, no counter of energy could be read"
    return f"Counters in the CSV: {'; '.join(counters) or 'none'}. Energy: {said}."


def performance(machine: Machine) -> str:
    """Performance relative to the base, with the share of the bound, and means, medians and the
    least of both at the end."""
    base = machine.base
    columns = machine.columns
    rows = [["program", *(machine.title(column) for column in columns)]]
    for program in machine.programs:
        row = [machine.short(program)]
        for column in columns:
            speed, share = machine.speed(program, column, base), machine.share(program, column)
            text = _nothing(machine, program, column)
            if speed is not None:
                text = f"{speed:.2f}" + (f" ({100 * share:.0f} %)" if share else "")
                text += _mark(machine, program, column)
            row.append(text)
        rows.append(row)
    for name, of in {MEAN: geometric_mean, "mean": fmean, "median": median, "least": min}.items():
        row = [name]
        for column in columns:
            speeds, known = list(machine.speeds(column, base).values()), shares(machine, column)
            text = f"{of(speeds):.2f}" if speeds else "-"
            text += f" ({100 * of(known):.0f} %)" if known else ""
            row.append(text)
        rows.append(row)
    return _table(rows)


def times(machine: Machine) -> str:
    """Median times with their intervals, and which schedule was the best of several."""
    rows = [["program", *(machine.title(column) for column in machine.columns)]]
    for program in machine.programs:
        row = [machine.short(program)]
        for column in machine.columns:
            cell = machine.cells.get((program, column))
            if cell is None:
                row.append(_nothing(machine, program, column))
                continue
            low, high = median_interval(cell.seconds)
            text = f"{median(cell.seconds):.4g} [{low:.4g}, {high:.4g}]"
            text += _mark(machine, program, column)
            row.append(text + (f" {cell.schedule}" if " best of " in column.label else ""))
        rows.append(row)
    return _table(rows)


def _percent(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _gain(machine: Machine, found: Gain | None) -> list[str]:
    if found is None:
        return ["-"] * 3
    least = f"{_percent(found.least)} ({machine.short(found.least_program)})"
    return [_percent(found.mean), _percent(found.geometric), least]


def gain_table(machine: Machine, tasks: bool = False) -> str:
    """What the AID schedules gain, or tasks, in the mean, in the geometric mean, and at least."""
    over = [machine.baseline(label) for label in (TASKS_OVER if tasks else AID_OVER)]
    head = ["schedule"]
    for base in filter(None, over):
        head += [f"over {machine.label(base)}: mean", "geometric mean", "least"]
    rows = [head]
    for column, each in gains(machine, tasks).items():
        row = [machine.title(column)]
        for known, found in zip(over, each, strict=True):
            row += _gain(machine, found) if known else []
        rows.append(row)
    return _table(rows)


def energy_table(machine: Machine) -> str:
    """Energy and energy-delay products relative to the base; nothing where none was measured."""
    base = machine.base
    rows = [["schedule", "energy", "energy x delay"]]
    for column in machine.columns:
        means = []
        for name in ("energy_j", "edp_js"):
            ratios = [
                cell.ratio(machine.cells[program, base], name)
                for (program, one), cell in machine.cells.items()
                if one == column and (program, base) in machine.cells
            ]
            known = [1 / ratio for ratio in ratios if ratio]
            means.append(f"{geometric_mean(known):.3f}" if known else "-")
        rows.append([machine.title(column), *means])
    return _table(rows) if any("-" not in row for row in rows[1:]) else ""


def loss_list(machine: Machine, tasks: bool = False) -> str:
    """The programs whose best AID schedule is behind, or whose tasks are in our mode, each in a
    line."""
    found = losses(machine, tasks=tasks)
    own = "fifo mode of tasks" if tasks else "best AID schedule"
    limit = f"more than {100 * BEHIND:.0f} % behind the best of the others"
    if not found:
        return f"No program's {own} is {limit}."
    lines = [f"Programs whose {own} is {limit}, in the median of the rounds:", ""]
    for loss in found:
        best_own, other = machine.title(loss.best_own), machine.title(loss.best_other)
        name = machine.short(loss.program)
        lines.append(
            f"- {name}: {best_own} {100 * loss.behind:.1f} % behind {other} "
            f"({100 * loss.least:.1f} to {100 * loss.most:.1f} % by round)"
        )
    return "\n".join(lines)


def _comparison(machine: Machine, chart: str | None) -> list[str]:
    """All that is compared with one column: of a machine, or of one of its parts."""
    loops = any(not column.tasks for column in machine.columns)
    if machine.base is None:
        wanted = STATIC if loops else UPSTREAM_TASKS
        return [f"There is no `{wanted}`, so that nothing can be compared with it."]
    base = machine.label(machine.base)
    found = []
    if chart:
        found.append(f"![Performance relative to {base} on {machine.name}]({chart})")
    text = (
        f"Performance relative to {base}, more being better: medians of the rounds' ratios; "
        "in parentheses the share of the program's own bound (its serial parts on a fast core, "
        "its parallel regions spread over all), where that is known."
    )
    if not loops:
        text = f"Programs that were run with tasks only, by themselves. {text}"
    elif any(column.tasks for column in machine.columns):
        text += f" Tasks too are compared with {base} of the same program, and with its bound."
    found += [text, performance(machine)]
    if gains(machine):
        found += ["What the AID schedules gain:", gain_table(machine), loss_list(machine)]
    if gains(machine, tasks=True):
        found += ["What tasks gain:", gain_table(machine, tasks=True)]
        if any(column.tasks and column.is_ours for column in machine.columns):
            found.append(loss_list(machine, tasks=True))
    if energy := energy_table(machine):
        found += [f"Energy relative to {base}, geometric means:", energy]
    return found


def machine_section(machine: Machine, charts: Mapping[str, str]) -> str:
    """All about one machine; charts are those of its parts, by their names."""
    parts = [f"## {machine.name}", facts(machine)]
    for part in machine.parts:
        parts += _comparison(part, charts.get(part.name))
    parts += [
        "Seconds: medians and their 95 % confidence intervals "
        "(of fewer than six rounds the range).",
        times(machine),
    ]
    if marks := disturbances(machine):
        parts.append(marks)
    if machine.failures:
        failures = "\n".join(f"- {failure}" for failure in machine.failures.values())
        parts += ["FAILED, and without a number:", failures]
    return "\n\n".join(parts)


def scaling_section(found: Scaling, reference: str, chart: str | None) -> str:
    """Speedups over one core by machine, in the geometric mean over the programs."""
    rows = [["machine", "ideal", *map(found.label, found.columns)]]
    for name in found.machines:
        values = [found.speedups.get((MEAN, column, name)) for column in found.columns]
        cells = ["-" if value is None else f"{value:.2f}" for value in values]
        rows.append([name, f"{found.ideal[name]:.2f}", *cells])
    parts = [f"## Speedup over {reference}"]
    if chart:
        parts.append(f"![Speedup over {reference} by machine]({chart})")
    parts += ["Geometric means over the programs; ideal is what all cores add up to.", _table(rows)]
    return "\n\n".join(parts)
