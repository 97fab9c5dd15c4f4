# SPDX-License-Identifier: GPL-3.0-or-later
"""Running one benchmark program once, and being sure of what was run."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from environment import clean

from .disturbance import NOTHING, Finding, Watch
from .runtimes import OUR_LIBRARIES, VIRTUAL, Runtime

_RESULT = re.compile(r"^result: (?P<fields>.*?) ?runtime=(?P<runtime>.*)$", re.MULTILINE)

TIMEOUT_SECONDS = 600
SECONDS = "seconds"


class RunError(Exception):
    """A run that failed, failed its verification, or was not what it was meant to be."""


@dataclass(frozen=True)
class Result:
    """What a program printed in its result line."""

    fields: dict[str, float]
    runtime: str
    disturbed: Finding = NOTHING
    printed: str = ""


@dataclass(frozen=True)
class Run:
    """One program under one runtime, on some CPUs, with one thread bound to each in order; in
    virtual time, one thread at a time on the first CPU."""

    command: tuple[str, ...]
    runtime: Runtime
    cpus: tuple[int, ...]
    schedule: str
    # Whether the threads may outnumber the CPUs, in which case they are not bound.
    threads: int | None = None
    environment: tuple[tuple[str, str], ...] = ()
    # The mode of its tasks, which our library alone is told; "" leaves it to the library.
    tasks: str = ""
    # The value of GOMP_AMP_FOLD, with which there are more threads than thread_count, and the
    # library binds them; "" is a team that is not folded.
    fold: str = ""
    # Any command, on the library that it comes with or is told to use. It may print a result line;
    # or what the regular expression `seconds` or `rate` finds.
    foreign: bool = False
    seconds: str = ""
    rate: str = ""
    directory: Path | None = None

    @property
    def settings(self) -> str:
        """What it is run under, for people."""
        words = [f"OMP_SCHEDULE={self.schedule}"]
        if self.tasks:
            words.append(f"GOMP_TASK_SCHEDULE={self.tasks}")
        if self.fold:
            words.append(f"GOMP_AMP_FOLD={self.fold}")
        return f"{' '.join(words)} under {self.runtime.name}"

    @property
    def thread_count(self) -> int:
        return self.threads or len(self.cpus)

    def complete_environment(self) -> dict[str, str]:
        env = clean()
        if self.runtime.name != VIRTUAL and not self.foreign:
            env["LD_LIBRARY_PATH"] = str(self.runtime.directory)
        env["OMP_NUM_THREADS"] = str(self.thread_count)
        if not self.foreign:
            env["OMP_DYNAMIC"] = "false"
            env["OMP_SCHEDULE"] = self.schedule
        if self.threads is None and self.runtime.name != VIRTUAL and not self.fold:
            env["OMP_PLACES"] = ",".join(f"{{{cpu}}}" for cpu in self.cpus)
            env["OMP_PROC_BIND"] = "true"
        if self.foreign or self.runtime.name in OUR_LIBRARIES:
            env.update(self.environment)
        if self.runtime.name in OUR_LIBRARIES:
            if self.tasks:
                env["GOMP_TASK_SCHEDULE"] = self.tasks
            if self.fold:
                env["GOMP_AMP_FOLD"] = self.fold
        return env


def parse_result(output: str) -> Result:
    """The result line of a program's output; RunError if there is not exactly one."""
    found = list(_RESULT.finditer(output))
    if len(found) != 1:
        raise RunError(f"{len(found)} result lines instead of one")
    try:
        pairs = (field.split("=", 1) for field in found[0]["fields"].split())
        fields = {name: float(value) for name, value in pairs}
    except ValueError as error:
        raise RunError(f"a result line that is not NAME=NUMBER: {found[0][0]}") from error
    return Result(fields, found[0]["runtime"])


def foreign_result(run: Run, output: str, wall_seconds: float) -> Result:
    """How long a foreign command took by what it printed, or else as a whole."""
    pattern = run.seconds or run.rate
    if not pattern:
        if _RESULT.search(output):
            result = parse_result(output)
            if result.fields.get("verified", 1) != 1:
                raise RunError("its verification failed")
            return result
        return Result({SECONDS: wall_seconds}, "")
    found = re.findall(pattern, output, re.MULTILINE)
    if len(found) != 1:
        raise RunError(f"'{pattern}' is found {len(found)} times in its output instead of once")
    try:
        number = float(found[0].removesuffix("K")) * (1000 if found[0].endswith("K") else 1)
        return Result({SECONDS: 1 / number if run.rate else number}, "")
    except (ValueError, ZeroDivisionError) as error:
        raise RunError(f"'{found[0]}': expected a number above 0") from error


def check(run: Run, result: Result) -> None:
    """RunError unless a program of ours verified its answer and ran as it was meant to."""
    expected_runtime = str(run.runtime.library)
    if result.fields.get("verified") != 1:
        raise RunError("its verification failed")
    if result.runtime != expected_runtime:
        raise RunError(f"it was served by {result.runtime}, not by {expected_runtime}")
    if (result.fields.get("amp", 0) > 0) != (run.runtime.name in OUR_LIBRARIES):
        raise RunError(f"{result.runtime} is not the runtime called {run.runtime.name}")
    threads, expected = result.fields.get("threads", 0), run.thread_count
    if run.fold == "auto":
        # The library chooses how many.
        if threads < expected:
            raise RunError(f"{threads} threads instead of at least {expected}")
        return
    if run.fold:
        expected *= int(run.fold)
    if threads != expected:
        raise RunError(f"{threads} threads instead of {expected}")


def _nothing() -> None:
    pass


def _output_of(
    command: tuple[str, ...],
    environment: dict[str, str],
    cpus: tuple[int, ...],
    limit: float,
    directory: Path | None = None,
) -> subprocess.CompletedProcess:
    """Run a command on the CPUs, and if it takes too long end it with all that it started: it may
    be one that runs the program."""
    with subprocess.Popen(
        command,
        env=environment,
        cwd=directory,
        preexec_fn=lambda: os.sched_setaffinity(0, set(cpus)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    ) as process:
        try:
            printed = process.communicate(timeout=limit)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, *printed)


def execute(
    run: Run,
    begin: Callable[[], None] = _nothing,
    end: Callable[[], None] = _nothing,
    watched: bool = True,
) -> Result:
    """Run it, within its CPUs; RunError, with what it printed, unless all about it is right. begin
    is called just before there is a process, and end when it has ended or could not be run. What
    disturbs a run is not looked for unless it is watched."""
    virtual = run.runtime.name == VIRTUAL
    cpus = run.cpus[:1] if virtual else run.cpus

    watch = Watch(cpus) if watched else None
    if watch:
        watch.begin()
    begin()
    begun = time.monotonic()
    try:
        done = _output_of(
            run.command, run.complete_environment(), cpus, TIMEOUT_SECONDS, run.directory
        )
        wall_seconds = time.monotonic() - begun
    except (OSError, subprocess.SubprocessError) as error:
        raise RunError(f"{run.command[0]} could not be run: {error}") from error
    finally:
        end()
    disturbed = watch.end() if watch else NOTHING
    try:
        if done.returncode != 0:
            raise RunError(f"it ended with status {done.returncode}")
        if run.foreign:
            result = foreign_result(run, done.stdout + done.stderr, wall_seconds)
        else:
            result = parse_result(done.stdout)
            check(run, result)
    except RunError as error:
        printed = done.stdout + done.stderr
        raise RunError(
            f"{' '.join(run.command)} with {run.settings}: {error}; it printed:\n{printed}"
        ) from error
    return replace(result, disturbed=disturbed, printed=done.stdout)


def program(build: Path, name: str) -> Path:
    """The benchmark program of that name in a build directory; RunError if it is not built."""
    path = build / "bench" / name
    if not path.exists():
        raise RunError(f"{path} does not exist: build it with cmake --build {build} --target bench")
    return path
