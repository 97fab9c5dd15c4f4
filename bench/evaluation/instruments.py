# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read around a run besides its time: counters and energy, as far as the machine has them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from . import counters, papi
from .energy import PackageEnergy
from .machines import Ready

HARDWARE, SOFTWARE, NOTHING = "hardware, by PAPI", "software events of the kernel", "none"


@dataclass
class Reading:
    """The instruments of one run: begin, have in_child called in its process, and end."""

    events: counters.SoftwareEvents | None
    hardware: papi.Counters | None
    energy: PackageEnergy | None
    classes: tuple[tuple[int, ...], ...]
    before: list[int] = field(default_factory=list)

    def in_child(self) -> None:
        if self.events:
            self.events.in_child()

    def begin(self) -> None:
        if self.hardware:
            self.hardware.start()
        if self.energy:
            self.before = self.energy.read()

    def end(self) -> dict[str, object]:
        """The columns of the record, without those that nothing was read for."""
        found: dict[str, object] = {}
        if self.energy:
            found["energy_j"] = self.energy.joules(self.before, self.energy.read())
        if self.hardware:
            found |= papi.by_class(self.hardware.stop(), self.classes)
            found["counters"] = HARDWARE
        elif self.events:
            found |= self.events.values()
            found["counters"] = SOFTWARE
        else:
            found["counters"] = NOTHING
        return found


class Instruments:
    """The instruments that fit a machine; what is not there is said by note. Hardware counters and
    energy tell of the real machine, and nothing of a virtual one."""

    def __init__(self, ready: Ready, note: Callable[[str], None]):
        self._classes = ready.cpus
        self._hardware = self._energy = None
        if not ready.spec.virtual:
            self._energy = PackageEnergy()
            if not self._energy.zones:
                note("no energy: /sys/class/powercap has no package that can be read")
                self._energy = None
            try:
                self._hardware = papi.Counters(ready.all_cpus)
            except papi.PapiError as error:
                note(f"no hardware counters: {error}; the kernel's software events stand in")
        self._no_events = counters.missing()
        if self._no_events and not self._hardware:
            note(f"no software events either: {self._no_events}")

    def reading(self) -> Reading:
        use_events = not self._hardware and not self._no_events
        events = counters.SoftwareEvents() if use_events else None
        return Reading(events, self._hardware, self._energy, self._classes)
