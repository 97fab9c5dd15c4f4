# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure of slow cores that a saturated memory makes useless, in virtual time."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .runs import RunError
from .virtual import Found, Rows, VirtualFigure, grid, lab, middle

MACHINE = "4x3.0+4x1.0"
REMOVAL_NS = 100
# In GB/s of a core of speed 1: the fast cores demand 30 together, all cores 40.
DEMAND = 2.5
NO_CAP = "none"
# Of all cores, where the slow ones add a third, a sixth or nothing; and of the slow ones alone,
# which get half of what they demand.
CAPS = (NO_CAP, "35", "30", "15", "0:5")
FAST_ONLY, STATIC, FOLDED = "fast cores only", "static", "static, folded"
SCHEDULES = ("aid_static", "aid_hybrid", "aid_dynamic")
ARGUMENTS = ("--by-clock=1", "--repeats=10")

_SECONDS = re.compile(r"^result: seconds=(\S+) verified=1 ", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """The kernel `shapes` with caps on the memory's bandwidth, in one of the columns' ways."""

    caps: str
    way: str

    def environment(self) -> dict[str, str]:
        if self.way in SCHEDULES:
            return {"OMP_SCHEDULE": self.way}
        more = {FAST_ONLY: {"OMP_NUM_THREADS": "4"}, STATIC: {}, FOLDED: {"GOMP_AMP_FOLD": "auto"}}
        return {"OMP_SCHEDULE": "static", **more[self.way]}

    def run(self, build: Path) -> dict[str, float]:
        program = build / "bench" / ("shapes" if self.way in SCHEDULES else "shapes-inline")
        with tempfile.NamedTemporaryFile("w", suffix=".demand") as demand:
            demand.write(f"program {DEMAND}\n")
            demand.flush()
            options = ["--removal-ns", str(REMOVAL_NS)]
            if self.caps != NO_CAP:
                options += ["--bandwidth", self.caps, "--demand", demand.name]
            printed, _ = lab.run(
                build, MACHINE, [program, *ARGUMENTS], *options, **self.environment()
            )
        found = _SECONDS.search(printed)
        if found is None:
            raise RunError(f"shapes was not verified: {printed}")
        return {"seconds": float(found[1])}


def _speeds(found: Found) -> tuple[list[str], Rows, bool]:
    """How fast each is, relative to the fast cores alone under the same caps."""
    seconds = {key: middle(rounds, "seconds") for key, rounds in found.items()}
    columns, rows = grid(
        {(caps, way): seconds[caps, FAST_ONLY] / took for (caps, way), took in seconds.items()}
    )
    return ["GB/s", *columns[1:]], rows, True


FIGURE = VirtualFigure(
    "virtual-bandwidth",
    "speed relative to the fast cores alone, by the memory's bandwidth",
    f"{MACHINE}, ten loops of 2000 equal iterations of 20 us, a demand of {DEMAND:g} GB/s at speed "
    f"1: 30 GB/s of the fast cores, 40 of all; 0:5 caps the slow ones alone",
    {
        (caps, way): Case(caps, way)
        for caps in CAPS
        for way in (FAST_ONLY, STATIC, FOLDED, *SCHEDULES)
    },
    _speeds,
)
