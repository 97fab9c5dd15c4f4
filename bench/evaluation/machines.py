# SPDX-License-Identifier: GPL-3.0-or-later
"""Making the machines of a matrix for as long as programs are measured on them."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import demo, machine
from harness.runs import RunError

from .specs import STEAL, MachineSpec, ScheduleSpec


@dataclass(frozen=True)
class Ready:
    """A machine that programs can be run on now. cpus: the real ones by class, the fastest first;
    in virtual time only the first of them is used. reached: the factor of each class that
    amp-emu steal slowed, as it measured it."""

    spec: MachineSpec
    cpus: tuple[tuple[int, ...], ...]
    topology: str | None = None
    reached: str = ""

    @property
    def all_cpus(self) -> tuple[int, ...]:
        return tuple(cpu for members in self.cpus for cpu in members)

    @property
    def threads(self) -> int:
        cores = self.spec.cores if self.spec.virtual else len(self.all_cpus)
        return self.spec.threads or cores

    @property
    def fast_threads(self) -> int:
        """How many threads there are if only cores of the fastest class are used."""
        return self.spec.classes[0][0] if self.spec.virtual else len(self.cpus[0])

    def ordered(self, binding: str, schedule: ScheduleSpec) -> tuple[int, ...]:
        """The CPUs in the order in which threads are bound to them. RunError if a schedule has
        other classes."""
        if schedule.each:
            return self._several(binding, schedule.each)
        cpus = self.all_cpus if binding != "SB" else self.all_cpus[::-1]
        return cpus[: self.fast_threads if schedule.fast_only else self.threads]

    def _several(self, binding: str, each: tuple[int, ...]) -> tuple[int, ...]:
        if self.spec.virtual or len(each) != len(self.cpus):
            raise RunError(
                f"several threads on a core go with {len(each)} real classes of cores, and "
                f"{self.spec.name} has {'virtual ones' if self.spec.virtual else len(self.cpus)}"
            )
        found = [cpu for cpus, count in zip(self.cpus, each) for cpu in cpus for _ in range(count)]
        return tuple(found if binding != "SB" else found[::-1])


def assign(
    cpus: tuple[int, ...], classes: tuple[tuple[int, float], ...]
) -> tuple[tuple[int, ...], ...]:
    """Real CPUs for classes of cores: fast ones from the front, slow ones from the end, as
    bench/figures takes the first and the last CPU. RunError if there are not enough."""
    wanted = sum(count for count, _ in classes)
    if wanted > len(cpus):
        raise RunError(f"it has {wanted} cores, and this process may use {len(cpus)} CPUs")
    fast = classes[0][0]
    rest = list(cpus[len(cpus) - (wanted - fast) :])
    assigned = [cpus[:fast]]
    for count, _ in classes[1:]:
        assigned.append(tuple(rest[:count]))
        rest = rest[count:]
    return tuple(assigned)


def steal_options(
    cpus: tuple[tuple[int, ...], ...], classes: tuple[tuple[int, float], ...]
) -> list[str]:
    """The options of amp-emu steal that slow all classes but the fastest."""
    options = []
    for members, (_, speed) in list(zip(cpus, classes, strict=True))[1:]:
        options += ["--small", ",".join(map(str, members))]
        options += ["--sf", f"{classes[0][1] / speed:g}"]
    return options


@contextmanager
def _stolen(spec: MachineSpec, build: Path) -> Iterator[Ready]:
    """CPUs are slowed for whatever runs on them, so the programs need not be children of amp-emu:
    it runs a cat, and ends when its input does."""
    prefix, reason = machine.emulation_prefix(build)
    if not prefix:
        raise RunError(f"no CPU can be slowed: {reason}")
    cpus = assign(machine.own_cpus(), spec.classes)
    with tempfile.TemporaryDirectory(prefix="amp-run-") as scratch:
        calibration = Path(scratch) / "calibration.json"
        command = [*prefix, STEAL, *steal_options(cpus, spec.classes)]
        command += ["--json", str(calibration), "--", "sh", "-c", "echo ready; exec cat"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as session:
            try:
                if session.stdout.readline() != "ready\n":
                    raise RunError("amp-emu steal did not start its command")
                emulated = machine.emulated(machine.classes_to_text(cpus), calibration)
                yield Ready(spec, cpus, emulated.topology, machine.reached_factors(calibration))
            finally:
                session.stdin.close()


@contextmanager
def make(spec: MachineSpec, build: Path) -> Iterator[Ready]:
    """The machine, while the block lasts; RunError if this one cannot be made such."""
    if spec.virtual:
        yield Ready(spec, (machine.own_cpus(),))
    elif spec.kind == STEAL:
        with _stolen(spec, build) as ready:
            yield ready
    else:
        yield Ready(spec, demo.real_classes(build) or (machine.own_cpus(),))
