# SPDX-License-Identifier: GPL-3.0-or-later
"""The CSV file of an evaluation: one row for each run, appended as soon as it is over."""

import csv
import lzma
import os
import platform
from hashlib import sha256
from pathlib import Path

from .runtimes import OUR_LIBRARIES

# What makes a run the same one, so that it is not measured twice.
KEY = tuple(
    """
    machine emulation program arguments program_sha256 label schedule runtime library_sha256
    settings round
    """.split()
)
COLUMNS = ("matrix", *KEY) + tuple(
    """
    status seconds measure value fields wall_seconds threads binding pinning classes library
    kernel cpu reached makespan work bound share handovers task_clock_ns page_faults
    context_switches instructions cycles llc_misses energy_j edp_js counters disturbed error
    """.split()
)
COMPRESSED = ".xz"
COMMENT = "# "
OK, FAILED = "ok", "failed"
# In the column `counters`: the work was counted, so that every run gives the same.
COUNTED_WORK = "counted work"

Row = dict[str, str]


class RecordError(Exception):
    """A CSV file that is not one of bench/run."""


def key(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in KEY)


def read(path: Path) -> list[Row]:
    """The rows of a file in order, the last one for each key; none if there is no file."""
    if not path.exists():
        return []
    opened = lzma.open if path.suffix == COMPRESSED else open
    with opened(path, "rt", newline="") as file:
        reader = csv.DictReader(line for line in file if not line.startswith(COMMENT))
        if reader.fieldnames is None:
            return []
        if tuple(reader.fieldnames) != COLUMNS:
            raise RecordError(f"{path}: its columns are not those that bench/run writes")
        # A run that was interrupted while it wrote leaves a row that lacks something.
        rows = [row for row in reader if None not in row and None not in row.values()]
    latest: dict[tuple[str, ...], Row] = {}
    for row in rows:
        latest.pop(key(row), None)
        latest[key(row)] = row
    return list(latest.values())


def libraries(rows: list[Row]) -> str:
    """Ours that they were measured with: version and commit."""
    ours = (row["library"] for row in rows if row["runtime"] in OUR_LIBRARIES)
    return ", ".join(dict.fromkeys(ours))


def compress(rows: list[Row], path: Path) -> None:
    """Write them all to a compressed file, the same one for the same rows."""
    with lzma.open(path, "wt", newline="") as file:
        file.write(f"{COMMENT}{libraries(rows)}\r\n")
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)


def append(path: Path, row: dict[str, object]) -> None:
    """Add a row, of which what is not given stays empty, so that it survives whatever follows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        if file.tell() == 0:
            writer.writeheader()
        elif not _ends_a_line(path):
            file.write("\r\n")
        writer.writerow(row)
        file.flush()
        os.fsync(file.fileno())


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def short_hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]


def cpu_model() -> str:
    """The name that the kernel has for the processor, or else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "uarch"):
            return value.strip()
    return platform.machine()


def host() -> Row:
    return {"kernel": platform.release(), "cpu": cpu_model()}
