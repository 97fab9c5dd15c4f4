# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a run was disturbed, by the host or by other programs.

Two things are looked at, each with a limit; a run is disturbed if it exceeds one:

    stolen time      time in which the host ran others on the run's CPUs (/proc/stat)
    foreign time     time for which other programs ran on them: what the CPUs were busy, without
                     the run itself and the thieves of amp-emu

A loop of a fixed length, timed before and after a run, is no measure of the CPUs' speed: on an idle
virtual machine its times differed by more than 5 % around 222 of 240 runs that nothing disturbed.
"""

import os
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

# Of the run's CPUs' time.
STOLEN_SHARE = 0.01
# Of the time of one CPU, but at least of all CPUs' time, on which a kernel does its own work.
FOREIGN_SHARE = 0.05
FOREIGN_SHARE_OF_ALL = 0.01

# The kernel counts in ticks, so that short runs have so many too many or too few.
STOLEN_TICKS = 2
FOREIGN_TICKS = 3

# Of a number near one with two digits behind the point, as the tables have them.
PRECISION = 0.01

# How often a disturbed run is repeated, unless the caller says otherwise.
REPEAT = 2

# Behind a value in a table.
MARK = "!"
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
_EMULATOR = "amp-emu"

T = TypeVar("T")


@dataclass(frozen=True)
class Finding:
    """What disturbed a run, as phrases, and how many times the worst exceeded its limit."""

    reasons: tuple[str, ...] = ()
    severity: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.reasons)

    def __str__(self) -> str:
        # Without a comma, which a CSV file would quote: a quoted text that an interrupted run
        # leaves without its end swallows the next row.
        return " and ".join(self.reasons)


NOTHING = Finding()


@dataclass(frozen=True)
class Snapshot:
    """What the kernel has counted up to a moment, in seconds."""

    clock: float
    stolen: float = 0.0
    busy: float = 0.0
    own: float = 0.0
    thieves: float = 0.0


def cpu_times(stat: str, cpus: set[int]) -> tuple[float, float]:
    """Seconds for which those CPUs were stolen and were busy with processes, of /proc/stat."""
    stolen = busy = 0
    for line in stat.splitlines():
        name, *numbers = line.split()
        if not (name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cpus):
            continue
        user, nice, system, *rest = map(int, numbers)
        busy += user + nice + system
        stolen += rest[4] if len(rest) > 4 else 0
    return stolen * _TICK, busy * _TICK


def thief_seconds(proc: Path) -> float:
    """CPU seconds of the amp-emu processes that there are, which have the thieves' threads."""
    ticks = 0
    for directory in proc.glob("[0-9]*"):
        try:
            text = (directory / "stat").read_text(errors="replace")
        except OSError:
            continue  # it has ended
        # PID (NAME) STATE ...; utime and stime are the fields 14 and 15, the state is the third.
        name, _, rest = text.partition("(")[2].rpartition(")")
        if name == _EMULATOR:
            ticks += sum(map(int, rest.split()[11:13]))
    return ticks * _TICK


def judge(before: Snapshot, after: Snapshot, cpus: int) -> Finding:
    """What disturbed a run between the two, on so many CPUs."""
    seconds = after.clock - before.clock
    stolen = after.stolen - before.stolen
    thieves = after.thieves - before.thieves
    foreign = after.busy - before.busy - (after.own - before.own) - thieves

    stolen_limit = max(STOLEN_SHARE * seconds * cpus, STOLEN_TICKS * _TICK)
    foreign_limit = max(FOREIGN_SHARE, FOREIGN_SHARE_OF_ALL * cpus) * seconds
    foreign_limit += FOREIGN_TICKS * _TICK
    looked_at = [
        (stolen, stolen_limit, f"{1000 * stolen:.0f} ms stolen by the host"),
        (foreign, foreign_limit, f"other programs ran for {1000 * foreign:.0f} ms"),
    ]
    exceeded = [(value / limit, text) for value, limit, text in looked_at if value > limit]
    if not exceeded:
        return NOTHING
    return Finding(tuple(text for _, text in exceeded), max(ratio for ratio, _ in exceeded))


class Watch:
    """Looks at the machine before and after a run, which is a child process that has been waited
    for when end() is called. proc stands for /proc."""

    def __init__(self, cpus: tuple[int, ...], proc: Path = _PROC):
        self._cpus = cpus
        self._proc = proc
        self._before = Snapshot(0.0)

    def begin(self) -> None:
        self._before = self._snapshot()

    def end(self) -> Finding:
        return judge(self._before, self._snapshot(), len(self._cpus))

    def _snapshot(self) -> Snapshot:
        try:
            stat = (self._proc / "stat").read_text()
        except OSError:
            stat = ""
        stolen, busy = cpu_times(stat, set(self._cpus))
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = children.ru_utime + children.ru_stime if stat else 0.0
        thieves = thief_seconds(self._proc)
        return Snapshot(time.monotonic(), stolen, busy, own, thieves)


def undisturbed(attempt: Callable[[], T], finding: Callable[[T], Finding], repeat: int) -> T:
    """What attempt returns: the first that is not disturbed, or after repeat more of them the
    least disturbed."""
    best = attempt()
    for _ in range(repeat):
        if not finding(best):
            break
        other = attempt()
        if finding(other).severity < finding(best).severity:
            best = other
    return best


def deciding(values: Sequence[float]) -> int | None:
    """The round that differs most from the median, if the median of the others is another number
    by more than tables show."""
    if len(values) < 2:
        return None
    shown = median(values)
    odd = max(range(len(values)), key=lambda number: abs(values[number] - shown))
    others = median([*values[:odd], *values[odd + 1 :]])
    return odd if abs(others / shown - 1) > PRECISION else None
