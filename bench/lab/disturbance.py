# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a run was disturbed: by the host, by other programs, or by a CPU that changed its speed.

Four things are looked at, each with a limit; a run is disturbed if it exceeds one:

    stolen time      time in which the host ran others on the run's CPUs (/proc/stat)
    foreign time     time for which other programs ran on them: what the CPUs were busy, without
                     the run itself and the thieves of amp-emu
    switches         times the run's threads were put off their CPUs involuntarily; unless they
                     outnumber the CPUs, or thieves do that
    drift            how much longer or shorter a fixed loop takes after the run than before
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
# A second and thread, and besides: a kernel's own threads switch an idle machine's far less often,
# a busy process on the same CPU at every slice of a few milliseconds.
SWITCHES_PER_SECOND = 20
SWITCHES_FREE = 10
DRIFT = 0.05

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
    """What the kernel has counted up to a moment, in seconds; loops are what the fixed loop takes
    on some of the CPUs."""

    clock: float
    stolen: float = 0.0
    busy: float = 0.0
    own: float = 0.0
    thieves: float = 0.0
    switches: int = 0
    loops: tuple[float, ...] = ()


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


def fixed_loop(cpu: int) -> float:
    """CPU seconds of a fixed loop on a CPU: the least of five, as some are interrupted."""
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {cpu})
        best = float("inf")
        for _ in range(5):
            begun = time.thread_time()
            value = 0
            for i in range(20_000):
                value += i * i
            best = min(best, time.thread_time() - begun)
        return best
    finally:
        os.sched_setaffinity(0, allowed)


def judge(before: Snapshot, after: Snapshot, cpus: int, threads: int) -> Finding:
    """What disturbed a run between the two, on so many CPUs with so many threads."""
    seconds = after.clock - before.clock
    stolen = after.stolen - before.stolen
    thieves = after.thieves - before.thieves
    foreign = after.busy - before.busy - (after.own - before.own) - thieves
    switches = after.switches - before.switches
    drifts = [late / early - 1 for early, late in zip(before.loops, after.loops, strict=True)]
    drift = max(drifts, key=abs, default=0.0)

    stolen_limit = max(STOLEN_SHARE * seconds * cpus, STOLEN_TICKS * _TICK)
    foreign_limit = max(FOREIGN_SHARE, FOREIGN_SHARE_OF_ALL * cpus) * seconds
    foreign_limit += FOREIGN_TICKS * _TICK
    switches_limit = SWITCHES_PER_SECOND * seconds * threads + SWITCHES_FREE
    looked_at = [
        (stolen, stolen_limit, f"{1000 * stolen:.0f} ms stolen by the host"),
        (foreign, foreign_limit, f"other programs ran for {1000 * foreign:.0f} ms"),
        (abs(drift), DRIFT, f"a fixed loop took {100 * drift:+.0f} % afterwards"),
    ]
    if threads <= cpus and thieves < _TICK:
        looked_at.append((switches, switches_limit, f"{switches} involuntary switches"))
    exceeded = [(value / limit, text) for value, limit, text in looked_at if value > limit]
    if not exceeded:
        return NOTHING
    return Finding(tuple(text for _, text in exceeded), max(ratio for ratio, _ in exceeded))


class Watch:
    """Looks at the machine before and after a run, which is a child process that has been waited
    for when end() is called. proc stands for /proc; loop measures the fixed loop on a CPU."""

    def __init__(
        self,
        cpus: tuple[int, ...],
        threads: int,
        proc: Path = _PROC,
        loop: Callable[[int], float] = fixed_loop,
    ):
        self._cpus = cpus
        self._threads = threads
        self._proc = proc
        self._loop = loop
        self._before = Snapshot(0.0)

    def begin(self) -> None:
        loops = self._loops()
        self._before = self._snapshot(loops)

    def end(self) -> Finding:
        after = self._snapshot(())
        after = Snapshot(**(vars(after) | {"loops": self._loops()}))
        return judge(self._before, after, len(self._cpus), self._threads)

    def _loops(self) -> tuple[float, ...]:
        """On the first CPU and the last one, which are of different classes if there are two."""
        return tuple(self._loop(cpu) for cpu in dict.fromkeys((self._cpus[0], self._cpus[-1])))

    def _snapshot(self, loops: tuple[float, ...]) -> Snapshot:
        try:
            stat = (self._proc / "stat").read_text()
        except OSError:
            stat = ""
        stolen, busy = cpu_times(stat, set(self._cpus))
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = children.ru_utime + children.ru_stime if stat else 0.0
        thieves = thief_seconds(self._proc)
        return Snapshot(time.monotonic(), stolen, busy, own, thieves, children.ru_nivcsw, loops)


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
