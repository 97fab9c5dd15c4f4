# SPDX-License-Identifier: GPL-3.0-or-later
"""Hardware counters of chosen CPUs while a program runs, by PAPI."""

import csv
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("instructions", "cycles", "llc_misses")
# The columns that events are for. Of several for one column, the first that the machine has counts.
_EVENTS = {
    "PAPI_TOT_INS": "instructions",
    "PAPI_TOT_CYC": "cycles",
    "PAPI_L3_TCM": "llc_misses",
    "PAPI_L2_TCM": "llc_misses",
}

Counts = dict[int, dict[str, int]]


@dataclass(frozen=True)
class Tool:
    """The helper papi-count, which is built where PAPI's header is installed. It runs a command,
    and then writes a file: for each CPU and event a line CPU<number>,VALUE,,EVENT. It counts
    whatever runs on the CPUs."""

    program: Path

    def command(self, cpus: tuple[int, ...], file: Path) -> tuple[str, ...]:
        return (str(self.program), str(file), ",".join(map(str, cpus)), ",".join(_EVENTS))

    def read(self, file: Path) -> Counts:
        """What was counted, by CPU and column, without what the machine does not have."""
        counts: Counts = {}
        with file.open(newline="") as lines:
            for row in csv.reader(lines):
                if len(row) == 4 and row[1].isdigit():
                    of_cpu = counts.setdefault(int(row[0].removeprefix("CPU")), {})
                    of_cpu.setdefault(_EVENTS[row[3]], int(row[1]))
        return counts

    def missing(self, cpus: tuple[int, ...], file: Path) -> str:
        """Why it counts nothing on these CPUs, or nothing if it does."""
        command = self.command(cpus, file)
        if shutil.which(command[0]) is None:
            return f"{command[0]} is not there"
        file.unlink(missing_ok=True)
        run = subprocess.run([*command, "true"], capture_output=True, text=True)
        if run.returncode != 0 or not file.exists():
            said = run.stderr.strip().splitlines() or [f"it ended with status {run.returncode}"]
            return said[0]
        counts = self.read(file)
        lacking = [cpu for cpu in cpus if not counts.get(cpu)]
        if lacking:
            return f"CPU {lacking[0]} has none of {', '.join(_EVENTS)}"
        return ""


def by_class(counts: Counts, classes: tuple[tuple[int, ...], ...]) -> dict[str, str]:
    """The sums over each class, the fastest first, joined by slashes, by column."""
    return {
        column: "/".join(
            str(sum(counts.get(cpu, {}).get(column, 0) for cpu in members)) for members in classes
        )
        for column in COLUMNS
        if any(column in values for values in counts.values())
    }
