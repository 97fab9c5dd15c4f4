# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPUs that a figure runs on, by class, and how they are made to differ."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median

# Longer than amp-emu takes to calibrate even on a busy machine.
TRIAL_SECONDS = 60


@dataclass(frozen=True)
class Machine:
    """CPUs by class, the fastest class first; of one class on a symmetric machine.

    topology is what our library is told in GOMP_AMP_TOPOLOGY, if anything; description is for the
    heading of a table.
    """

    classes: tuple[tuple[int, ...], ...]
    description: str
    topology: str | None = None

    @property
    def cpus(self) -> tuple[int, ...]:
        """All CPUs, fast ones first: the order in which threads are bound to them."""
        return tuple(cpu for members in self.classes for cpu in members)


def classes_to_text(classes: tuple[tuple[int, ...], ...]) -> str:
    """The classes as a word for a command line: 0,1/2,3."""
    return "/".join(",".join(map(str, members)) for members in classes)


def classes_from_text(text: str) -> tuple[tuple[int, ...], ...]:
    """The inverse of classes_to_text."""
    return tuple(tuple(int(cpu) for cpu in part.split(",")) for part in text.split("/"))


def own_cpus() -> tuple[int, ...]:
    """The CPUs that this process may use, ascending."""
    return tuple(sorted(os.sched_getaffinity(0)))


def pair() -> tuple[int, int] | None:
    """The two CPUs that the figures are measured on, or None on a machine of one CPU."""
    cpus = own_cpus()
    return (cpus[0], cpus[-1]) if len(cpus) > 1 else None


def emulation_prefix(build: Path) -> tuple[list[str], str]:
    """The command that amp-emu is started with here, and why there is none if it is empty."""
    emulator = build / "bin" / "amp-emu"
    if not emulator.exists():
        return [], f"{emulator} is not built"
    cpus = pair()
    if cpus is None:
        return [], "there is only one CPU, so none can be slower than another"
    reason = ""
    for prefix in ([], ["sudo", "-n", "--preserve-env"]):
        if prefix and not shutil.which(prefix[0]):
            continue
        trial = [
            *prefix,
            str(emulator),
            "steal",
            "--small",
            str(cpus[1]),
            "--sf",
            "2",
            "--quiet",
            "--",
            "true",
        ]
        try:
            done = subprocess.run(trial, capture_output=True, text=True, timeout=TRIAL_SECONDS)
        except subprocess.TimeoutExpired:
            return (
                [],
                f"amp-emu did not calibrate within {TRIAL_SECONDS} s; is another one running?",
            )
        if done.returncode == 0:
            return trial[: len(prefix) + 1], ""
        reason = reason or done.stderr.strip() or f"amp-emu ended with status {done.returncode}"
    return [], reason


def emulation_command(
    prefix: list[str], slow: tuple[int, ...], factor: float, calibration: Path, command: list[str]
) -> list[str]:
    """The command that runs another one with the slow CPUs slowed, and writes its calibration."""
    options = ["--small", ",".join(map(str, slow)), "--sf", str(factor), "--json", str(calibration)]
    options.append("--quiet")
    return [*prefix, "steal", *options, "--", *command]


def drifted(calibration: Path) -> list[str]:
    """What amp-emu says of slowed CPUs that were not as slow at the end as at the beginning."""
    phrases = json.loads(calibration.read_text()).get("disturbed", [])
    return [phrase for phrase in phrases if phrase.startswith("CPU ")]


def reached_factors(calibration: Path) -> str:
    """How many times slower a calibration says that each CPU really is: CPU:FACTOR,..."""
    cpus = json.loads(calibration.read_text())["cpus"]
    return ",".join(f"{cpu['cpu']}:{cpu['reached']:.2f}" for cpu in cpus)


def emulated(text: str, calibration: Path) -> Machine:
    """The machine as it is inside amp-emu: the classes in text, as slow as the calibration says."""
    report = json.loads(calibration.read_text())
    reached = median(cpu["reached"] for cpu in report["cpus"])
    classes = classes_from_text(text)
    slow = ",".join(map(str, classes[-1]))
    description = f"CPU {slow} made {reached:.2f} times slower by amp-emu steal"
    return Machine(classes, description, report["topology"])


WARM_UP_ROUNDS = 1
# Of the paragraphs around a table.
WIDTH = 80
# What a finding says of other programs.
BESIDE_OTHERS = "other programs ran"


def round_name(number: int, rounds: int) -> str:
    """What to call a round while it is measured; numbers below 0 are rounds that do not count."""
    return "warm-up" if number < 0 else f"round {number + 1} of {rounds}"
