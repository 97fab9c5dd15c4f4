# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding or making the asymmetric machine that the demonstration runs on."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import environment

from .machine import Machine, emulation_prefix, own_cpus
from .runs import program

_CLASS = re.compile(r"LIBGOMP_AMP_CLASS_(\d+) = 'CPUs ([\d,-]+), capacity")


@dataclass(frozen=True)
class Choice:
    """A machine, and whether amp-emu has to make its last class slow."""

    machine: Machine
    emulate: bool


def cpus_of_list(text: str) -> tuple[int, ...]:
    """The CPUs of a list such as 0-3,8."""
    cpus = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def classes_in(display: str) -> tuple[tuple[int, ...], ...]:
    """The classes of cores, fastest first, in what OMP_DISPLAY_ENV=verbose prints."""
    found = sorted(((int(m[1]), m[2]) for m in _CLASS.finditer(display)), reverse=True)
    return tuple(cpus_of_list(cpus) for _, cpus in found)


def real_classes(build: Path) -> tuple[tuple[int, ...], ...]:
    """The classes that our library finds on this machine, fastest first."""
    env = environment.clean(OMP_DISPLAY_ENV="verbose", LD_LIBRARY_PATH=str(build / "lib"))
    command = [str(program(build, "uniform")), "--help"]
    return classes_in(subprocess.run(command, env=env, capture_output=True, text=True).stderr)


def choose(build: Path, note: Callable[[str], None]) -> Choice:
    """The machine itself if its cores differ, else one half of them slowed; failing both, the
    machine as it is, with the reason in a note."""
    classes = real_classes(build)
    if len(classes) > 1:
        listed = " / ".join(",".join(map(str, members)) for members in classes)
        return Choice(Machine(classes, f"the machine's own classes, CPUs {listed}"), False)
    cpus = own_cpus()
    _, reason = emulation_prefix(build)
    if not reason:
        half = (len(cpus) + 1) // 2
        return Choice(Machine((cpus[:half], cpus[half:]), "to be slowed"), True)
    note(
        "this machine's cores are all alike, and they cannot be made to differ either "
        f"({reason}); what follows shows only that nothing is lost on such a machine"
    )
    return Choice(Machine((cpus,), "equal cores"), False)
