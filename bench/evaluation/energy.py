# SPDX-License-Identifier: GPL-3.0-or-later
"""The energy that the processor's packages use, as the kernel's powercap tells it."""

from pathlib import Path

POWERCAP = Path("/sys/class/powercap")


class PackageEnergy:
    """Reads the packages' counters; files is empty where there are none to be read."""

    def __init__(self, root: Path = POWERCAP):
        self.zones = []
        for zone in sorted(root.glob("*:*")):
            try:
                is_package = (zone / "name").read_text().startswith("package")
                if is_package:
                    int((zone / "energy_uj").read_text())
                    self.zones.append(zone)
            except (OSError, ValueError):
                continue

    def read(self) -> list[int]:
        """The counters, in microjoules."""
        return [int((zone / "energy_uj").read_text()) for zone in self.zones]

    def joules(self, before: list[int], after: list[int]) -> float:
        """What was used between two readings; a counter may have started over once."""
        total = 0
        for zone, first, last in zip(self.zones, before, after):
            if last < first:
                last += int((zone / "max_energy_range_uj").read_text())
            total += last - first
        return total / 1e6
