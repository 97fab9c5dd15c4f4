# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read around a run in addition to its time: usage, hardware counters and energy, as far as
the machine has them."""

import resource
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from . import counters, energy
from .energy import PackageEnergy
from .machines import Machine

NO_HARDWARE = "rusage"


class Usage:
    """What the kernel says of a program that has been waited for, which every user may read. Begins
    where it is made; since() is what the children have used that were waited for since. One child
    at a time is waited for, so it is that program's, with its own children."""

    def __init__(self):
        self._before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def since(self) -> dict[str, int]:
        """By column; the clock is in nanoseconds."""
        before, after = self._before, resource.getrusage(resource.RUSAGE_CHILDREN)

        def more(*names: str) -> float:
            return sum(getattr(after, name) - getattr(before, name) for name in names)

        return {
            "task_clock_ns": round(1e9 * more("ru_utime", "ru_stime")),
            "page_faults": round(more("ru_minflt", "ru_majflt")),
            "context_switches": round(more("ru_nvcsw", "ru_nivcsw")),
        }


@dataclass
class Reading:
    """The instruments of one run: command goes before the run's own; begin and end are called
    around it."""

    tool: counters.Tool | None
    energy: PackageEnergy | None
    classes: tuple[tuple[int, ...], ...]
    file: Path
    usage: Usage = field(default_factory=Usage)
    before: list[int] = field(default_factory=list)

    @property
    def command(self) -> tuple[str, ...]:
        if self.tool is None:
            return ()
        return self.tool.command(
            tuple(cpu for members in self.classes for cpu in members), self.file
        )

    def begin(self) -> None:
        self.file.unlink(missing_ok=True)
        if self.energy:
            self.before = self.energy.read()
        self.usage = Usage()

    def end(self) -> dict[str, object]:
        """The columns of the record, without those that nothing was read for."""
        found: dict[str, object] = dict(self.usage.since())
        found["counters"] = NO_HARDWARE
        if self.energy:
            found["energy_j"] = self.energy.joules(self.before, self.energy.read())
        if self.tool and self.file.exists():
            found |= counters.by_class(self.tool.read(self.file), self.classes)
            found["counters"] = f"{NO_HARDWARE} and hardware by PAPI"
        return found


class Instruments:
    """The instruments that fit a machine; what is not there is reported by note. Hardware counters
    and energy tell of the real machine, and nothing of a virtual one, whose energy is
    modelled."""

    def __init__(
        self,
        machine: Machine,
        tool: counters.Tool | None,
        scratch: Path,
        note: Callable[[str], None],
    ):
        self._classes = machine.cpus
        self._file = scratch / "counters"
        self._tool = self._energy = None
        if machine.spec.virtual:
            return
        self._energy = PackageEnergy()
        if not self._energy.counters:
            note(f"energy: {energy.NONE}")
            self._energy = None
        missing = tool.missing(machine.all_cpus, self._file) if tool else ""
        if missing:
            note(f"no hardware counters by PAPI: {missing}")
        else:
            self._tool = tool

    def reading(self) -> Reading:
        return Reading(self._tool, self._energy, self._classes, self._file)
