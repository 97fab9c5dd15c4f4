#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the instructions that tasks cost, which valgrind does exactly: what the fork adds to a task
of upstream's order, that under fifo a task costs the same however many tasks wait above it, and
that a short task of a known construct costs less than upstream's, being run at once."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

# More than upstream's library for a task, in the default order. It is some 60 less: the common way
# into a list is inlined, which the hooks do not cost. Where it is not, a task costs 10 more.
MOST_FOR_HOOKS = 0
# Of upstream's instructions for a task, the most for a short one that is run at once. It is .70;
# with levels that take each other's place in a table it is .94.
MOST_AT_ONCE = 0.85
# The calls of fib (n) but the first, each of which is a task.
FIB_TASKS = {12: 464, 17: 5166}
# Lengths of chains. Down to some 64 levels a thread is woken to help, so that the first cost less
# or more.
LEVELS = (600, 1200, 2400)
# The most instructions of a level of the longer chain. It takes 600 to 4500, as threads happen to
# meet; where each wake walks all ancestors it takes 45000, and twice as many at twice the length.
MOST_LEVEL = 10000


def instructions(library: Path, threads: int, command: list[str], **variables: str) -> int:
    """How many the command executes, on that libgomp, in all threads."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run(
        valgrind + command,
        env=environment.clean(
            LD_LIBRARY_PATH=str(library),
            OMP_NUM_THREADS=str(threads),
            OMP_WAIT_POLICY="passive",
            **variables,
        ),
        capture_output=True,
        text=True,
        timeout=900,
    )
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} on {library} failed under valgrind:\n{run.stderr}")
    return int(found.group(1))


def check_hooks(program: Path, ours: Path, stock: Path) -> bool:
    """Whether a task of the default order costs little more than on upstream's library."""
    good = True
    for threads in (1, 2):
        cost = {library: per_task(program, library, threads) for library in (stock, ours)}
        added = cost[ours] - cost[stock]
        print(
            f"fib, {threads} threads: {cost[stock]:.1f} instructions a task on upstream's library,"
            f" {added:+.1f} on ours; at most {MOST_FOR_HOOKS:+}"
        )
        good = added <= MOST_FOR_HOOKS and good
    return good


def per_task(program: Path, library: Path, threads: int, **variables: str) -> float:
    """Instructions of a task of fib."""
    few, many = (
        instructions(library, threads, [str(program), "fib", str(n)], **variables)
        for n in FIB_TASKS
    )
    return (many - few) / (FIB_TASKS[max(FIB_TASKS)] - FIB_TASKS[min(FIB_TASKS)])


def check_at_once(program: Path, ours: Path, stock: Path) -> bool:
    """Whether a short task costs much less under fifo than on upstream's library. It does not if
    what is known of its construct, on some level of recursion, is forgotten and sampled again."""
    upstream = per_task(program, stock, 1)
    at_once = per_task(program, ours, 1, GOMP_TASK_SCHEDULE="fifo", GOMP_TASK_QUEUE_NS="100000")
    print(
        f"fib, fifo, all at once: {at_once:.1f} instructions a task, {upstream:.1f} on upstream's"
        f" library; at most {MOST_AT_ONCE} of that"
    )
    return at_once <= MOST_AT_ONCE * upstream


def check_chain(program: Path, ours: Path) -> bool:
    """Whether under fifo a level of a chain of waiting tasks costs little, however long it is."""
    counts = {
        levels: instructions(
            ours,
            2,
            [str(program), "chain", str(levels)],
            GOMP_TASK_SCHEDULE="fifo",
            # Each task is queued.
            GOMP_TASK_QUEUE_NS="0",
        )
        for levels in LEVELS
    }
    few, some, many = LEVELS
    short = (counts[some] - counts[few]) / (some - few)
    long = (counts[many] - counts[some]) / (many - some)
    print(
        f"chain, fifo: {short:.0f} instructions a level up to {some} levels, {long:.0f} up to"
        f" {many}; at most {MOST_LEVEL}"
    )
    return long <= MOST_LEVEL


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--ours", type=Path, required=True, help="directory of our libgomp")
    parser.add_argument("--stock", type=Path, help="directory of upstream's, of the same sources")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind, which counts instructions, is not installed")
        return 77
    good = check_chain(options.program, options.ours)
    if options.stock and not (options.stock / "libgomp.so.1").exists():
        print(f"skipped the hooks: no libgomp of upstream's in {options.stock}")
        return 77 if good else 1
    if options.stock:
        good = check_hooks(options.program, options.ours, options.stock) and good
        good = check_at_once(options.program, options.ours, options.stock) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
