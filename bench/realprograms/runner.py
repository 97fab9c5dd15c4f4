# SPDX-License-Identifier: GPL-3.0-or-later
"""Running the programs in turn, under every setting, and comparing what they put out."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from environment import clean
from lab.disturbance import NOTHING, Finding, Watch, undisturbed
from lab.runs import RunError
from lab.runtimes import OURS, version

from . import inputs
from .machine import WARM_UP_ROUNDS, Machine, round_name
from .packages import Debian, Wheels, compiled
from .programs import STDOUT, Output, Program

HERE = Path(__file__).resolve().parent
TIMEOUT_SECONDS = 180
TUNING_SECONDS = 900

_OWN_CLOCK = re.compile(r"^seconds: ([\d.]+)$", re.MULTILINE)
_PLAN = re.compile(r"LIBGOMP_AMP_FOLD = '((\d+) threads .*)'")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Setting:
    """A way to run a program; without fold it runs on the library that it comes with. calls: the
    value of GOMP_AMP_FOLD_CALLS; "" is that of the program. tuned: as amp-run --tune found best."""

    name: str
    fast_only: bool = False
    fold: bool = False
    tuned: bool = False
    calls: str = ""
    environment: tuple[tuple[str, str], ...] = ()


STATIC = Setting("static")
BOUND = Setting("static, bound", environment=(("OMP_PROC_BIND", "close"),))
FAST_ONLY = Setting("fast cores only", fast_only=True)
TURNS = Setting("turns", fold=True, calls="off")
CALLS = Setting("calls", fold=True)
SETTINGS = (STATIC, BOUND, FAST_ONLY, TURNS, CALLS)
TUNED = Setting("tuned", tuned=True)


@dataclass(frozen=True)
class Place:
    """A machine that programs run on: the CPUs of this one, or in virtual time those of virtual,
    whose fast cores are the first ones. ids is the size of its folded teams."""

    machine: Machine
    ids: int
    virtual: str = ""
    cores: int = 0
    fast_cores: int = 0

    @property
    def name(self) -> str:
        return f"virtual {self.virtual}" if self.virtual else "steal 1+1"

    def workers(self, setting: Setting) -> int:
        if self.virtual:
            return self.fast_cores if setting.fast_only else self.cores
        return len(self.cpus(setting))

    def threads(self, setting: Setting) -> int:
        """The number that a program is told which wants one."""
        return self.ids if setting.fold else self.workers(setting)

    def cpus(self, setting: Setting) -> tuple[int, ...]:
        """Where the process may run."""
        if self.virtual:
            return self.machine.cpus[:1]
        return self.machine.classes[0] if setting.fast_only else self.machine.cpus


def virtual_place(machine: Machine, text: str, ids: int) -> Place:
    """The place of a virtual machine such as 4x3.0+4x1.0."""
    counts = [int(part.partition("x")[0]) for part in text.split("+")]
    return Place(machine, ids, text, sum(counts), counts[0])


@dataclass(frozen=True)
class Result:
    """One run: how long, what it put out, and what folding did: how often turns changed hands, how
    often a thread was woken early, and how often one was moved."""

    seconds: float
    output: str
    switches: int = 0
    early: int = 0
    moves: int = 0
    folded: bool = False
    disturbed: Finding = NOTHING


def normalised(text: str, output: Output) -> str:
    """What is compared of an output: of one without lines, such as an image, every byte."""
    if output.order and not output.without:
        return text
    lines = text.splitlines()
    if output.without:
        lines = [line for line in lines if not re.search(output.without, line)]
    return "\n".join(lines if output.order else sorted(lines))


def same(one: str, other: str, output: Output) -> bool:
    """Whether two outputs are alike, as far as the table of programs wants it."""
    if output.levels:
        near = all(abs(ord(a) - ord(b)) <= output.levels for a, b in zip(one, other))
        return len(one) == len(other) and near
    within = output.within
    if not within:
        return one == other
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)))
    return all(abs(a - b) <= within * max(1, abs(a), abs(b)) for a, b in pairs)


def fold_counts(report: str) -> dict[str, int]:
    """The sums of GOMP_AMP_FOLD_REPORT over processes, teams and cores."""
    sums = {"switches": 0, "early": 0, "moves": 0}
    for line in report.splitlines():
        for team in json.loads(line)["folded"]:
            sums["moves"] += team["moves"]
            for worker in team["workers"]:
                sums["switches"] += worker["switches"]
                sums["early"] += worker["early"]
    return sums


class Runner:
    """What the runs of one process of bench/real share."""

    def __init__(self, build: Path, note: Callable[[str], None], repeat: int):
        self.build = build
        self.directory = build / "real"
        self.debian = Debian(self.directory)
        self.wheels = Wheels(self.directory)
        self.inputs = self.directory / "inputs"
        self.note = note
        self.repeat = repeat
        self.ways: dict[str, str] = {}  # what --tune found best, by program

    def prepare(self, programs: tuple[Program, ...]) -> None:
        """Have all that the programs need."""
        self.debian.unpack(package for program in programs for package in program.packages)
        self.wheels.install(wheel for program in programs for wheel in program.wheels)
        for program in programs:
            for name in program.inputs:
                inputs.make(self.inputs, name)
            if program.command[0].endswith(".c"):
                libraries = [self.debian.library(name) for name in program.links]
                compiled(HERE / program.command[0], self.directory / "bin", libraries)

    def command(self, program: Program, threads: int) -> list[str]:
        first, *words = program.command
        if first.endswith(".py"):
            start = [str(self.wheels.python), str(HERE / first)]
        elif first.endswith(".c"):
            start = [str(self.directory / "bin" / Path(first).stem)]
        else:
            start = [str(self.debian.program(first))]
        return start + [self._filled(word, threads) for word in words]

    def _filled(self, word: str, threads: int = 0) -> str:
        return word.format(inputs=self.inputs, threads=threads, root=self.debian.root)

    def plan(self, place: Place) -> tuple[int, str]:
        """How many threads --fold takes there, and how the library says so."""
        command = [*self._before(place, CALLS, None), self.build / "bench" / "uniform", "--help"]
        variables = self._variables(place, CALLS) | {"OMP_DISPLAY_ENV": "verbose"}
        done = subprocess.run(command, env=clean(**variables), capture_output=True, text=True)
        found = _PLAN.search(done.stderr)
        if not found:
            raise RunError(f"no team would be folded on {place.name}: {done.stderr.strip()}")
        return int(found[2]), found[1]

    def _before(self, place: Place, setting: Setting, report: Path | None) -> list[str]:
        """The command that starts the program's."""
        words: list[str | Path] = []
        if place.virtual:
            words += [self.build / "bin" / "amp-emu", "virtual", place.virtual, "--quiet"]
            words += ["--json", report, "--"] if report else ["--"]
        if setting.tuned:
            words += [self.build / "bin" / "amp-run", "--"]
        elif setting.fold and not place.virtual:
            words += [self.build / "bin" / "amp-run", "--fold", "--"]
        return list(map(str, words))

    def _variables(self, place: Place, setting: Setting) -> dict[str, str]:
        variables = dict(setting.environment)
        # The number of threads is part of what amp-run decides.
        if not setting.tuned:
            variables["OMP_NUM_THREADS"] = str(place.workers(setting))
        if setting.fold:
            variables["GOMP_AMP_FOLD"] = "auto"
        if (setting.fold or setting.tuned) and place.machine.topology and not place.virtual:
            variables["GOMP_AMP_TOPOLOGY"] = place.machine.topology
        return variables

    def tune(self, program: Program, place: Place, rounds: int) -> None:
        """Have amp-run --tune find the best way of a program. Each program has a file of entries of
        its own at each place, as all wheels run by one script."""
        config = self._config(program, place)
        shutil.rmtree(config, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="amp-real-") as work:
            command = [
                *self._before(place, TUNED, None)[:-1],
                "--tune",
                f"--rounds={max(rounds, 2)}",
            ]
            command += [f"--budget={TUNING_SECONDS}s"]
            # A program may refuse to write over what the run before it left.
            command += ["--reset=rm -rf ./*"]
            if program.compared.name != STDOUT and "*" not in program.compared.name:
                command += [f"--output={program.compared.name}"]
            command += ["--", *self.command(program, place.workers(TUNED))]
            variables = self._variables(place, TUNED) | self._of_program(program, work)
            variables["XDG_CONFIG_HOME"] = str(config)
            # One run more, whatever comes before and behind.
            limit = TUNING_SECONDS + TIMEOUT_SECONDS
            done = _output_of(command, clean(**variables), place.cpus(TUNED), Path(work), limit)
        self.note(f"{program.name}: {done.stdout.decode(errors='replace')}")
        entries = config / "libgomp-amp" / "programs.toml"
        if not entries.exists():
            raise RunError(f"--tune remembered nothing: {done.stderr[-600:]}")
        self.ways[program.name] = tomllib.loads(entries.read_text())["program"][0]["way"]

    def _config(self, program: Program, place: Place) -> Path:
        return self.directory / "config" / re.sub(r"\W", "-", f"{place.name} {program.name}")

    def _of_program(self, program: Program, work: str | Path) -> dict[str, str]:
        variables = {key: self._filled(value) for key, value in program.environment}
        return variables | {"HOME": str(work), "LD_LIBRARY_PATH": self.debian.library_path()}

    def execute(self, program: Program, setting: Setting, place: Place) -> Result:
        """One run in a directory of its own; RunError unless it ended well."""
        with tempfile.TemporaryDirectory(prefix="amp-real-") as name:
            scratch = Path(name)
            work = scratch / "work"
            work.mkdir()
            report, folds = scratch / "report.json", scratch / "folds.json"
            command = self._before(place, setting, report)
            threads = place.workers(setting) if program.few_threads else place.threads(setting)
            command += self.command(program, threads)
            variables = self._variables(place, setting)
            if setting.fold:
                variables["GOMP_AMP_FOLD_CALLS"] = setting.calls or program.calls
            variables |= self._of_program(program, work)
            if setting.fold or setting.tuned:
                variables["GOMP_AMP_FOLD_REPORT"] = str(folds)
            if setting.tuned:
                variables["XDG_CONFIG_HOME"] = str(self._config(program, place))
            cpus = place.cpus(setting)
            watch = Watch(cpus, 1 if place.virtual else place.threads(setting))
            watch.begin()
            done = _output_of(command, clean(**variables), cpus, work)
            disturbed = watch.end()
            if done.returncode != 0:
                raise RunError(f"it ended with status {done.returncode}: {done.stderr[-600:]}")
            printed = done.stdout.decode(errors="replace")
            seconds = done.seconds
            if place.virtual:
                seconds = _makespan(report)
            if program.own_clock:
                (seconds,) = map(float, _OWN_CLOCK.findall(printed))
            counts = fold_counts(folds.read_text()) if folds.exists() else {}
            return Result(
                seconds,
                _compared(program.compared, work, printed),
                folded=folds.exists(),
                disturbed=disturbed,
                **counts,
            )


@dataclass(frozen=True)
class _Done:
    returncode: int
    stdout: bytes
    stderr: str
    seconds: float


def _output_of(
    command: list[str],
    environment: dict[str, str],
    cpus: tuple[int, ...],
    directory: Path,
    limit: float | None = None,
) -> _Done:
    """Run a command on some CPUs; if it takes too long it is ended with all that it started."""
    begun = time.monotonic()
    with subprocess.Popen(
        command,
        env=environment,
        cwd=directory,
        preexec_fn=lambda: os.sched_setaffinity(0, set(cpus)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=limit or TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise RunError(f"it did not end within {limit or TIMEOUT_SECONDS} s") from error
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    seconds = time.monotonic() - begun
    return _Done(process.returncode, stdout, stderr.decode(errors="replace"), seconds)


def _compared(output: Output, work: Path, printed: str) -> str:
    if output.name == STDOUT:
        return normalised(printed, output)
    paths = sorted(work.glob(output.name))
    if not paths:
        raise RunError(f"it made no {output.name}")
    return normalised("".join(path.read_bytes().decode("latin-1") for path in paths), output)


def _makespan(report: Path) -> float:
    """Virtual seconds of the process that took the longest."""
    processes = json.loads(report.read_text())["processes"] if report.exists() else []
    if not processes:
        raise RunError("no process ran in virtual time")
    return max(process["makespan_ns"] for process in processes) / 1e9


def _tuned_first(
    runner: Runner, program: Program, setting: Setting, place: Place, rounds: int
) -> Result:
    """A run, before which the program is tuned if that is its setting and it was not yet."""
    if setting.tuned and program.name not in runner.ways:
        runner.tune(program, place, rounds)
    return runner.execute(program, setting, place)


# The columns of a measurement: what each row of its CSV file says of a run.
HEADER = (
    "place", "program", "setting", "round", "seconds", "same", "folded", "switches", "early",
    "moves", "disturbed", "library", "way",
)  # fmt: skip


def measure(
    runner: Runner,
    programs: tuple[Program, ...],
    place: Place,
    rounds: int,
    settings: tuple[Setting, ...] = SETTINGS,
) -> Iterator[tuple]:
    """Run every program under every setting in every round, and yield a row of HEADER for each run;
    one that fails has its reason in place of the time, and is not run under that setting again."""
    failed: set[tuple[str, str]] = set()
    references: dict[str, str] = {}
    library = version(OURS, runner.build / "lib" / "libgomp.so.1")
    for number in range(-WARM_UP_ROUNDS, rounds):
        runner.note(f"{place.name}: {round_name(number, rounds)}")
        for program in programs:
            # No case is always first: what a run leaves behind, such as heat, falls on everyone.
            # But the first output of all is what the others are compared with.
            shift = max(number, 0) % len(settings)
            for setting in settings[shift:] + settings[:shift]:
                if (program.name, setting.name) in failed:
                    continue
                try:
                    result = undisturbed(
                        lambda: _tuned_first(runner, program, setting, place, rounds),
                        lambda one: one.disturbed,
                        runner.repeat if number >= 0 else 0,
                    )
                except (RunError, OSError, ValueError) as error:
                    failed.add((program.name, setting.name))
                    runner.note(f"{program.name}, {setting.name}: {error}")
                    yield (
                        place.name, program.name, setting.name, number + 1,
                        f"FAILED: {' '.join(str(error).split())[:200]}", "", "", "", "", "", "",
                        library, "",
                    )  # fmt: skip
                    continue
                reference = references.setdefault(program.name, result.output)
                alike = same(reference, result.output, program.compared)
                if not alike:
                    runner.note(f"{program.name}, {setting.name}: another output than static's")
                yield (
                    place.name, program.name, setting.name, number + 1, f"{result.seconds:.6f}",
                    int(alike), int(result.folded), result.switches, result.early, result.moves,
                    result.disturbed, library,
                    runner.ways.get(program.name, "") if setting.tuned else "",
                )  # fmt: skip
