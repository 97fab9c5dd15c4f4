# SPDX-License-Identifier: GPL-3.0-or-later
"""The makespan of a loop in virtual time, held against the one that the simulation computes."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import lab
import simulate
from lab import environment

MACHINE = "4x3.0+4x1.0"
SHAPES = ("uniform", "rising", "falling", "exponential", "pareto")
SCHEDULES = ("static", "dynamic", "guided")
REMOVAL_NS = 100
# How much later each thread arrives at the loop, so that it is known who comes first, as the
# simulation has to know for guided.
STAGGER_NS = 20000
# Which order of the random costs: one in which no makespan hangs on a hair, as on who takes the
# longest Pareto iteration.
SEED = 7

_SECONDS = re.compile(r"^result: seconds=(\S+) verified=1 ", re.MULTILINE)


@dataclass(frozen=True)
class Loop:
    """One run of the kernel `shapes` on a machine: seconds of virtual time that the loop took, and
    the work of all its iterations, in seconds, as on the fastest core."""

    machine: str
    schedule: str
    stagger_ns: int
    seconds: float
    work: float

    @property
    def slowness(self) -> list[float]:
        return simulate.slowness_of_threads(simulate.parse_machine(self.machine))

    @property
    def bound(self) -> float:
        """The least seconds in which the machine could do the work."""
        return simulate.bound([self.work], self.slowness)


def run(
    build: Path,
    machine: str,
    schedule: str,
    *arguments: str,
    removal_ns: int = REMOVAL_NS,
    stagger_ns: int = STAGGER_NS,
) -> Loop:
    """Run the kernel on a virtual machine; LabError unless its answer is right."""
    program = build / "bench" / "counted" / "shapes"
    command = [program, f"--stagger-ns={stagger_ns}", f"--seed={SEED}", *arguments]
    options = ["--removal-ns", str(removal_ns)]
    printed, report = lab.run(build, machine, command, *options, OMP_SCHEDULE=schedule)
    found = _SECONDS.search(printed)
    if found is None or f"/{lab.RUNTIME}\n" not in printed:
        raise lab.LabError(f"shapes was not verified in virtual time: {printed}")
    threads = len(simulate.slowness_of_threads(simulate.parse_machine(machine)))
    late = 1e-9 * stagger_ns * sum(range(threads))
    work = 1e-9 * report["parallel"]["work_ns"] - late
    return Loop(machine, schedule, stagger_ns, float(found[1]), work)


def costs(build: Path, *arguments: str) -> list[float]:
    """The nominal costs, in seconds, of the iterations that the kernel has with these arguments."""
    command = [build / "bench" / "shapes", f"--seed={SEED}", "--print-costs=1", *arguments]
    done = subprocess.run(
        command, env=environment.clean(), capture_output=True, text=True, check=True
    )
    return [1e-9 * float(line) for line in done.stdout.split()]


def simulated(loop: Loop, nominal: list[float]) -> float:
    """The makespan in seconds that the simulation computes for that run.

    The costs are scaled to the work that the run really had.
    """
    scale = loop.work / sum(nominal)
    return simulate.simulate(
        [scale * cost for cost in nominal],
        loop.slowness,
        loop.schedule,
        1e-9 * REMOVAL_NS,
        [1e-9 * loop.stagger_ns * thread * slow for thread, slow in enumerate(loop.slowness)],
    ).makespan
