# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read around a run in addition to its time: usage, hardware counters and energy, as far as
the machine has them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from . import counters, energy
from .energy import PackageEnergy
from .machines import Machine
from .usage import Usage

NO_HARDWARE = "rusage"


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
            found["counters"] = f"{NO_HARDWARE} and hardware by {self.tool.label}"
        return found


class Instruments:
    """The instruments that fit a machine; what is not there is reported by note. Hardware counters
    and energy tell of the real machine, and nothing of a virtual one, whose energy is
    modelled."""

    def __init__(
        self, machine: Machine, tool: counters.Tool, scratch: Path, note: Callable[[str], None]
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
        missing = tool.missing(machine.all_cpus, self._file)
        if missing:
            note(f"no hardware counters by {tool.label}: {missing}")
        else:
            self._tool = tool

    def reading(self) -> Reading:
        return Reading(self._tool, self._energy, self._classes, self._file)
