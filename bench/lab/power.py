# SPDX-License-Identifier: GPL-3.0-or-later
"""The power of big and little cores by the rows of measurements, with the formula of amp-emu's
model (tools/amp-emu/power.h)."""

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression

from .markdown import aligned

# Seconds and joules of a program on so many big and little cores.
Runs = dict[tuple[int, int], tuple[float, float]]

MEASURED = Path(__file__).parents[2] / "coordinator" / "profiles" / "npb-a-odroid.tsv"
# What is predicted; the fit sees none of it.
PREDICTED = ((4, 0), (0, 4), (4, 4))


def read(path: Path = MEASURED) -> dict[str, Runs]:
    """The measurements by program."""
    found: dict[str, Runs] = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            program, big, little, seconds, joules = line.split()
            found.setdefault(program, {})[int(big), int(little)] = float(seconds), float(joules)
    return found


def busy_part(runs: Runs, big: int, little: int) -> float:
    """For which part of a run its big cores compute, if its little ones do throughout and the work
    is that of one big core alone."""
    if big == 0 or little == 0:
        return 1.0
    seconds, work = runs[big, little][0], runs[1, 0][0]
    done_by_little = little * seconds * work / runs[0, 1][0]
    return min(1.0, max(0.0, (work - done_by_little) / (big * seconds)))


@dataclass(frozen=True)
class Model:
    """Watts: of the chip without cores, of a little core, of N big ones together: big * N^scale.
    spin: what a big core uses that waits, as a part of that."""

    idle: float
    little: float
    big: float
    scale: float
    spin: float

    def watts(self, big: int, little: int, busy: float) -> float:
        fast = self.big * big**self.scale if big else 0.0
        return self.idle + little * self.little + fast * (busy + self.spin * (1 - busy))


def fit(runs: Runs) -> Model:
    """The model of a program by its runs on one to three little cores, on one to three big ones,
    and on three of each."""

    def watts(big: int, little: int) -> float:
        seconds, joules = runs[big, little]
        return joules / seconds

    some = (1, 2, 3)
    little, idle = linear_regression(some, [watts(0, n) for n in some])
    logs = [math.log(watts(n, 0) - idle) for n in some]
    scale, log_big = linear_regression([math.log(n) for n in some], logs)
    model = Model(idle, little, math.exp(log_big), scale, 0)
    busy = busy_part(runs, 3, 3)
    full = model.watts(3, 3, 1) - model.watts(0, 3, 1)
    spin = ((watts(3, 3) - model.watts(0, 3, 1)) / full - busy) / (1 - busy)
    return Model(idle, little, model.big, scale, spin)


def table() -> str:
    """The joules that were measured, beside those of the model."""
    rows = [["program", "big + little", "seconds", "joules", "model", "deviation"]]
    for program, runs in read().items():
        model = fit(runs)
        for big, little in PREDICTED:
            seconds, joules = runs[big, little]
            predicted = seconds * model.watts(big, little, busy_part(runs, big, little))
            row = [program, f"{big}+{little}", f"{seconds:.2f}", f"{joules:.1f}"]
            rows.append([*row, f"{predicted:.1f}", f"{100 * predicted / joules - 100:+.0f} %"])
    return "\n".join(aligned(rows, len(rows[0]))) + "\n"
