# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that others have compiled: the table of them, how they are run, and whether they put out
the same in every way."""

import functools
import json
import re
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from environment import clean

from . import inputs
from .packages import Debian, Wheels, compiled
from .runs import RunError

BENCH = Path(__file__).resolve().parent.parent
DRIVERS = BENCH / "programs" / "drivers"
STDOUT = "stdout"
OWN_CLOCK = r"^seconds: ([\d.]+)$"

# The order of the table's groups, of which the first is that of programs without one.
GROUPS = (
    "static loops",
    "regions of microseconds",
    "shared by speed already",
    "mostly one thread",
)

_PLAN = re.compile(r"LIBGOMP_AMP_FOLD = '(\d+) threads ")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Output:
    """Files that a run leaves, by a pattern, or what it prints; packages.toml says the rest."""

    name: str = STDOUT
    without: str = ""
    within: float = 0.0
    levels: int = 0
    order: bool = True

    def normalised(self, text: str) -> str:
        """What is compared of it: of one without lines, such as an image, every byte."""
        if self.order and not self.without:
            return text
        lines = text.splitlines()
        if self.without:
            lines = [line for line in lines if not re.search(self.without, line)]
        return "\n".join(lines if self.order else sorted(lines))

    def read(self, work: Path, printed: str) -> str:
        """What a run in the directory WORK put out."""
        if self.name == STDOUT:
            return self.normalised(printed)
        paths = sorted(work.glob(self.name))
        if not paths:
            raise RunError(f"it made no {self.name}")
        return self.normalised("".join(path.read_bytes().decode("latin-1") for path in paths))

    def same(self, one: str, other: str) -> bool:
        """Whether two of them are alike, as far as the table of programs wants it."""
        if self.levels:
            near = all(abs(ord(a) - ord(b)) <= self.levels for a, b in zip(one, other))
            return len(one) == len(other) and near
        if not self.within:
            return one == other
        if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
            return False
        pairs = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)))
        return all(abs(a - b) <= self.within * max(1, abs(a), abs(b)) for a, b in pairs)


@dataclass(frozen=True)
class Package:
    """A row of packages.toml."""

    name: str
    what: str
    command: str
    compared: Output
    packages: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    own_clock: bool = False
    few_threads: bool = False
    group: str = GROUPS[0]


@functools.cache
def table(path: Path = BENCH / "matrix" / "packages.toml") -> tuple[Package, ...]:
    return tuple(
        Package(
            compared=Output(**row.pop("compared")),
            environment=tuple(row.pop("environment", {}).items()),
            **{key: tuple(one) if isinstance(one, list) else one for key, one in row.items()},
        )
        for row in tomllib.loads(path.read_text())["program"]
    )


def fold_counts(report: Path) -> dict[str, int]:
    """What folding did, by GOMP_AMP_FOLD_REPORT: how often a core went on with another thread, how
    often that was early, and how often a thread was moved, over processes, teams and cores."""
    sums = {"folded": int(report.exists()), "switches": 0, "early": 0, "moves": 0}
    for line in report.read_text().splitlines() if report.exists() else ():
        for team in json.loads(line)["folded"]:
            sums["moves"] += team["moves"]
            for worker in team["workers"]:
                sums["switches"] += worker["switches"]
                sums["early"] += worker["early"]
    return sums


class Shelf:
    """What is unpacked and made in a directory of the build, and what the first run of each program
    put out in it, with which the others are compared."""

    def __init__(self, build: Path):
        self._build, self._directory = build, build / "real"
        self.debian, self.wheels = Debian(self._directory), Wheels(self._directory)
        self._inputs = self._directory / "inputs"
        self._ready: set[str] = set()
        self._references: dict[str, str] = {}

    def prepare(self, program: Package) -> None:
        """Have all that a program needs."""
        if program.name in self._ready:
            return
        self.debian.unpack(program.packages)
        self.wheels.install(program.wheels)
        for name in program.inputs:
            inputs.make(self._inputs, name)
        if program.links:
            libraries = [self.debian.library(name) for name in program.links]
            source = DRIVERS / program.command.split()[0]
            compiled(source, self._directory / "bin", libraries)
        self._ready.add(program.name)

    def _filled(self, text: str, threads: int = 0) -> str:
        return text.format(inputs=self._inputs, threads=threads, root=self.debian.root)

    def command(self, program: Package, threads: int) -> tuple[str, ...]:
        first, *words = program.command.split()
        start = [str(self._directory / "bin" / Path(first).stem)]
        if first.endswith(".py"):
            start = [str(self.wheels.python), str(DRIVERS / first)]
        elif not first.endswith(".c"):
            start = [str(self.debian.program(first))]
        return (*start, *(self._filled(word, threads) for word in words))

    def environment(self, program: Package, work: Path) -> dict[str, str]:
        """What a run in the directory WORK is told."""
        variables = {key: self._filled(value) for key, value in program.environment}
        return variables | {"HOME": str(work), "LD_LIBRARY_PATH": self.debian.library_path()}

    def folded(self, work: Path) -> dict[str, str]:
        """And where its teams may be folded."""
        return {"GOMP_AMP_FOLD_REPORT": f"{work}.folds"}

    def ids(self, before: Iterable[str], environment: dict[str, str]) -> int:
        """How many threads a folded team has."""
        command = [*before, str(self._build / "bench" / "uniform"), "--help"]
        variables = environment | {"OMP_DISPLAY_ENV": "verbose", "GOMP_AMP_FOLD": "auto"}
        done = subprocess.run(command, env=clean(**variables), capture_output=True, text=True)
        found = _PLAN.search(done.stderr)
        if not found:
            raise RunError(f"no team would be folded: {done.stderr.strip()}")
        return int(found[1])

    def alike(self, program: Package, work: Path, printed: str) -> bool:
        """Whether a run put out what the first one did."""
        output = program.compared.read(work, printed)
        reference = self._references.setdefault(program.name, output)
        return program.compared.same(reference, output)

    def has_reference(self, program: Package) -> bool:
        return program.name in self._references
