# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPUs of this machine, and the machines of a matrix, for as long as programs are measured on
them."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import environment

from .runs import RunError, program
from .specs import ASYMMETRIC, STEAL, TOLD, Classes, MachineSpec, ScheduleSpec

# Longer than amp-emu takes to calibrate even on a busy machine.
TRIAL_SECONDS = 60
SLOWDOWN = 2.0

_CLASS = re.compile(r"LIBGOMP_AMP_CLASS_(\d+) = 'CPUs ([\d,-]+), capacity")

Cpus = tuple[int, ...]


@dataclass(frozen=True)
class Machine:
    """A machine that programs can be run on now. cpus: the real ones by class, the fastest first;
    in virtual time only the first of them is used. topology: what our library is told in
    GOMP_AMP_TOPOLOGY. reached: the factor of each class that amp-emu steal slowed, as it measured
    it."""

    spec: MachineSpec
    cpus: tuple[Cpus, ...]
    topology: str | None = None
    reached: str = ""

    @property
    def all_cpus(self) -> Cpus:
        return tuple(cpu for members in self.cpus for cpu in members)

    @property
    def classes(self) -> str:
        """The real CPUs by class, as 0,1/2,3; nothing in virtual time."""
        return "" if self.spec.virtual else "/".join(",".join(map(str, one)) for one in self.cpus)

    @property
    def threads(self) -> int:
        cores = self.spec.cores if self.spec.virtual else len(self.all_cpus)
        return self.spec.threads or cores

    @property
    def fast_threads(self) -> int:
        """How many threads there are if only cores of the fastest class are used."""
        return self.spec.classes[0][0] if self.spec.virtual else len(self.cpus[0])

    @property
    def symmetric(self) -> bool:
        return len(self.spec.classes if self.spec.virtual else self.cpus) == 1

    def ordered(self, binding: str, schedule: ScheduleSpec) -> Cpus:
        """The CPUs in the order in which threads are bound to them. RunError if a schedule has
        other classes."""
        if schedule.each:
            return self._several(binding, schedule.each)
        if schedule.alone is not None and not self.spec.virtual:
            if schedule.alone >= len(self.cpus):
                raise RunError(f"{self.spec.name} has no class of cores {schedule.alone}")
            return self.cpus[schedule.alone][:1]
        cpus = self.all_cpus if binding != "SB" else self.all_cpus[::-1]
        return cpus[: self.fast_threads if schedule.fast_only else self.threads]

    def _several(self, binding: str, each: tuple[int, ...]) -> Cpus:
        if self.spec.virtual or len(each) != len(self.cpus):
            raise RunError(
                f"several threads on a core go with {len(each)} real classes of cores, and "
                f"{self.spec.name} has {'virtual ones' if self.spec.virtual else len(self.cpus)}"
            )
        found = [cpu for cpus, count in zip(self.cpus, each) for cpu in cpus for _ in range(count)]
        return tuple(found if binding != "SB" else found[::-1])


def own_cpus() -> Cpus:
    """The CPUs that this process may use, ascending."""
    return tuple(sorted(os.sched_getaffinity(0)))


def cpus_of_list(text: str) -> Cpus:
    """The CPUs of a list such as 0-3,8."""
    cpus = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def classes_in(display: str) -> tuple[Cpus, ...]:
    """The classes of cores, fastest first, in what OMP_DISPLAY_ENV=verbose prints."""
    found = sorted(((int(m[1]), m[2]) for m in _CLASS.finditer(display)), reverse=True)
    return tuple(cpus_of_list(cpus) for _, cpus in found)


def real_classes(build: Path) -> tuple[Cpus, ...]:
    """The classes that our library finds on this machine, fastest first."""
    env = environment.clean(OMP_DISPLAY_ENV="verbose", LD_LIBRARY_PATH=str(build / "lib"))
    command = [str(program(build, "uniform")), "--help"]
    display = subprocess.run(command, env=env, capture_output=True, text=True).stderr
    return classes_in(display) or (own_cpus(),)


def emulation_prefix(build: Path) -> tuple[list[str], str]:
    """The command that amp-emu is started with here, and why there is none if it is empty."""
    emulator = build / "bin" / "amp-emu"
    if not emulator.exists():
        return [], f"{emulator} is not built"
    cpus = own_cpus()
    if len(cpus) < 2:
        return [], "there is only one CPU, so none can be slower than another"
    reason = ""
    for prefix in ([], ["sudo", "-n", "--preserve-env"]):
        if prefix and not shutil.which(prefix[0]):
            continue
        command = [*prefix, str(emulator)]
        trial = [*command, STEAL, "--small", str(cpus[-1]), "--sf", "2", "--quiet", "--", "true"]
        try:
            done = subprocess.run(trial, capture_output=True, text=True, timeout=TRIAL_SECONDS)
        except subprocess.TimeoutExpired:
            reason = f"amp-emu did not calibrate within {TRIAL_SECONDS} s; is another one running?"
            return [], reason
        if done.returncode == 0:
            return command, ""
        reason = reason or done.stderr.strip() or f"amp-emu ended with status {done.returncode}"
    return [], reason


def assign(cpus: Cpus, classes: Classes) -> tuple[Cpus, ...]:
    """Real CPUs for classes of cores: fast ones from the front, slow ones from the end. RunError if
    there are not enough."""
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


def steal_options(cpus: tuple[Cpus, ...], classes: Classes) -> list[str]:
    """The options of amp-emu steal that slow all classes but the fastest."""
    options = []
    for members, (_, speed) in list(zip(cpus, classes, strict=True))[1:]:
        options += ["--small", ",".join(map(str, members))]
        options += ["--sf", f"{classes[0][1] / speed:g}"]
    return options


def topology_of(cpus: tuple[Cpus, ...], classes: Classes) -> str:
    """GOMP_AMP_TOPOLOGY for CPUs of those speeds; "off" if they are alike."""
    if len(classes) < 2:
        return "off"
    fastest = classes[0][1]
    return ",".join(
        f"{cpu}={round(1024 * speed / fastest)}"
        for members, (_, speed) in zip(cpus, classes, strict=True)
        for cpu in members
    )


@contextmanager
def _stolen(
    spec: MachineSpec, classes: Classes, build: Path, note: Callable[[str], None]
) -> Iterator[Machine]:
    """CPUs are slowed for whatever runs on them, so the programs need not be children of amp-emu:
    it runs a cat, and ends when its input does."""
    prefix, reason = emulation_prefix(build)
    if not prefix:
        raise RunError(f"no CPU can be slowed: {reason}")
    cpus = assign(own_cpus(), classes)
    with tempfile.TemporaryDirectory(prefix="amp-run-") as scratch:
        calibration = Path(scratch) / "calibration.json"
        command = [*prefix, STEAL, *steal_options(cpus, classes)]
        command += ["--json", str(calibration), "--", "sh", "-c", "echo ready; exec cat"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as session:
            try:
                if session.stdout.readline() != "ready\n":
                    raise RunError("amp-emu steal did not start its command")
                report = json.loads(calibration.read_text())
                reached = ",".join(f"{cpu['cpu']}:{cpu['reached']:.2f}" for cpu in report["cpus"])
                yield Machine(spec, cpus, report["topology"], reached)
            finally:
                session.stdin.close()
                session.wait()
                for phrase in drifted(calibration) if calibration.exists() else []:
                    note(
                        f"the calibration drifted: {phrase}; what was measured is not to be trusted"
                    )


def drifted(calibration: Path) -> list[str]:
    """What amp-emu says of slowed CPUs that were not as slow at the end as at the beginning."""
    phrases = json.loads(calibration.read_text()).get("disturbed", [])
    return [phrase for phrase in phrases if phrase.startswith("CPU ")]


@contextmanager
def make(spec: MachineSpec, build: Path, note: Callable[[str], None]) -> Iterator[Machine]:
    """The machine, while the block lasts; RunError if this one cannot be made such."""
    classes = spec.classes
    if spec.virtual:
        yield Machine(spec, (own_cpus(),))
        return
    if spec.kind == TOLD:
        cpus = assign(own_cpus(), classes)
        yield Machine(spec, cpus, topology_of(cpus, classes))
        return
    if spec.kind != STEAL:
        real = real_classes(build)
        if spec.kind != ASYMMETRIC or len(real) > 1:
            yield Machine(spec, real)
            return
        # Failing that too, what follows shows only that nothing is lost on such a machine.
        prefix, reason = emulation_prefix(build)
        if not prefix:
            note(f"this machine's cores are all alike, and cannot be made to differ: {reason}")
            yield Machine(spec, real)
            return
        fast = (len(own_cpus()) + 1) // 2
        classes = (fast, SLOWDOWN), (len(own_cpus()) - fast, 1.0)
    with _stolen(spec, classes, build, note) as machine:
        yield machine
