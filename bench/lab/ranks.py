# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting the ranks of an MPI program, each with its part of a machine.

In virtual time each rank has a virtual machine of its own, of the cores in its mask, and messages
carry its time. On this machine `amp-run` runs each rank.
"""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from environment import clean

from .machines import Machine, cpus_of_list
from .runs import Result, RunError
from .specs import EVEN, ScheduleSpec

LAUNCHERS = {
    "openmpi": ("mpirun.openmpi", "--bind-to", "none", "--oversubscribe", "-q"),
    "mpich": ("mpiexec.hydra", "-bind-to", "none"),
}
# Open MPI refuses to be run by root otherwise.
ENVIRONMENT = (("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"))
# These are for the whole machine.
_UNSET = ("-u", "OMP_NUM_THREADS", "-u", "OMP_PLACES", "-u", "OMP_PROC_BIND")


@dataclass(frozen=True)
class Rank:
    """What starts one rank, with its variables, and its part of the work."""

    prefix: tuple[str, ...]
    variables: dict[str, str]
    capacity: int = 1

    def words(self, program: tuple[str, ...]) -> tuple[str, ...]:
        variables = (f"{name}={value}" for name, value in self.variables.items())
        part = f"--capacity={self.capacity}"
        return ("-n", "1", "env", *_UNSET, *variables, *self.prefix, *program, part)


def cut(cores: list[int], ranks: int) -> list[list[int]]:
    """Equal numbers of neighbouring cores. RunError if there are too few."""
    each, rest = divmod(len(cores), ranks)
    if rest or not each:
        raise RunError(f"{len(cores)} cores cannot be shared out evenly among {ranks} ranks")
    return [cores[i * each : (i + 1) * each] for i in range(ranks)]


class _Virtual:
    """Ranks on virtual machines."""

    def __init__(self, machine: Machine, build: Path):
        self._machine, self._build = machine, build
        self._speeds = [speed for count, speed in machine.spec.classes for _ in range(count)]

    def _emulator(self, machine: str) -> tuple[str, ...]:
        tool = str(self._build / "bin" / "amp-emu")
        words = ("virtual", machine, "-q", f"--removal-ns={self._machine.spec.removal_ns}", "--")
        return (tool, *words)

    def _masks(self, schedule: ScheduleSpec) -> list[list[int]]:
        """The cores of each rank; without a split by amp-info."""
        ranks = self._machine.spec.ranks
        cores = list(range(len(self._speeds)))
        if schedule.fast_only:
            return cut(cores[: self._machine.fast_threads], ranks)
        if schedule.split == EVEN:
            return cut(cores, ranks)
        info = (str(self._build / "bin" / "amp-info"), "--json", f"--ranks={ranks}")
        words = (*self._emulator(self._machine.spec.text.split()[1]), *info)
        found = json.loads(subprocess.check_output(words, env=clean()))["ranks"]
        return [list(cpus_of_list(rank["cpus"])) for rank in found]

    def _rank(self, cores: list[int], schedule: ScheduleSpec) -> Rank:
        """A machine without fast cores gets one, as the fastest class of a virtual machine is as
        fast as the real one, and leaves it idle."""
        speeds = sorted((self._speeds[core] for core in cores), reverse=True)
        variables = {"GOMP_AMP_FOLD": schedule.fold} if schedule.fold else {}
        machine = "+".join(f"{speeds.count(speed)}x{speed}" for speed in dict.fromkeys(speeds))
        if speeds[0] != self._speeds[0]:
            machine = f"1x{self._speeds[0]}+{machine}"
            variables |= {"GOMP_AMP_AFFINITY": "SB", "OMP_NUM_THREADS": str(len(cores))}
        capacity = round(1000 * sum(speeds)) if schedule.by_capacity else 1
        return Rank(self._emulator(machine), variables, capacity)

    def ranks(self, schedule: ScheduleSpec) -> list[Rank]:
        if schedule.alone is not None:
            return [Rank(self._emulator("1x1.0"), {"OMP_NUM_THREADS": "1"})]
        return [self._rank(cores, schedule) for cores in self._masks(schedule)]


class _Real:
    """Ranks on this machine's CPUs."""

    def __init__(self, machine: Machine, build: Path):
        self._machine, self._run = machine, str(build / "bin" / "amp-run")
        self._topology = {"GOMP_AMP_TOPOLOGY": machine.topology} if machine.topology else {}

    def _rank(self, cpus: tuple[int, ...], options: tuple[str, ...], threads: int) -> Rank:
        confined = ("taskset", "-c", ",".join(map(str, cpus))) if cpus else ()
        variables = self._topology | ({"OMP_NUM_THREADS": str(threads)} if threads else {})
        return Rank((*confined, self._run, *options, "--"), variables)

    def _capacities(self, ranks: int) -> list[int]:
        pairs = (pair.split("=") for pair in (self._machine.topology or "").split(",") if pair)
        found = {int(cpu): int(capacity) for cpu, capacity in pairs}
        parts = cut(list(self._machine.all_cpus), ranks)
        return [sum(found.get(cpu, 1) for cpu in part) for part in parts]

    def ranks(self, schedule: ScheduleSpec) -> list[Rank]:
        count, fast = self._machine.spec.ranks, self._machine.cpus[0]
        if schedule.alone is not None:
            return [self._rank(self._machine.ordered("BS", schedule), (), 1)]
        if schedule.fast_only:
            return [self._rank(fast, (), max(len(fast) // count, 1))] * count
        if schedule.split == EVEN:
            return [self._rank((), (), len(self._machine.all_cpus))] * count
        options = (*(("--ranks",) if count > 1 else ()), *(("--fold",) if schedule.fold else ()))
        one = self._rank((), options, 0)
        if not schedule.by_capacity:
            return [one] * count
        return [Rank(one.prefix, one.variables, part) for part in self._capacities(count)]


def check(result: Result, count: int, schedule: ScheduleSpec) -> None:
    """RunError unless the program had so many ranks, on our library."""
    count = count if schedule.alone is None else 1
    found = int(result.fields.get("ranks", 0)), result.fields.get("amp", 0) > 0
    if found != (count, True):
        raise RunError(f"it had {found[0]} ranks instead of {count}, or not our library")


def command(
    program: tuple[str, ...], machine: Machine, schedule: ScheduleSpec, build: Path
) -> tuple[str, ...]:
    """What starts all ranks of a program, whose name ends in that of its MPI."""
    kind = os.path.basename(program[0]).rpartition("-")[2]
    started = (_Virtual if machine.spec.virtual else _Real)(machine, build).ranks(schedule)
    words: tuple[str, ...] = LAUNCHERS[kind]
    for number, rank in enumerate(started):
        words += (*((":",) if number else ()), *rank.words(program))
    return words
