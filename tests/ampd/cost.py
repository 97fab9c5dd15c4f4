#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU time that ampd takes, for docs/guide/several.md.

cost.py <bin> [SECONDS] [ROUNDS]

Two programs of 32 threads compute under the policy hafs, which asks for a look at all of them every
10 ms. CPU time is hardly changed by what else runs, but how often ampd gets to look is.
"""

import pathlib
import re
import statistics
import sys
import time

import daemon

PROCESSES, THREADS = 2, 32


def measure(binaries, program, seconds):
    """Of ampd while PROGRAM runs PROCESSES times: percent of a CPU, and looks a second."""
    with daemon.Daemon(binaries / "ampd", binaries / "ampctl", "hafs") as ampd:
        started = [ampd.run(*program) for _ in range(PROCESSES)]
        daemon.wait_for(
            "all threads",
            lambda: (
                sum(each["threads"] for each in ampd.status()["programs"]) == PROCESSES * THREADS
            ),
        )

        def used():
            """CPU time in seconds, and how often it has gone to sleep: after each look."""
            process = pathlib.Path(f"/proc/{ampd.pid}")
            slept = re.search(r"^voluntary\D*(\d+)", (process / "status").read_text(), re.MULTILINE)
            return int((process / "schedstat").read_text().split()[0]) / 1e9, int(slept[1])

        before = used()
        time.sleep(seconds)
        cpu_s, looks = (after - began for after, began in zip(used(), before, strict=True))
        assert all(each.poll() is None for each in started)
    return 100 * cpu_s / seconds, looks / seconds


def main():
    binaries = pathlib.Path(sys.argv[1]).absolute()
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    daemon.become_nobody()
    # ampd gets to look when it wants to.
    load = ["nice", "-n", "19", str(binaries.parent / "coordinator/ampd-tests/ampd-load")]
    load += ["1,0", str(THREADS)]
    found = [measure(binaries, load, seconds) for _ in range(rounds)]
    cost, looks = (statistics.median(each) for each in zip(*found, strict=True))
    print(
        f"ampd --policy hafs, {PROCESSES} programs of {THREADS} threads: {cost:.2f} % of a CPU "
        f"({min(found)[0]:.2f} to {max(found)[0]:.2f}), {looks:.0f} looks a second, "
        f"{1e4 * cost / looks:.0f} us each"
    )


if __name__ == "__main__":
    main()
