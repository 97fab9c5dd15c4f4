# SPDX-License-Identifier: GPL-3.0-or-later
"""Hardware counters of chosen CPUs while a program runs, by `perf stat` or by PAPI."""

import csv
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PERF, PAPI = "perf", "papi"
TOOLS = (PERF, PAPI)
COLUMNS = ("instructions", "cycles", "llc_misses")

# The columns that events are for. Of several for one column, the first that the machine has counts.
_PERF_EVENTS = {"instructions": "instructions", "cycles": "cycles", "cache-misses": "llc_misses"}
_PAPI_EVENTS = {
    "PAPI_TOT_INS": "instructions",
    "PAPI_TOT_CYC": "cycles",
    "PAPI_L3_TCM": "llc_misses",
    "PAPI_L2_TCM": "llc_misses",
}

Counts = dict[int, dict[str, int]]


@dataclass(frozen=True)
class Tool:
    """A command that runs another one and then writes a file: for each CPU and event a line
    CPU<number>,VALUE,UNIT,EVENT as `perf stat -x,` writes it. It counts whatever runs on the CPUs.
    In the words of the command {cpus}, {file} and {events} stand for what they say."""

    label: str
    words: tuple[str, ...]
    events: dict[str, str]

    def command(self, cpus: tuple[int, ...], file: Path) -> tuple[str, ...]:
        values = {"cpus": ",".join(map(str, cpus)), "file": file, "events": ",".join(self.events)}
        return tuple(word.format(**values) for word in self.words)

    def read(self, file: Path) -> Counts:
        """What was counted, by CPU and column, without what the machine does not have."""
        counts: Counts = {}
        with file.open(newline="") as lines:
            for row in csv.reader(lines):
                # Without a value it is <not supported> or <not counted>.
                if len(row) < 4 or not row[0].startswith("CPU") or not row[1].isdigit():
                    continue
                if (column := self._column(row[3])) is not None:
                    counts.setdefault(int(row[0][3:]), {}).setdefault(column, int(row[1]))
        return counts

    def _column(self, event: str) -> str | None:
        """On a hybrid CPU perf names the kind of core too: cpu_atom/cycles/."""
        name = event.partition("/")[2].rstrip("/") or event
        return self.events.get(name.partition(":")[0])

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
            return f"CPU {lacking[0]} has none of {', '.join(self.events)}"
        return ""


def perf_stat(events: dict[str, str] = _PERF_EVENTS) -> Tool:
    words = ("perf", "stat", "-x,", "-a", "-A", "-C", "{cpus}", "-e", "{events}", "-o", "{file}")
    return Tool("perf stat", (*words, "--"), events)


def papi_count(program: Path) -> Tool:
    """By the helper of that name, which is built where PAPI's header is installed."""
    return Tool("PAPI", (str(program), "{file}", "{cpus}", "{events}"), _PAPI_EVENTS)


def tool(name: str, build: Path) -> Tool:
    """One of TOOLS."""
    return perf_stat() if name == PERF else papi_count(build / "bench" / "objects" / "papi-count")


def by_class(counts: Counts, classes: tuple[tuple[int, ...], ...]) -> dict[str, str]:
    """The sums over each class, the fastest first, joined by slashes, by column."""
    return {
        column: "/".join(
            str(sum(counts.get(cpu, {}).get(column, 0) for cpu in members)) for members in classes
        )
        for column in COLUMNS
        if any(column in values for values in counts.values())
    }
