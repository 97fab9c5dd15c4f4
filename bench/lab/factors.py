# SPDX-License-Identifier: GPL-3.0-or-later
"""Speedup factors of a program's loops: spread over a range for a virtual machine, and sampled
beforehand for schedules that are given them."""

import re
from pathlib import Path

from .runs import RunError

_LOOP = re.compile(r"^(?P<loop>\S+\+0x[0-9a-f]+) ", re.MULTILINE)
# Multiples of it, taken modulo 1, lie evenly however many there are.
_GOLDEN = 0.6180339887498949


def loops(saved: Path) -> list[str]:
    """The loops in a file that GOMP_AID_SF_SAVE wrote, by their addresses; none without a file."""
    if not saved.exists():
        return []
    found = [match["loop"] for match in _LOOP.finditer(saved.read_text())]
    return sorted(
        found, key=lambda loop: (loop.partition("+")[0], int(loop.rpartition("x")[2], 16))
    )


def spread(names: list[str], least: float, most: float) -> dict[str, float]:
    """A factor for each loop, evenly over the logarithms of the range."""
    return {name: least * (most / least) ** ((i + 1) * _GOLDEN % 1) for i, name in enumerate(names)}


def write_spread(saved: Path, target: Path, least: float, most: float) -> None:
    """The file for amp-emu virtual --sf-file which gives the fast class of a machine those."""
    factors = spread(loops(saved), least, most)
    if not factors:
        raise RunError("no loop of it was sampled, so that there is none to give a factor")
    target.write_text("".join(f"{name} 1:{factor:.4f}\n" for name, factor in factors.items()))
