# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cells of counted reports a change moved. What is counted is the same in every run, so that
any other digit is the change's."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from . import campaign, machines, matrix, record, runtimes
from .instruments import Instruments
from .results import CASE, VALUE, current
from .runner import Runner

Key = tuple[str, ...]

# By what part numbers may differ for reasons that are not known: those of programs of several ranks
# by some nanoseconds from run to run, one of 64 threads by ten in two milliseconds, and one of a
# folded team whose bandwidth is capped by sixty. No report shows that.
WITHIN = 1e-5


def counted(rows: list[record.Row]) -> dict[Key, record.Row]:
    """The counted rows by case."""
    return {
        tuple(row[name] for name in CASE): row
        for row in current(rows)
        if row["counters"] == record.COUNTED_WORK and row["status"] == record.OK
    }


def _name(key: Key) -> str:
    machine, program, arguments, label, schedule, _ = key
    what = label if schedule in label else f"{label} {schedule}"
    return f"{machine}: {' '.join(filter(None, (program, arguments)))}, {what}"


def alike(row: record.Row, rows: list[record.Row]) -> list[record.Row]:
    """Those of rows that are of the same case as row."""
    return [other for other in rows if all(other[name] == row[name] for name in CASE)]


def moved(old: list[record.Row], new: list[record.Row]) -> list[str]:
    """A line for each counted cell that is in one of both only, or has another number."""
    before, after = counted(old), counted(new)
    lines = []
    for key in dict.fromkeys([*before, *after]):
        if key not in after or key not in before:
            lines.append(f"{_name(key)}: {'no longer there' if key in before else 'new'}")
        elif (was := before[key][VALUE]) != (now := after[key][VALUE]):
            change = float(now) / float(was) - 1
            if abs(change) < WITHIN:
                continue
            lines.append(f"{_name(key)}: {was} -> {now} ({100 * change:+.3f} %)")
    return lines


def sample(rows: list[record.Row], count: int) -> list[record.Row]:
    """So many counted rows, far from each other, of those that took less time than most."""
    found = sorted(counted(rows).values(), key=lambda row: float(row["wall_seconds"]))
    found = found[: max(len(found) // 2, count)]
    found.sort(key=record.key)
    step = max(len(found) // count, 1)
    return found[::step][:count]


def rerun(build: Path, name: str, rows: Iterable[record.Row]) -> list[record.Row]:
    """Rows of the matrix of that name as they come out now, with an error where there is none."""
    wanted = matrix.read(matrix.DIRECTORY / f"{name}.toml")
    sizes = matrix.read_sizes(matrix.DIRECTORY / "programs.toml")
    built = campaign.built_programs(build)
    made = []
    with tempfile.TemporaryDirectory(prefix="amp-run-") as directory:
        scratch = Path(directory)
        found = runtimes.find(build, scratch)
        for row in rows:
            key = tuple(row[column] for column in CASE)
            for where in wanted.machines:
                for case in campaign.cases(wanted, where, sizes, set(found), built):
                    program, how = case.program.row, case.schedule.label
                    if key != (where.name, *program, how, case.value, case.runtime):
                        continue
                    place = Path(tempfile.mkdtemp(dir=scratch))
                    with machines.make(where, build, print) as machine:
                        reader = Instruments(machine, None, place, print)
                        runner = Runner(build, found, machine, reader, place, wanted)
                        again = runner.run_counted(case, machines.own_cpus()[0])
                    made.append({name: str(value) for name, value in again.items()})
    return made
