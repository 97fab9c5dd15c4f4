# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrix files: what is measured, with which arguments programs are run, and what a figure promises
to reach."""

import itertools
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatch
from pathlib import Path
from string import Template

from .foreign import OWN_CLOCK, Package, table
from .runtimes import RUNTIMES
from .specs import MachineSpec, ScheduleSpec, SpecError, machine, schedule, tasks

DIRECTORY = Path(__file__).resolve().parent.parent / "matrix"
STANDARD = "standard"
SECONDS = "seconds"
# What a program can be made of, and so the versions that it can have.
LOOPS, TASKS = "loops", "tasks"
# Files beside the matrices that are none.
TABLES = ("programs", "packages")


@dataclass(frozen=True)
class Program:
    """A program with the arguments that it is run with. Or any command, its words with {build},
    {bench}, {threads}, {cpus}: it is timed by its result line if it prints one, by the first group
    of the regular expression `seconds` or `rate`, which is one by seconds, or as a whole."""

    name: str
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    seconds: str = ""
    rate: str = ""
    package: Package | None = None
    # What reports call it instead of its name and arguments.
    label: str = ""

    @property
    def foreign(self) -> bool:
        """Whether it is not one of ours."""
        return bool(self.command or self.package)

    @property
    def row(self) -> tuple[str, str]:
        """What the record calls it."""
        return self.name, " ".join(self.arguments)

    @property
    def text(self) -> str:
        """What reports call it."""
        return " ".join(self.row).strip()


@dataclass(frozen=True)
class Sizes:
    """The arguments of every program, by size; left_out are patterns of what is no subject.
    with_tasks: the programs that have tasks and no loops; with_both: those that have a version of
    each. All others have loops only."""

    table: dict[str, dict[str, str]]
    left_out: tuple[str, ...] = ()
    with_tasks: tuple[str, ...] = ()
    with_both: tuple[str, ...] = ()

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
        if program in self.with_both:
            return (f"--with={TASKS if how.tasks else LOOPS}",)
        return () if bool(how.tasks) == (program in self.with_tasks) else None


@dataclass(frozen=True)
class Target:
    """What the cells have to reach whose program with its arguments, schedule's label, runtime and
    machine match the patterns: at least a share of the bound; at most so many times as long as the
    column `of`, whose runtime may follow after a comma; within a share of that column's time, or of
    the same column's on the machine `on`; or at most a value. With times = 0 the ratio is shown and
    always good."""

    programs: str = "*"
    schedules: str = "*"
    runtimes: str = "*"
    machines: str = "*"
    share: float | None = None
    times: float | None = None
    within: float | None = None
    at_most: float | None = None
    of: str = ""
    on: str = ""

    def is_of(self, machine: str, program: str, label: str, runtime: str) -> bool:
        patterns = (self.machines, self.programs, self.schedules, self.runtimes)
        return all(map(fnmatch, (machine, program, label, runtime), patterns))


@dataclass(frozen=True)
class Study:
    """What is compared with static loops on the machine `over`: speed, power and energy. suffix:
    that of labels which are compared with those without it. published: what others have, as [what,
    machine, label, machine, label, percent more]."""

    over: str
    suffix: str = ""
    published: tuple[tuple, ...] = ()


@dataclass(frozen=True)
class Matrix:
    """What a matrix file says; programs are patterns of names, or names with arguments; schedules
    are those of loops, and the modes of tasks after them. A figure has a title; its report is one
    table with a row for each schedule. measure: a pattern of the field of the result line that
    counts. baseline: the label of the column that the others are compared with. minutes: how long
    all of it takes on two idle CPUs, if it is one of those that `bench/run --all` measures. note:
    the comment at its top, which says what it is for."""

    name: str
    rounds: int = 5
    warm_up: int = 1
    size: str = STANDARD
    programs: tuple[str | Program, ...] = ("*",)
    runtimes: tuple[str, ...] = RUNTIMES
    schedules: tuple[ScheduleSpec, ...] = ()
    machines: tuple[MachineSpec, ...] = ()
    title: str = ""
    measure: str = SECONDS
    baseline: str = ""
    targets: tuple[Target, ...] = ()
    # The machine over which the report has the speedups of the others.
    speedup_over: str = ""
    study: Study | None = None
    # Programs run in lock-step in virtual time, by a command of their own.
    lock_step: bool = False
    minutes: float = 0.0
    note: str = ""

    def counted(self, where: MachineSpec) -> bool:
        """Whether what is run on a machine counts its work, so that a run always gives the same."""
        foreign = any(isinstance(one, Program) and one.foreign for one in self.programs)
        return self.lock_step or (where.virtual and not foreign)

    def rounds_on(self, where: MachineSpec) -> int:
        return 1 if self.counted(where) else self.rounds

    @property
    def has_packages(self) -> bool:
        return any(isinstance(one, Program) and one.package for one in self.programs)

    def chosen(self, built: list[str], sizes: Sizes, where: MachineSpec) -> list[Program]:
        """The programs to run on a machine: those built, of a size that fits it."""
        size = where.size or self.size
        found: dict[Program, None] = {}
        for entry in self.programs:
            if isinstance(entry, Program):
                if not entry.foreign and entry.name not in built:
                    raise SpecError(f"{self.name}: {entry.name} is not built")
                found[entry] = None
                continue
            for name in sizes.table:
                if name in built and fnmatch(name, entry):
                    found[Program(name, sizes.arguments(name, size))] = None
        return [
            one for one in found if any(fnmatch(one.text, pattern) for pattern in where.programs)
        ]


_KEYS = (*(one.name for one in fields(Matrix) if one.name not in ("name", "note")), TASKS)


def names() -> list[str]:
    """Of the matrices that there are."""
    return sorted(path.stem for path in DIRECTORY.glob("*.toml") if path.stem not in TABLES)


def with_reports() -> list[str]:
    """The matrices whose reports the documents have: those that README.md quotes first, and then
    those that take less time."""
    readme = (DIRECTORY.parent.parent / "README.md").read_text()
    minutes = {name: read(DIRECTORY / f"{name}.toml").minutes for name in names()}

    def worth(name: str) -> tuple[bool, float]:
        quoted = re.search(rf"(bench/run\s+|results/|=){name}(?![\w-])", readme)
        return quoted is None, minutes[name]

    return sorted((name for name in minutes if minutes[name]), key=worth)


def read_toml(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{path}: {error}") from error


def read_sizes(path: Path) -> Sizes:
    data = {
        key: tuple(one) if isinstance(one, list) else one for key, one in read_toml(path).items()
    }
    sizes = Sizes(data.pop("arguments"), **data)
    for program in (*sizes.with_tasks, *sizes.with_both):
        if program not in sizes.table:
            raise SpecError(f"{path}: 'arguments' has no line for '{program}'")
    return sizes


def each(entries: list) -> Iterator:
    """The entries that these stand for: one with `for = { NAME = [VALUE, ...] }` for one with each
    VALUE in the place of $NAME; with several names, of each combination."""
    for entry in entries:
        if isinstance(entry, str) or "for" not in entry:
            yield entry
            continue
        names, text = entry["for"], json.dumps(entry | {"for": None})
        for values in itertools.product(*names.values()):
            made = json.loads(Template(text).safe_substitute(dict(zip(names, values))))
            del made["for"]
            yield made


def expanded(text: str) -> list[str]:
    """The texts that one with {a,b} stands for, as a shell's."""
    found = re.search(r"\{([^{}]*,[^{}]*)\}", text)
    if found is None:
        return [text]
    before, after = text[: found.start()], text[found.end() :]
    return [one for part in found[1].split(",") for one in expanded(before + part + after)]


def _programs(entry: str | dict) -> Iterator[str | Program]:
    if isinstance(entry, str):
        yield entry
        return
    if entry.keys() == {"package"}:
        for one in table():
            if fnmatch(one.name, entry["package"]):
                clock = OWN_CLOCK if one.own_clock else ""
                yield Program(one.name, seconds=clock, package=one)
        return
    if entry.keys() == {"of", "at_once", "command"}:
        for count in entry["at_once"]:
            for some in itertools.combinations(entry["of"], count):
                name = " + ".join(one.rpartition("/")[2] for one in some)
                yield Program(name, command=(*entry["command"].split(), *some))
        return
    keys = {"is", "command", "seconds", "rate"}
    if "command" not in entry:
        keys = {"is", "arguments", "label"}
    if (
        "is" not in entry
        or "arguments" not in entry
        and "command" not in entry
        or set(entry) - keys
    ):
        raise SpecError(
            "a program is a pattern of names, or has `is` and `arguments`, or `is` and `command`, "
            "and then `seconds` or `rate`, or `package`, or `of`, `at_once` and `command`"
        )
    for name, words in itertools.product(
        expanded(entry["is"]), expanded(entry.get("arguments", ""))
    ):
        yield Program(
            name,
            tuple(words.split()),
            tuple(entry.get("command", "").split()),
            entry.get("seconds", ""),
            entry.get("rate", ""),
            label=entry.get("label", ""),
        )


def _known(name: str, names: Iterable[str], what: str = "", where: str = "") -> None:
    if name not in names:
        raise SpecError(f"{where}there is no {what}'{name}': there are {'; '.join(names)}")


def _target(entry: dict) -> Target:
    known = [one.name for one in fields(Target)]
    for key in entry:
        if key not in known:
            raise SpecError(f"a target has no '{key}': there are {', '.join(known)}")
    target = Target(**entry)
    limits = (target.share, target.times, target.within, target.at_most)
    if sum(limit is not None for limit in limits) != 1:
        raise SpecError("a target has one of 'share', 'times', 'within' and 'at_most'")
    if (target.times is not None or target.within is not None) != bool(target.of or target.on):
        raise SpecError("a target's 'of' or 'on' goes with 'times' or 'within'")
    return target


# How the values of a file become those of a matrix; the others are as they are.
_READERS = {
    "rounds": int,
    "warm_up": int,
    "minutes": float,
    "programs": lambda entries: tuple(one for entry in each(entries) for one in _programs(entry)),
    "runtimes": tuple,
    "schedules": lambda entries: tuple(map(schedule, each(entries))),
    TASKS: lambda entries: tuple(map(tasks, each(entries))),
    "machines": lambda entries: tuple(map(machine, each(entries))),
    "targets": lambda entries: tuple(map(_target, entries)),
    "study": lambda entry: Study(**entry),
}


def _comment(path: Path) -> str:
    """The comment at the top of a file, without the license."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), path.read_text().splitlines())
    return " ".join(line.lstrip("# ") for line in lines if "SPDX" not in line)


def _made(name: str, data: dict) -> Matrix:
    """The matrix of a file's data, whose names are not looked up yet."""
    for key in data:
        _known(key, _KEYS)
    for key in ("schedules", TASKS, "machines", "targets"):
        if not isinstance(data.get(key, []), list):
            raise SpecError(f"'{key}' is a list")
    if not data.get("schedules") and not data.get(TASKS):
        raise SpecError(f"it lacks 'schedules', of loops, or '{TASKS}'")
    if not data.get("machines"):
        raise SpecError("it lacks 'machines'")
    for one in data.get("runtimes", ()):
        _known(one, RUNTIMES, "runtime ")
    made = {key: _READERS.get(key, lambda value: value)(value) for key, value in data.items()}
    made["schedules"] = (*made.get("schedules", ()), *made.pop(TASKS, ()))
    virtual = all(where.virtual for where in made["machines"])
    return Matrix(name, **{"warm_up": int(not virtual)} | made)


def _check(matrix: Matrix) -> None:
    """SpecError if it names what it does not have, or calls two things the same."""
    if matrix.rounds < 1:
        raise SpecError(f"rounds = {matrix.rounds}: at least one round has to count")
    labels = [one.label for one in matrix.schedules]
    for one in matrix.machines:
        for label in one.schedules:
            _known(label, labels, "schedule ", f"machine '{one.name}': ")
        if one.spread and any(how.tasks and one.measures(how) for how in matrix.schedules):
            raise SpecError(
                f"machine '{one.name}': its factors are those of loops; name in its 'schedules' "
                "what is to be measured there, without tasks"
            )
    for text in filter(None, (matrix.baseline, *(target.of for target in matrix.targets))):
        if text.rpartition(", ")[0] not in labels:
            _known(text, labels, "schedule ")
    names = [one.name for one in matrix.machines]
    for name in filter(None, (matrix.speedup_over, matrix.study.over if matrix.study else "")):
        _known(name, names, "machine ")
    for what, found in (("machines", names), ("schedules", labels)):
        if repeated := [name for name in found if found.count(name) > 1]:
            raise SpecError(f"two {what} are called '{repeated[0]}'; give one a name of its own")


def read(path: Path) -> Matrix:
    """The matrix in a file; SpecError says what is wrong with it."""
    data = read_toml(path)
    try:
        matrix = replace(_made(path.stem, data), note=_comment(path))
        _check(matrix)
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise SpecError(f"{path}: a value is not of the kind that is expected: {error}") from error
    return matrix
