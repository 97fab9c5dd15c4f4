# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines, the schedules of loops and the modes of tasks that a matrix file names, and how
their names are read."""

import re
from collections.abc import Collection
from dataclasses import dataclass, fields
from fnmatch import fnmatch

from .runtimes import INTEL, LLVM, OURS, RUNTIMES, STOCK, VIRTUAL

# What a machine can be: this one; with CPUs made slow; this one of whose CPUs the library is told
# that they are slow; this one if its cores differ, and else with half of them made half as fast.
AS_IS, STEAL, TOLD, ASYMMETRIC = "as is", "steal", "told", "asymmetric"

# Thread 0 on a fast core, or on a slow one; or threads where the kernel has them.
UNBOUND = "none"
BINDINGS = ("BS", "SB", UNBOUND)

EVEN = "even"

# The modes of tasks: that of every runtime, and that which ours alone has besides.
UPSTREAM, FIFO = "upstream", "fifo"
TASK_MODES = (UPSTREAM, FIFO)
# What the column `schedule` of a record has before a mode, where loops have their OMP_SCHEDULE.
TASKS_PREFIX = "tasks:"

Pairs = tuple[tuple[str, str], ...]
Classes = tuple[tuple[int, float], ...]


class SpecError(Exception):
    """A name or an entry in a matrix file that means nothing."""


@dataclass(frozen=True)
class MachineSpec:
    """A machine: how it is made, its classes of (cores, speed), the fastest first, and how
    programs are run on it."""

    name: str
    kind: str
    classes: Classes = ()
    # Which column of the table of programs' arguments; "" is the matrix's own.
    size: str = ""
    threads: int | None = None
    binding: str = ""
    # In virtual time only: the cost of a removal, and between which factors loops are spread.
    removal_ns: int = 100
    spread: tuple[float, float] | None = None
    # Caps on the memory's bandwidth, as amp-emu reads them, and what a core of speed 1 demands.
    bandwidth: str = ""
    demand: float = 0.0
    # The labels of the schedules that are measured on it; none: all.
    schedules: tuple[str, ...] = ()
    # Patterns of the programs that are measured on it, and what is added to their arguments.
    programs: tuple[str, ...] = ("*",)
    arguments: tuple[str, ...] = ()
    # MPI programs are run with so many ranks.
    ranks: int = 0
    environment: Pairs = ()
    # How much faster each program is on the fast class, where that is not the machine's speed; in
    # virtual time only.
    factors: tuple[tuple[str, float], ...] = ()

    @property
    def text(self) -> str:
        """What the matrix file calls it."""
        if not self.classes:
            return self.kind
        return f"{self.kind} {classes_text(self.classes)}"

    @property
    def cores(self) -> int:
        return sum(count for count, _ in self.classes)

    @property
    def virtual(self) -> bool:
        return self.kind == VIRTUAL

    def measures(self, schedule: "ScheduleSpec") -> bool:
        """Whether a schedule of the matrix is measured on it."""
        return not self.schedules or schedule.label in self.schedules


@dataclass(frozen=True)
class ScheduleSpec:
    """A column of the report: values of OMP_SCHEDULE, of which the best for each program counts,
    and under which runtimes they make sense (None: all). Or, of programs with tasks, a mode of
    theirs, and as the only value what the record calls it."""

    label: str
    values: tuple[str, ...]
    runtimes: tuple[str, ...] | None = None
    binding: str = "BS"
    offline_sf: bool = False
    # Run of each program what the plain compiler made of it, as far as that is built.
    inline: bool = False
    # The value of GOMP_AMP_FOLD; "" is a team as large as the machine.
    fold: str = ""
    # Run it on the cores of the fastest class only.
    fast_only: bool = False
    # Of each class, so many threads on each core, which the kernel switches, or none; (): one.
    each: tuple[int, ...] = ()
    # Run one thread on a core of this class, 0 being the fastest; of all classes they give the
    # bound.
    alone: int | None = None
    # Of ranks: EVEN gives each as many cores, where the kernel puts it in real time; "" has amp-run
    # choose. by_capacity: the program distributes its work by what they add up to.
    split: str = ""
    by_capacity: bool = False
    environment: Pairs = ()
    # Patterns of programs that are not run so.
    without: tuple[str, ...] = ()
    # The value of GOMP_TASK_SCHEDULE; "" is a schedule of loops.
    tasks: str = ""

    def executable(self, program: str) -> str:
        """The name of what is run of a program."""
        return f"{program}-inline" if self.inline else program

    def suits(self, program: str, built: Collection[str]) -> bool:
        """Whether a program, of which something is built, is run so."""
        return self.executable(program) in built and self.wanted(program)

    def wanted(self, program: str) -> bool:
        return not any(fnmatch(program, pattern) for pattern in self.without)

    def runs_under(self, runtime: str) -> bool:
        """Whether it does under a runtime; in virtual time, whatever either libgomp knows."""
        if self.runtimes is None:
            return True
        if runtime == VIRTUAL:
            return OURS in self.runtimes or STOCK in self.runtimes
        return runtime in self.runtimes


def classes_text(classes: Classes) -> str:
    return "+".join(f"{count}x{speed:g}" for count, speed in classes)


def parse_classes(text: str) -> Classes:
    """The classes in COUNTxSPEED+..., in which an absent class (0x1.0) is left out."""
    classes = []
    for part in text.split("+"):
        found = re.fullmatch(r"(\d+)x(\d+(?:\.\d+)?)", part.strip())
        if not found or float(found[2]) <= 0:
            raise SpecError(f"'{part}' in '{text}': a class of cores is COUNTxSPEED")
        if int(found[1]) > 0:
            classes.append((int(found[1]), float(found[2])))
    if not classes:
        raise SpecError(f"'{text}': a machine has at least one core")
    if [speed for _, speed in classes] != sorted((s for _, s in classes), reverse=True):
        raise SpecError(f"'{text}': the fastest class comes first")
    return tuple(classes)


def _entry(entry: str | dict, what: str, keys: tuple[str, ...]) -> dict:
    """An entry with its text as `is`, and its lists and tables as the specs have them."""
    entry = {"is": entry} if isinstance(entry, str) else dict(entry)
    for key in entry:
        if key not in keys:
            raise SpecError(f"{what} has no '{key}': there are {', '.join(keys)}")
    for key, value in entry.items():
        if isinstance(value, list):
            entry[key] = tuple(value)
        if key == "arguments":
            entry[key] = tuple(value.split())
    if "factors" in entry:
        entry["factors"] = tuple((name, float(one)) for name, one in entry["factors"].items())
    if "environment" in entry:
        pairs = entry["environment"].items()
        entry["environment"] = tuple((name, str(value)) for name, value in pairs)
    return entry


def _one_of(entry: dict, key: str, what: str, known: tuple[str, ...]) -> None:
    if key in entry and entry[key] not in known:
        raise SpecError(f"{what}: {key} is one of {', '.join(known)}")


def _runtimes(entry: dict, what: str, known: tuple[str, ...] = RUNTIMES) -> tuple[str, ...]:
    """Those that an entry is limited to, of those that know it; none: it is not limited."""
    runtimes = entry.get("runtimes", ())
    for name in runtimes:
        if name not in known:
            raise SpecError(f"{what}: there is no runtime '{name}': there are {', '.join(known)}")
    return runtimes


def _keys(of: type, without: tuple[str, ...]) -> tuple[str, ...]:
    """What an entry may have: `is`, and the fields but those that follow from it."""
    return ("is", *(one.name for one in fields(of) if one.name not in without))


def machine(entry: str | dict) -> MachineSpec:
    """The machine of an entry: its text, or a table with the text as `is`."""
    entry = _entry(entry, "a machine", _keys(MachineSpec, ("kind", "classes")))
    text = entry.pop("is", "")
    what = f"machine '{text}'"
    kind, _, rest = text.partition(" ")
    if text in (AS_IS, ASYMMETRIC):
        kind, classes = text, ()
    elif kind in (STEAL, TOLD, VIRTUAL):
        classes = parse_classes(rest)
    else:
        raise SpecError(
            f"{what}: it is '{AS_IS}', '{ASYMMETRIC}', '{STEAL} ...', '{TOLD} ...' or "
            f"'{VIRTUAL} ...'"
        )
    if kind == STEAL and len(classes) < 2:
        raise SpecError(f"{what}: with one class there is nothing to slow")
    _one_of(entry, "binding", what, BINDINGS)
    found = MachineSpec(**{"name": text} | entry, kind=kind, classes=classes)
    if found.spread and (kind != VIRTUAL or len(classes) != 2 or len(found.spread) != 2):
        raise SpecError(f"{what}: spread is [LEAST, MOST], of a virtual machine of two classes")
    if found.factors and (kind != VIRTUAL or len(classes) != 2 or found.spread):
        raise SpecError(
            f"{what}: factors are of programs, on a virtual machine of two classes without spread"
        )
    if bool(found.bandwidth) != (found.demand > 0) or (found.bandwidth and kind != VIRTUAL):
        raise SpecError(f"{what}: bandwidth and demand go together, of a virtual machine")
    return found


def _natural_runtimes(value: str) -> tuple[str, ...] | None:
    """Which runtimes have a schedule at all; None: all of them."""
    if value.startswith("aid_"):
        return (OURS,)
    if value.startswith("static_steal"):
        return (LLVM, INTEL)
    return None


def schedule(entry: str | dict) -> ScheduleSpec:
    """The schedule of an entry: its text, or a table with the text as `is`. The text is a value of
    OMP_SCHEDULE, or KIND best of CHUNK, CHUNK..."""
    entry = _entry(entry, "a schedule", _keys(ScheduleSpec, ("values", "tasks")))
    text = entry.pop("is", "").strip()
    what = f"schedule '{text}'"
    kind, best_of, chunks = text.partition(" best of ")
    values = tuple(f"{kind},{chunk.strip()}" for chunk in chunks.split(",")) if best_of else (kind,)
    if any(not re.fullmatch(r"[A-Za-z_:]+(,\d*)*", value) for value in values):
        raise SpecError(f"{what}: it is KIND[,[N][,N]], or KIND best of N, N...")
    entry["fold"] = str(entry.get("fold", ""))
    if not re.fullmatch(r"|auto|[1-9]\d*", entry["fold"]):
        raise SpecError(f"{what}: fold is a number of threads a core, or 'auto'")
    _one_of(entry, "binding", what, BINDINGS)
    _one_of(entry, "split", what, (EVEN,))
    # Other runtimes would ignore it, and what they did be taken for it.
    natural = (OURS,) if entry["fold"] else _natural_runtimes(kind)
    entry["runtimes"] = _runtimes(entry, what) or natural
    label = text + (", offline SF" if entry.get("offline_sf") else "")
    label += "(SB)" if entry.get("binding") == "SB" else ""
    found = ScheduleSpec(**{"label": label} | entry, values=values)
    chosen = (found.fold, found.fast_only, found.each, found.alone is not None)
    if sum(map(bool, chosen)) > 1 or found.fast_only and found.binding == "SB":
        raise SpecError(
            f"{what}: it has one of fold, fast_only, each and alone, and fast_only goes without "
            "binding = SB"
        )
    numbers = (*found.each, *(() if found.alone is None else (found.alone,)))
    if not all(isinstance(n, int) and n >= 0 for n in numbers) or found.each and not any(numbers):
        raise SpecError(
            f"{what}: each has numbers of threads on a core, one for each class; alone is the "
            "number of a class, 0 being the fastest"
        )
    return found


def tasks(entry: str | dict) -> ScheduleSpec:
    """The mode of tasks of an entry: its text, or a table with the text as `is`."""
    keys = ("is", "label", "runtimes", "binding", "environment", "without")
    entry = _entry(entry, "tasks", keys)
    mode = entry.pop("is", "")
    what = f"tasks '{mode}'"
    if mode not in TASK_MODES:
        raise SpecError(f"{what}: it is one of {', '.join(TASK_MODES)}")
    _one_of(entry, "binding", what, BINDINGS)
    # The others would ignore the mode, and what they did be taken for it.
    natural = (OURS,) if mode == FIFO else None
    entry["runtimes"] = _runtimes(entry, what, natural or RUNTIMES) or natural
    label = f"tasks, {mode}" + ("(SB)" if entry.get("binding") == "SB" else "")
    return ScheduleSpec(**{"label": label} | entry, values=(TASKS_PREFIX + mode,), tasks=mode)
