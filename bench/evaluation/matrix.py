# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrix files: what is measured, and with which arguments programs are run."""

import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from harness.runtimes import RUNTIMES

from .specs import MachineSpec, ScheduleSpec, SpecError, machine, schedule, tasks

STANDARD = "standard"
# What a program can be made of, and so the versions that it can have.
LOOPS, TASKS = "loops", "tasks"
_KEYS = ("rounds", "warm_up", "size", "programs", "runtimes", "schedules", TASKS, "machines")


@dataclass(frozen=True)
class Program:
    """A program with the arguments that it is run with."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Sizes:
    """The arguments of every program, by size; left_out are patterns of what is no subject; of
    programs that have other versions than one with loops, versions has the arguments that select
    each."""

    table: dict[str, dict[str, str]]
    left_out: tuple[str, ...] = ()
    versions: dict[str, dict[str, str]] = field(default_factory=dict)

    def arguments(self, program: str, size: str) -> tuple[str, ...]:
        """Of a size that some programs have, the others take their standard one."""
        if not any(size in sizes for sizes in self.table.values()):
            raise SpecError(f"programs.toml gives no program a size '{size}'")
        found = self.table[program].get(size, self.table[program].get(STANDARD))
        if found is None:
            raise SpecError(f"programs.toml gives {program} no size '{size}'")
        return tuple(found.split())

    def version(self, program: str, how: ScheduleSpec) -> tuple[str, ...] | None:
        """The arguments that select the version which a schedule of loops, or a mode of tasks, is
        for; None if the program has none."""
        versions = self.versions.get(program, {LOOPS: ""})
        found = versions.get(TASKS if how.tasks else LOOPS)
        return None if found is None else tuple(found.split())


@dataclass(frozen=True)
class Matrix:
    """What a matrix file says; programs are patterns of names, or names with arguments; schedules
    are those of loops, and the modes of tasks after them."""

    name: str
    rounds: int
    warm_up: int
    size: str
    programs: tuple[str | Program, ...]
    runtimes: tuple[str, ...]
    schedules: tuple[ScheduleSpec, ...]
    machines: tuple[MachineSpec, ...]

    def chosen(self, built: list[str], sizes: Sizes, where: MachineSpec) -> list[Program]:
        """The programs to run on a machine: those built, of a size that fits it."""
        size = where.size or self.size
        found: dict[Program, None] = {}
        for entry in self.programs:
            if isinstance(entry, Program):
                if entry.name not in built:
                    raise SpecError(f"{self.name}: {entry.name} is not built")
                found[entry] = None
                continue
            for name in sizes.table:
                if name in built and fnmatch(name, entry):
                    found[Program(name, sizes.arguments(name, size))] = None
        return list(found)


def read_toml(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{path}: {error}") from error


def read_sizes(path: Path) -> Sizes:
    data = read_toml(path)
    versions = data.get("versions", {})
    for program, found in versions.items():
        if program not in data["arguments"]:
            raise SpecError(f"{path}: versions: 'arguments' has no line for '{program}'")
        if not isinstance(found, dict) or not found or set(found) - {LOOPS, TASKS}:
            raise SpecError(
                f"{path}: versions: '{program}' has the arguments of '{LOOPS}', '{TASKS}' or both"
            )
    return Sizes(data["arguments"], tuple(data["left_out"]), versions)


def _program(entry: str | dict) -> str | Program:
    if isinstance(entry, str):
        return entry
    if set(entry) != {"is", "arguments"}:
        raise SpecError("a program is a pattern of names, or has `is` and `arguments`")
    return Program(entry["is"], tuple(entry["arguments"].split()))


def _no_repeats(path: Path, what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"{path}: two {what} are called '{name}'; give one a name of its own")


def read(path: Path) -> Matrix:
    """The matrix in a file; SpecError says what is wrong with it."""
    data = read_toml(path)
    try:
        for key in data:
            if key not in _KEYS:
                raise SpecError(f"there is no '{key}': there are {', '.join(_KEYS)}")
        for key in ("schedules", TASKS, "machines"):
            if not isinstance(data.get(key, []), list):
                raise SpecError(f"'{key}' is a list")
        if not data.get("schedules") and not data.get(TASKS):
            raise SpecError(f"it lacks 'schedules', of loops, or '{TASKS}'")
        if not data.get("machines"):
            raise SpecError("it lacks 'machines'")
        for name in data.get("runtimes", ()):
            if name not in RUNTIMES:
                raise SpecError(f"there is no runtime '{name}': there are {', '.join(RUNTIMES)}")
        matrix = Matrix(
            path.stem,
            int(data.get("rounds", 5)),
            int(data.get("warm_up", 1)),
            data.get("size", STANDARD),
            tuple(_program(entry) for entry in data.get("programs", ["*"])),
            tuple(data.get("runtimes", RUNTIMES)),
            (
                *(schedule(entry) for entry in data.get("schedules", ())),
                *(tasks(entry) for entry in data.get(TASKS, ())),
            ),
            tuple(machine(entry) for entry in data["machines"]),
        )
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise SpecError(f"{path}: a value is not of the kind that is expected: {error}") from error
    if matrix.rounds < 1:
        raise SpecError(f"{path}: rounds = {matrix.rounds}: at least one round has to count")
    labels = [one.label for one in matrix.schedules]
    for one in matrix.machines:
        for label in one.schedules:
            if label not in labels:
                raise SpecError(
                    f"{path}: machine '{one.name}': there is no schedule '{label}': there are "
                    + "; ".join(labels)
                )
        if one.spread and any(how.tasks and one.measures(how) for how in matrix.schedules):
            raise SpecError(
                f"{path}: machine '{one.name}': its factors are those of loops; name in its "
                "'schedules' what is to be measured there, without tasks"
            )
    _no_repeats(path, "machines", [one.name for one in matrix.machines])
    _no_repeats(path, "schedules", labels)
    return matrix
