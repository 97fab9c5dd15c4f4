# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring a matrix, one machine after the other: all cases in every round; counted ones once, on
all CPUs at a time."""

import math
import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from statistics import fmean

from .runs import RunError
from .runtimes import VIRTUAL, Runtime

from . import counters, machines, record
from .instruments import Instruments
from .matrix import SECONDS, Matrix, Program, Sizes
from .results import CASE
from .runner import COUNTED, Case, Runner
from .specs import ASYMMETRIC, MachineSpec

Note = Callable[[str], None]


@dataclass
class Outcome:
    """What came of a campaign: runs measured and skipped, and what failed."""

    measured: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)


class TimeUp(Exception):
    """The sitting is over, and not all is measured."""


class Pace:
    """Predicts how long runs take, from those of the same program on the same machine."""

    def __init__(self):
        self._seen: dict[tuple[str, str], list[float]] = defaultdict(list)

    def saw(self, machine: str, program: str, seconds: float) -> None:
        self._seen[machine, program].append(seconds)

    def left(self, runs: list[tuple[str, str]]) -> float:
        """Seconds for those runs; of what was not seen yet, as long as all others in the mean."""
        known = {key: fmean(values) for key, values in self._seen.items()}
        usual = fmean(known.values()) if known else 0.0
        return sum(known.get(key, usual) for key in runs)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def cases(
    matrix: Matrix,
    where: MachineSpec,
    sizes: Sizes,
    found: set[str],
    built: list[str],
) -> list[Case]:
    """All cases on a machine, those of a program next to each other: of its version with loops
    under the schedules, of its version with tasks under their modes."""
    runtimes = (VIRTUAL,) if where.virtual else matrix.runtimes
    return [
        Case(program, schedule, value, runtime, version)
        for program in matrix.chosen(built, sizes, where)
        for schedule in matrix.schedules
        if where.measures(schedule)
        and (version := sizes.version(program.name, schedule)) is not None
        and (
            schedule.wanted(program.name)
            if program.foreign
            else schedule.suits(program.name, built)
        )
        for value in schedule.values
        for runtime in runtimes
        if runtime in found and schedule.runs_under(runtime)
    ]


def missing(
    matrix: Matrix,
    sizes: Sizes,
    built: list[str],
    runtimes: Collection[str],
    rows: list[record.Row],
    keep: Callable[[str], bool] = lambda name: True,
) -> tuple[int, int]:
    """How many runs the rows lack of the matrix, of programs that are to be measured, and how many
    it has of all. Another try of what failed would fail again."""
    wanted = [
        (where.name, *one.program.row, one.schedule.label, one.value, one.runtime)
        for where in matrix.machines
        for one in cases(matrix, where, sizes, set(runtimes), built)
    ]
    due = {where.name: matrix.rounds_on(where) for where in matrix.machines}
    found: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        case = tuple(row[name] for name in CASE)
        found[case] += 1 if row["status"] == record.OK else matrix.rounds
    lacking = sum(max(due[case[0]] - found[case], 0) for case in wanted if keep(case[1]))
    return lacking, sum(due[case[0]] for case in wanted)


def built_programs(build: Path) -> list[str]:
    """What is built in the directory of benchmarks, by name."""
    root = build / "bench"
    paths = [*root.glob("*"), *root.glob("*/*")]
    return sorted(
        str(path.relative_to(root))
        for path in paths
        if path.is_file()
        and os.access(path, os.X_OK)
        and path.parent.name not in ("objects", COUNTED)
    )


def turns(cases: list[Case], number: int) -> list[Case]:
    """The cases in the order of a round: program after program, and beginning with another case
    than in the round before, so that none is always first."""
    groups: dict[Program, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.program].append(case)
    ordered = []
    for group in groups.values():
        shift = number % len(group)
        ordered += group[shift:] + group[:shift]
    return ordered


class Campaign:
    """Measures what the record lacks of a matrix, and adds it there."""

    def __init__(
        self,
        matrix: Matrix,
        sizes: Sizes,
        built: list[str],
        build: Path,
        runtimes: dict[str, Runtime],
        csv: Path,
        scratch: Path,
        note: Note,
        keep: Callable[[str], bool] = lambda name: True,
        repeat: int = 0,
        tool: counters.Tool | None = None,
        until: float = math.inf,
        after: float = 0.0,
    ):
        self._matrix = matrix
        self._build = build
        self._runtimes = runtimes
        self._csv = csv
        self._scratch = scratch
        self._note = note
        self._outcome = Outcome()
        self._pace = Pace()
        self._repeat = repeat
        self._until, self._after = until, after
        self._counters = tool
        self._later: tuple[MachineSpec, ...] = ()
        self._todo: dict[Case, list[int]] = {}
        self._done = set()
        for row in record.read(csv):
            if row["status"] == record.OK:
                self._done.add(record.key(row))
                self._pace.saw(row["machine"], row["program"], float(row["wall_seconds"]))
        self._cases = {
            where: [
                case
                for case in cases(matrix, where, sizes, set(runtimes), built)
                if keep(case.program.name)
            ]
            for where in matrix.machines
        }

    def measure(self) -> Outcome:
        """All of it; RunError only if nothing at all can be measured."""
        if not any(self._cases.values()):
            raise RunError(
                f"{self._matrix.name}: none of its programs is built, or has the loops that its "
                "schedules are for, or the tasks"
            )
        said: set[str] = set()

        def note_once(text: str) -> None:
            if text not in said:
                said.add(text)
                self._note(text)

        for number, where in enumerate(self._matrix.machines):
            self._later = self._matrix.machines[number + 1 :]
            try:
                with machines.make(where, self._build, self._note) as machine:
                    self._measure_on(where, machine, note_once)
            except RunError as error:
                self._fail(f"{where.name}: {error}")
        return self._outcome

    def _fail(self, text: str) -> None:
        self._outcome.failures.append(text)
        self._note(f"FAILED: {text}")

    def _measure_on(self, where: MachineSpec, machine: machines.Machine, note: Note) -> None:
        scratch = Path(tempfile.mkdtemp(prefix="machine-", dir=self._scratch))
        instruments = Instruments(machine, self._counters, scratch, note)
        runner = Runner(self._build, self._runtimes, machine, instruments, scratch, self._matrix)
        if machine.reached:
            self._note(f"{where.name}: reached {machine.reached}")
        self._todo = {}
        for case in self._cases[where]:
            if case.of_class and machine.symmetric and where.kind == ASYMMETRIC:
                continue
            rounds = range(1, self._matrix.rounds_on(where) + 1)
            lacking = [n for n in rounds if record.key(runner.identity(case, n)) not in self._done]
            self._outcome.skipped += len(rounds) - len(lacking)
            if lacking:
                self._todo[case] = lacking
        runs = self._at_once if self._matrix.counted(where) else self._by_rounds
        for case, number, row in runs(runner):
            self._take(where, case, number, row)

    def _check_time(self) -> None:
        if time.monotonic() > self._until:
            raise TimeUp

    def _by_rounds(self, runner: Runner) -> Iterator[tuple[Case, int, dict[str, object]]]:
        """All that is to be done, in rounds."""
        for number in range(1 - self._matrix.warm_up, self._matrix.rounds + 1):
            for case in turns(list(self._todo), number):
                if number > 0 and number not in self._todo.get(case, ()):
                    continue
                self._check_time()
                yield case, number, runner.run(case, number, self._repeat if number > 0 else 0)

    def _at_once(self, runner: Runner) -> Iterator[tuple[Case, int, dict[str, object]]]:
        """The same once, on all CPUs at a time: nothing disturbs what is counted."""
        free: SimpleQueue[int] = SimpleQueue()
        for cpu in machines.own_cpus():
            free.put(cpu)

        def run(case: Case) -> dict[str, object]:
            self._check_time()
            cpu = free.get()
            try:
                return runner.run_counted(case, cpu)
            finally:
                free.put(cpu)

        with ThreadPoolExecutor(len(machines.own_cpus())) as pool:
            started = {pool.submit(run, case): case for case in self._todo}
            try:
                for done in as_completed(started):
                    yield started[done], 1, done.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def _take(self, where: MachineSpec, case: Case, number: int, row: dict[str, object]) -> None:
        """Record the row of a run, and say what came of it."""
        counts = number > 0
        self._pace.saw(where.name, case.program.name, float(row["wall_seconds"]))
        failed = row["status"] == record.FAILED
        if counts or failed:
            record.append(self._csv, row)
            self._outcome.measured += counts and not failed
        if failed:
            del self._todo[case]
            self._fail(f"{where.name}: {row['error']}")
        elif counts:
            self._todo[case].remove(number)
        self._progress(where, case, number, row)

    def _progress(
        self, where: MachineSpec, case: Case, number: int, row: dict[str, object]
    ) -> None:
        """One line: what was run, what it gave, and how much is left."""
        ahead = [(where.name, each.program.name) for each, left in self._todo.items() for _ in left]
        for later in self._later:
            times = self._matrix.rounds_on(later) + (not later.virtual) * self._matrix.warm_up
            ahead += [(later.name, one.program.name) for one in self._cases[later] * times]
        rounds = self._matrix.rounds_on(where)
        what = f"round {number} of {rounds}, " if number > 0 else "warm-up, "
        value, measure = row["value"], row.get("measure")
        unit = "s" if measure == SECONDS else measure
        took = f"{value:.4f} {unit}" if isinstance(value, float) else "failed"
        if row.get("disturbed"):
            took += f" (disturbed: {row['disturbed']})"
        left = self._pace.left(ahead)
        all_left = f", of all matrices {duration(left + self._after)}" if self._after else ""
        self._note(
            f"{time.strftime('%H:%M:%S')} {where.name}: {what if rounds > 1 else ''}{case.text}: "
            f"{took}; {len(ahead)} runs left, about {duration(left)}{all_left}"
        )
