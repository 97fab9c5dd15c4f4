# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rows of a record say: times by machine, program, schedule and runtime."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

from .runtimes import INTEL, LLVM, OURS, STOCK, VIRTUAL

from . import record
from .disturbance import deciding
from .matrix import DIRECTORY, SECONDS, Matrix, Program, read
from .specs import FIFO, TASKS_PREFIX, UPSTREAM, SpecError, parse_classes

VALUE = "value"
CASE = ("machine", "program", "arguments", "label", "schedule", "runtime")
_VERSION = ("program_sha256", "library_sha256", "settings")
STATIC, DYNAMIC, AID = "static", "dynamic", "aid_"
UPSTREAM_TASKS = f"tasks, {UPSTREAM}"
# Whose static, dynamic and tasks the others are compared with, the first that there is.
_BASELINES = (STOCK, VIRTUAL, OURS)
_RUNTIMES = (VIRTUAL, OURS, STOCK, LLVM, INTEL)


@dataclass(frozen=True)
class Column:
    """A schedule of loops or a mode of tasks, as the matrix labels it, under a runtime."""

    label: str
    runtime: str
    # The mode; "" is a schedule of loops.
    tasks: str = ""

    @property
    def is_aid(self) -> bool:
        return not self.tasks and self.label.startswith(AID)

    @property
    def is_ours(self) -> bool:
        """Whether it is what our library adds to the others'."""
        return self.is_aid or self.tasks == FIFO

    @property
    def is_folded(self) -> bool:
        return self.label.startswith("folded")

    def among(self, columns: Iterable["Column"]) -> str:
        """Its label, which says that it is of loops where some of the columns are of tasks."""
        mixed = not self.tasks and any(column.tasks for column in columns)
        return f"loops, {self.label}" if mixed else self.label


@dataclass
class Cell:
    """The runs of a program in a column, by round, all with one value of the schedule."""

    schedule: str
    rows: dict[str, record.Row] = field(default_factory=dict)

    def deciding(self, base: "Cell | None" = None) -> record.Row | None:
        """The round without which the median, or that of how many times faster than the base it
        is, would be another number."""
        rounds = [row for number, row in self.rows.items() if not base or number in base.rows]
        odd = deciding(self.ratios(base) if base else self.values)
        return None if odd is None else rounds[odd]

    @property
    def values(self) -> list[float]:
        return self.numbers(VALUE)

    def numbers(self, column: str) -> list[float]:
        return [float(row[column]) for row in self.rows.values() if row[column]]

    def ratios(self, other: "Cell", column: str = VALUE) -> list[float]:
        """How many times this one other has of a column, in each round that has both, as the runs
        of one round are neighbours in time."""
        pairs = [
            (float(row[column]), float(other.rows[number][column]))
            for number, row in self.rows.items()
            if number in other.rows and row[column] and other.rows[number][column]
        ]
        return [theirs / own for own, theirs in pairs if own > 0]

    def ratio(self, other: "Cell", column: str = VALUE) -> float | None:
        """Their median; None if there are none."""
        ratios = self.ratios(other, column)
        return median(ratios) if ratios else None


@dataclass
class Results:
    """The results of one machine."""

    name: str
    rows: list[record.Row]
    cells: dict[tuple[str, Column], Cell]
    # What went wrong, by program and column.
    failures: dict[tuple[str, Column], str]
    matrix: Matrix | None = None

    @property
    def measure(self) -> str:
        """What the values are."""
        return self.rows[0]["measure"] or SECONDS

    @property
    def counted(self) -> bool:
        """Whether all runs were of counted work: one of each is all there is to know."""
        return all(row["counters"] == record.COUNTED_WORK for row in self.rows)

    @property
    def emulation(self) -> str:
        return self.rows[0]["emulation"]

    @cached_property
    def programs(self) -> list[str]:
        return list(dict.fromkeys(_program(row) for row in self.rows))

    def short(self, program: str) -> str:
        """What its matrix calls a program, or its name without its arguments, if it was run with no
        others."""
        for one in self.matrix.programs if self.matrix else ():
            if isinstance(one, Program) and one.label and one.text == program:
                return one.label
        name = program.split()[0]
        return program if sum(one.split()[0] == name for one in self.programs) > 1 else name

    @cached_property
    def columns(self) -> list[Column]:
        """As the matrix has them, and by runtime."""
        labels = [one.label for one in self.matrix.schedules] if self.matrix else []
        found = dict.fromkeys(map(_column, self.rows))
        labels += [column.label for column in sorted(found, key=lambda column: bool(column.tasks))]
        runtimes = _RUNTIMES.index
        return sorted(found, key=lambda one: (labels.index(one.label), runtimes(one.runtime)))

    @cached_property
    def parts(self) -> list["Results"]:
        """The results as far as they are compared with the same column: those of programs that were
        run with loops, whatever else they were run with, and those of programs with tasks only."""
        with_loops = {_program(row) for row in self.rows if not _column(row).tasks}
        loops = [program for program in self.programs if program in with_loops]
        tasks = [program for program in self.programs if program not in with_loops]
        if not loops or not tasks:
            return [self]
        return [self._of(loops, self.name), self._of(tasks, f"{self.name}, tasks only")]

    def _of(self, programs: list[str], name: str) -> "Results":
        return replace(
            self,
            name=name,
            rows=[row for row in self.rows if _program(row) in programs],
            cells={place: cell for place, cell in self.cells.items() if place[0] in programs},
            failures={place: text for place, text in self.failures.items() if place[0] in programs},
        )

    def label(self, column: Column) -> str:
        """What the column's schedule is called, with its binding."""
        return column.among(self.columns) + ("(BS)" if column.label in (STATIC, DYNAMIC) else "")

    def title(self, column: Column) -> str:
        """The same, and its runtime where there are several."""
        several = len({one.runtime for one in self.columns}) > 1
        return f"{self.label(column)}, {column.runtime}" if several else self.label(column)

    def baseline(self, label: str) -> Column | None:
        """The column that others are compared with, of that label."""
        found = [column for column in self.columns if column.label == label]
        found.sort(key=lambda one: (*_BASELINES, one.runtime).index(one.runtime))
        return found[0] if found else None

    @property
    def base(self) -> Column | None:
        """The column that all others of a part are compared with: that of static loops, or where
        there are none that of upstream's tasks."""
        called = self.matrix.baseline if self.matrix else ""
        found = self.called(called) if called else None
        return found or self.baseline(STATIC) or self.baseline(UPSTREAM_TASKS)

    def called(self, text: str, runtime: str = "") -> Column | None:
        """The column of a label, which a comma and a runtime may follow; else of that runtime if
        there is such."""
        for column in self.columns:
            if text == f"{column.label}, {column.runtime}" or (text, runtime) == (
                column.label,
                column.runtime,
            ):
                return column
        return self.baseline(text)

    def speed(self, program: str, column: Column, over: Column | None) -> float | None:
        """How many times faster a program is in one column than in another."""
        one, other = self.cells.get((program, column)), self.cells.get((program, over))
        return one.ratio(other) if one and other else None

    def speeds(self, column: Column, over: Column | None) -> dict[str, float]:
        """The same of all programs that have both."""
        found = {program: self.speed(program, column, over) for program in self.programs}
        return {program: value for program, value in found.items() if value is not None}

    def bounds(self, program: str) -> dict[str, float]:
        """The least time that the program can take on the machine, by round: that of its static
        runs, in which a schedule's own work adds nothing, or else of those with upstream's tasks.
        In real time it follows from runs of one thread on a core of each class, if there are such.
        """
        cell = self.cells.get((program, self.base))
        rows = cell.rows if cell else {}
        emulated = {number: float(row["bound"]) for number, row in rows.items() if row["bound"]}
        if emulated or not rows:
            return emulated
        alone = {
            row["pinning"]: other.rows
            for (name, _), other in self.cells.items()
            if name == program
            for row in list(other.rows.values())[:1]
            if row["threads"] == "1"
        }
        kind, _, text = self.emulation.partition(" ")
        if kind == VIRTUAL:
            # As ranks have machines of their own, by the speed of one fast core.
            speeds = parse_classes(text)
            part = speeds[0][1] / sum(count * speed for count, speed in speeds)
            one = next(iter(alone.values()), {})
            return {number: part * float(one[number][VALUE]) for number in rows if number in one}
        classes = [
            [f"{{{cpu}}}" for cpu in part.split(",")]
            for part in next(iter(rows.values()))["classes"].split("/")
        ]
        # One core of a class stands for all of them.
        singles = [next((alone[cpu] for cpu in cpus if cpu in alone), {}) for cpus in classes]
        return {
            number: 1
            / sum(len(cpus) / float(one[number][VALUE]) for cpus, one in zip(classes, singles))
            for number in rows
            if all(number in one for one in singles)
        }

    def share(self, program: str, column: Column) -> float | None:
        """The share of the program's own bound that it reached."""
        cell = self.cells.get((program, column))
        bounds = self.bounds(program)
        shares = [
            bounds[number] / float(row[VALUE])
            for number, row in (cell.rows.items() if cell else ())
            if number in bounds and float(row[VALUE]) > 0
        ]
        return median(shares) if shares else None


def _program(row: record.Row) -> str:
    return f"{row['program']} {row['arguments']}".strip()


def _column(row: record.Row) -> Column:
    schedule = row["schedule"]
    mode = schedule.removeprefix(TASKS_PREFIX) if schedule.startswith(TASKS_PREFIX) else ""
    return Column(row["label"], row["runtime"], mode)


def _machine(name: str, rows: list[record.Row]) -> Results:
    """A machine's results: of a label with several schedules the best for each program; a case
    counts only if its last run was right."""
    cases: dict[tuple[str, Column, str], Cell] = {}
    failed: dict[tuple[str, Column, str], str] = {}
    for row in rows:
        case = (_program(row), _column(row), row["schedule"])
        cases.setdefault(case, Cell(row["schedule"]))
        if row["status"] == record.OK:
            failed.pop(case, None)
            cases[case].rows[row["round"]] = row
        else:
            failed[case] = row["error"]
    cells: dict[tuple[str, Column], Cell] = {}
    for case, cell in cases.items():
        if case in failed or not cell.rows:
            continue
        place = case[:2]
        if place not in cells or median(cell.values) < median(cells[place].values):
            cells[place] = cell
    # A label whose schedules are not all right has no best one.
    for program, column, _ in failed:
        cells.pop((program, column), None)
    failures = {
        (program, column): f"{program}, {schedule} under {column.runtime}: {error}"
        for (program, column, schedule), error in failed.items()
    }
    return Results(name, rows, cells, failures, _matrix(rows[0]["matrix"]))


def _matrix(name: str) -> Matrix | None:
    """The matrix that rows are of, if there still is such."""
    try:
        return read(DIRECTORY / f"{name}.toml")
    except SpecError:
        return None


def current(rows: list[record.Row]) -> list[record.Row]:
    """Without those of cases that were measured again with another library or program."""
    case = ("matrix", *CASE)
    latest = {_columns(row, case): _columns(row, _VERSION) for row in rows}
    return [row for row in rows if latest[_columns(row, case)] == _columns(row, _VERSION)]


def _columns(row: record.Row, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row[name] for name in names)


def machines(rows: list[record.Row]) -> list[Results]:
    """The results of each machine of a matrix, in the order of their first rows."""
    groups: dict[tuple[str, str], list[record.Row]] = defaultdict(list)
    for row in current(rows):
        groups[row["matrix"], row["machine"]].append(row)
    return [_machine(name, group) for (_, name), group in groups.items()]
