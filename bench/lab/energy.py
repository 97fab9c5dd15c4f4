# SPDX-License-Identifier: GPL-3.0-or-later
"""The energy that the processor's packages use, by the kernel's powercap (RAPL), or by the power
sensors of a board."""

from pathlib import Path

POWERCAP, HWMON = Path("/sys/class/powercap"), Path("/sys/class/hwmon")
NONE = f"n/a: {POWERCAP} has no package and {HWMON} no counter of energy that can be read"


class PackageEnergy:
    """Reads the packages' counters, or else those of the rails that have sensors; counters is empty
    where there are none to be read."""

    def __init__(self, root: Path = POWERCAP, sensors: Path = HWMON):
        self.counters: list[Path] = []
        for zone in sorted(root.glob("*:*")):
            try:
                is_package = (zone / "name").read_text().startswith("package")
                if is_package:
                    self._add(zone / "energy_uj")
            except OSError:
                continue
        if not self.counters:
            for counter in sorted(sensors.glob("*/energy*_input")):
                self._add(counter)

    def _add(self, counter: Path) -> None:
        try:
            int(counter.read_text())
        except (OSError, ValueError):
            return
        self.counters.append(counter)

    def read(self) -> list[int]:
        """The counters, in microjoules."""
        return [int(counter.read_text()) for counter in self.counters]

    def joules(self, before: list[int], after: list[int]) -> float:
        """What was used between two readings; a counter may have started over once."""
        total = 0
        for counter, first, last in zip(self.counters, before, after):
            wraps_at = counter.parent / "max_energy_range_uj"
            if last < first and wraps_at.exists():
                last += int(wraps_at.read_text())
            total += last - first
        return total / 1e6
