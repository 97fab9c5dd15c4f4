# SPDX-License-Identifier: GPL-3.0-or-later
"""The Markdown of a report."""

from collections.abc import Mapping, Sequence
from statistics import fmean, geometric_mean, median

from . import real, record
from .disturbance import MARK, PRECISION
from .markdown import aligned
from .matrix import SECONDS
from .results import STATIC, UPSTREAM_TASKS, Cell, Column, Results
from .runtimes import VIRTUAL
from .scaling import MEAN, Scaling
from .stats import median_interval
from .summary import AID_OVER, BEHIND, TASKS_OVER, Gain, gains, losses, shares
from .targets import Reached, reached

UNITS = {
    SECONDS: "seconds",
    "ns_per_loop": "ns a loop",
    "ns_per_iteration": "ns an iteration",
    "us_per_region": "us a region",
}


def _table(rows: list[list[str]]) -> str:
    return "\n".join(aligned(rows, len(rows[0])))


def _nothing(machine: Results, program: str, column: Column) -> str:
    """What stands where there is no number."""
    return "failed" if (program, column) in machine.failures else "-"


def _mark(cell: Cell, base: Cell | None = None) -> str:
    """What stands behind a number that hangs on one round: behind its median, or that of how many
    times faster than the base it is."""
    return f" {MARK}" if cell.deciding(base) else ""


def disturbances(machine: Results) -> str:
    """What the mark means, and what disturbed marked cells; nothing if none is marked."""
    marked = []
    for (program, _), cell in machine.cells.items():
        base = machine.cells.get((program, machine.base))
        if row := cell.deciding() or (base and cell.deciding(base)):
            marked.append(row)
    if not marked:
        return ""
    text = (
        f"{MARK}: without the round that differs most, the number would be another one by more "
        f"than {100 * PRECISION:.0f} %: in {len(marked)} of {len(machine.cells)} cells."
    )
    if disturbed := [row["disturbed"] for row in marked if row["disturbed"]]:
        text += (
            f" {len(disturbed)} of these rounds were disturbed, by the host or by other programs; "
            f"the CSV's column `disturbed` says which, and by what. One of them: {disturbed[0]}."
        )
    return text


def _distinct(machine: Results, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in machine.rows if row[column]))


def facts(machine: Results) -> str:
    """What has to be known to read the numbers, in a paragraph."""
    libraries = dict.fromkeys(
        f"{row['runtime']} {row['library']} ({row['library_sha256']})" for row in machine.rows
    )
    words = [machine.emulation, f"threads: {', '.join(_distinct(machine, 'threads'))}"]
    if machine.counted:
        words.append("counted work, the same in every run on any machine")
    else:
        rounds = [len(cell.rows) for cell in machine.cells.values()] or [0]
        least, most = min(rounds), max(rounds)
        words += [
            f"pinned to {' or '.join(_distinct(machine, 'pinning'))}",
            f"rounds: {least} to {most}" if least < most else f"rounds: {least}",
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


def heading(machines: Sequence[Results]) -> str:
    """What matrices the report is of, and what their files say of it."""
    found = {one.matrix.name: one.matrix for one in machines if one.matrix}
    titles = (f"# {one.name}" + (f": {one.title}" if one.title else "") for one in found.values())
    notes = filter(None, (one.note.strip() for one in found.values()))
    return "\n\n".join([*(titles if found else ["# Evaluation"]), *notes])


def origin(machines: Sequence[Results], runs: str) -> str:
    """How the report was made, with which library of ours, and where its runs are."""
    names = " ".join(dict.fromkeys(one.matrix.name for one in machines if one.matrix))
    library = record.libraries([row for machine in machines for row in machine.rows])
    return f"`bench/run {names}`, with {library or 'no library of ours'}; [all runs]({runs})."


def instruments(machines: Sequence[Results]) -> str:
    """Which counters there were, and whether there was energy; for all machines at once."""
    counters = dict.fromkeys(name for one in machines for name in _distinct(one, "counters"))
    sources = {
        "modelled" if all(cell == VIRTUAL for cell in _distinct(one, "runtime")) else "measured"
        for one in machines
        if _distinct(one, "energy_j")
    }
    said = " and ".join(sorted(sources)) or "n/a, no counter of energy could be read"
    return f"Counters in the CSV: {'; '.join(counters) or 'none'}. Energy: {said}."


def performance(machine: Results) -> str:
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
                text += _mark(machine.cells[program, column], machine.cells[program, base])
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


def times(machine: Results) -> str:
    """Median times with their intervals, and which schedule was the best of several."""
    rows = [["program", *(machine.title(column) for column in machine.columns)]]
    for program in machine.programs:
        row = [machine.short(program)]
        for column in machine.columns:
            cell = machine.cells.get((program, column))
            if cell is None:
                row.append(_nothing(machine, program, column))
                continue
            text = f"{median(cell.values):.4g}"
            if not machine.counted:
                low, high = median_interval(cell.values)
                text += f" [{low:.4g}, {high:.4g}]"
            text += _mark(cell)
            row.append(text + (f" {cell.schedule}" if " best of " in column.label else ""))
        rows.append(row)
    return _table(rows)


def _percent(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _gain(machine: Results, found: Gain | None) -> list[str]:
    if found is None:
        return ["-"] * 3
    least = f"{_percent(found.least)} ({machine.short(found.least_program)})"
    return [_percent(found.mean), _percent(found.geometric), least]


def gain_table(machine: Results, tasks: bool = False) -> str:
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


def energy_table(machine: Results) -> str:
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


def loss_list(machine: Results, tasks: bool = False) -> str:
    """The programs whose best AID schedule is behind, or whose tasks are in our mode, each in a
    line."""
    found = losses(machine, tasks=tasks)
    own = "fifo mode of tasks" if tasks else "best AID schedule"
    limit = f"more than {100 * BEHIND:.0f} % behind the best of the others"
    if not found:
        return f"No program's {own} is {limit}."
    rounds = "" if machine.counted else ", in the median of the rounds"
    lines = [f"Programs whose {own} is {limit}{rounds}:", ""]
    for loss in found:
        best_own, other = machine.title(loss.best_own), machine.title(loss.best_other)
        name = machine.short(loss.program)
        line = f"- {name}: {best_own} {100 * loss.behind:.1f} % behind {other}"
        if not machine.counted:
            line += f" ({100 * loss.least:.1f} to {100 * loss.most:.1f} % by round)"
        lines.append(line)
    return "\n".join(lines)


def _comparison(machine: Results, chart: str | None) -> list[str]:
    """All that is compared with one column: of a machine, or of one of its parts."""
    loops = any(not column.tasks for column in machine.columns)
    if machine.base is None:
        wanted = STATIC if loops else UPSTREAM_TASKS
        return [f"There is no `{wanted}`, so that nothing can be compared with it."]
    base = machine.label(machine.base)
    found = []
    if chart:
        found.append(f"![Performance relative to {base} on {machine.name}]({chart})")
    of = "" if machine.counted else ": medians of the rounds' ratios"
    text = (
        f"Performance relative to {base}, more being better{of}; "
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


def _target_cells(found: Reached | None) -> list[str]:
    if found is None:
        return ["", "", ""]
    return [found.wanted, found.reached, "yes" if found.met else "NO"]


def targets_table(machine: Results, machines: Sequence[Results]) -> str:
    """What a figure promises, and what came of it."""
    rows = [["program", "schedule", "target", "reached", "met"]]
    for found in reached(machine, machines):
        program, column = machine.short(found.program), machine.title(found.column)
        rows.append([program, column, *_target_cells(found)])
    return _table(rows) if len(rows) > 1 else ""


def _number(value: float) -> str:
    """With three digits behind the point, or three that count, and never with an exponent."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3f}" if value >= 0.1 else f"{value:.3g}"


def figure(machine: Results, machines: Sequence[Results]) -> str:
    """All about one machine in one table, with a row for each schedule of each program."""
    promised = {(one.program, one.column): one for one in reached(machine, machines)}
    unit = UNITS.get(machine.measure, machine.measure)
    bounds = any(machine.bounds(program) for program in machine.programs)
    head = [
        "program",
        "schedule",
        unit,
        "speedup",
        "share of the bound",
        "target",
        "reached",
        "met",
    ]
    rows = []
    for program in machine.programs:
        for column in machine.columns:
            if not (cell := machine.cells.get((program, column))):
                continue
            value, share = median(cell.values), machine.share(program, column)
            speed = machine.speed(program, column, machine.base)
            row = [machine.short(program), machine.title(column)]
            row.append(_number(value) + _mark(cell))
            mark = _mark(cell, machine.cells.get((program, machine.base)))
            row.append("-" if speed is None else f"{speed:.2f}{mark}")
            row.append(f"{100 * share:.1f} %" if share else "-")
            rows.append(row + _target_cells(promised.get((program, column))))
    keep = [True, True, True, True, bounds, *[bool(promised)] * 3]
    keep[0] = len(machine.programs) > 1
    lines = [[cell for cell, kept in zip(row, keep) if kept] for row in (head, *rows)]
    rounds = max(len(cell.rows) for cell in machine.cells.values()) if machine.cells else 0
    facts = [machine.name, "counted work" if machine.counted else f"medians of {rounds} rounds"]
    if slowed := _distinct(machine, "reached"):
        facts.append(f"CPUs made so many times slower: {', '.join(slowed)}")
    if machine.base:
        facts.append(f"speedups are over {machine.title(machine.base)}")
    facts += _distinct(machine, "library")
    return "\n\n".join([f"## {machine.name}", "; ".join(facts[1:]) + ".", _table(lines)])


def machine_section(
    machine: Results, charts: Mapping[str, str | None], machines: Sequence[Results] = ()
) -> str:
    """All about one of some machines; charts are those of its parts, by their names."""
    if machine.matrix and machine.matrix.title:
        parts = [figure(machine, machines), disturbances(machine), *_failures(machine)]
        return "\n\n".join(filter(None, parts))
    parts = [f"## {machine.name}", facts(machine)]
    if machine.matrix and machine.matrix.has_packages:
        text = "Seconds of static on all cores, and how many times faster than that the others are."
        parts += [text, real.tables(machine), disturbances(machine), *_failures(machine)]
        return "\n\n".join(filter(None, parts))
    for part in machine.parts:
        parts += _comparison(part, charts.get(part.name))
    unit = UNITS.get(machine.measure, f"`{machine.measure}`")
    intervals = ": medians and their 95 % confidence intervals (of fewer than six rounds the range)"
    intervals = "" if machine.counted else intervals
    parts += [f"{unit.capitalize()}{intervals}.", times(machine)]
    if marks := disturbances(machine):
        parts.append(marks)
    if promised := targets_table(machine, machines):
        parts += ["Targets:", promised]
    return "\n\n".join([*parts, *_failures(machine)])


def _failures(machine: Results) -> list[str]:
    if not machine.failures:
        return []
    failures = "\n".join(f"- {failure}" for failure in machine.failures.values())
    return ["FAILED, and without a number:", failures]


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
