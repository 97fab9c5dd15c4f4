#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate one parallel loop on cores of unequal speed, event by event: what virtual time is held
against. It shares nothing with the library but the rules of the schedules."""

import argparse
import heapq
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """What became of a loop; times in the unit of the costs, one entry a thread."""

    makespan: float
    busy: tuple[float, ...]
    iterations: tuple[int, ...]
    removals: int
    waited: float

    def by_class(self, counts: Sequence[int], values: Sequence[float]) -> list[float]:
        """The sums of values, of which there is one a thread, over classes of counts threads."""
        ends = list(accumulate(counts))
        return [sum(values[end - count : end]) for end, count in zip(ends, counts)]


def parse_machine(text: str) -> tuple[tuple[int, float], ...]:
    """Classes as (cores, speed) of a machine such as 4x3.0+4x1.0; ValueError if it is none."""
    classes = []
    for part in text.split("+"):
        count, speed = part.split("x")
        classes.append((int(count), float(speed)))
        if classes[-1][0] < 1 or classes[-1][1] <= 0:
            raise ValueError(f"{part}: a class has at least one core and a speed above 0")
    return tuple(classes)


def slowness_of_threads(machine: Sequence[tuple[int, float]]) -> list[float]:
    """How many times longer than on the fastest core each thread takes; one thread a core."""
    fastest = max(speed for _, speed in machine)
    return [fastest / speed for count, speed in machine for _ in range(count)]


def bound(costs: Sequence[float], slowness: Sequence[float]) -> float:
    """The least time in which all cores together could do the work, if it were a liquid."""
    return sum(costs) / sum(1 / slow for slow in slowness)


def static_blocks(trips: int, threads: int, chunk: int = 0) -> list[list[tuple[int, int]]]:
    """The blocks (first, end) of each thread: one of equal length, the first threads having one
    iteration more where it does not come out even; or chunks in turn."""
    if chunk:
        blocks = [(first, min(first + chunk, trips)) for first in range(0, trips, chunk)]
        return [blocks[thread::threads] for thread in range(threads)]
    length, more = divmod(trips, threads)
    ends = list(accumulate(length + (thread < more) for thread in range(threads)))
    return [[(first, end)] for first, end in zip([0, *ends], ends)]


def dynamic_unit(chunk: int) -> Callable[[int], int]:
    return lambda rest: chunk


def guided_unit(chunk: int, threads: int) -> Callable[[int], int]:
    """GCC's: the rest divided by the threads, rounded up, but no less than chunk."""
    return lambda rest: max(chunk, (rest + threads - 1) // threads)


def simulate_static(
    costs: Sequence[float],
    slowness: Sequence[float],
    chunk: int = 0,
    starts: Sequence[float] = (),
) -> Outcome:
    blocks = static_blocks(len(costs), len(slowness), chunk)
    busy = tuple(
        slow * sum(sum(costs[first:end]) for first, end in own)
        for own, slow in zip(blocks, slowness)
    )
    counts = tuple(sum(end - first for first, end in own) for own in blocks)
    makespan = max(start + own for start, own in zip(starts or [0.0] * len(busy), busy))
    return Outcome(makespan, busy, counts, 0, 0.0)


def simulate_pool(
    costs: Sequence[float],
    slowness: Sequence[float],
    unit: Callable[[int], int],
    removal: float = 0.0,
    starts: Sequence[float] = (),
) -> Outcome:
    """A loop whose threads take from one pool: unit tells how many iterations the next removal
    takes, given how many are left; starts, when each thread arrives at the loop, if not at 0.

    A removal holds the pool for the time removal; one that finds it held waits for its turn. The
    thread that comes first is served first, of two at once the one with the lower number. A thread
    that finds the pool empty has paid for looking.
    """
    threads = len(slowness)
    prefix = [0.0, *accumulate(costs)]
    busy, counts = [0.0] * threads, [0] * threads
    taken, free, waited, removals, makespan = 0, 0.0, 0.0, 0, 0.0
    ready = [(start, thread) for thread, start in enumerate(starts or [0.0] * threads)]
    heapq.heapify(ready)
    while ready:
        now, thread = heapq.heappop(ready)
        start = max(now, free)
        free = start + removal
        waited += start - now
        removals += 1
        makespan = max(makespan, free)
        if taken == len(costs):
            continue
        end = min(len(costs), taken + unit(len(costs) - taken))
        work = slowness[thread] * (prefix[end] - prefix[taken])
        busy[thread] += work
        counts[thread] += end - taken
        taken = end
        heapq.heappush(ready, (free + work, thread))
    return Outcome(makespan, tuple(busy), tuple(counts), removals, waited)


def simulate(
    costs: Sequence[float],
    slowness: Sequence[float],
    schedule: str,
    removal: float = 0.0,
    starts: Sequence[float] = (),
) -> Outcome:
    """A loop under static, dynamic or guided, with a chunk after a comma if one is wanted. The
    makespan counts from time 0, at or after which each thread starts."""
    kind, _, chunk_text = schedule.partition(",")
    chunk = int(chunk_text) if chunk_text else 0
    if kind == "static":
        return simulate_static(costs, slowness, chunk, starts)
    if kind == "dynamic":
        return simulate_pool(costs, slowness, dynamic_unit(chunk or 1), removal, starts)
    if kind == "guided":
        unit = guided_unit(chunk or 1, len(slowness))
        return simulate_pool(costs, slowness, unit, removal, starts)
    raise ValueError(f"{schedule}: only static, dynamic and guided are simulated")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("costs", type=Path, help="a file of one cost a line, on the fastest core")
    parser.add_argument("--machine", default="4x3.0+4x1.0", help="classes, fastest first")
    parser.add_argument("--schedule", default="static", help="static, dynamic or guided, [,chunk]")
    parser.add_argument("--removal", type=float, default=100.0, help="time of a removal")
    options = parser.parse_args()
    costs = [float(line) for line in options.costs.read_text().split()]
    machine = parse_machine(options.machine)
    slowness = slowness_of_threads(machine)
    outcome = simulate(costs, slowness, options.schedule, options.removal)
    counts = [count for count, _ in machine]
    json.dump(
        {
            "makespan": outcome.makespan,
            "bound": bound(costs, slowness),
            "busy": outcome.by_class(counts, outcome.busy),
            "iterations": outcome.by_class(counts, outcome.iterations),
            "removals": outcome.removals,
            "waited": outcome.waited,
        },
        sys.stdout,
    )
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
