# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of what bench/real measured."""

import csv
import textwrap
from collections import defaultdict
from pathlib import Path
from statistics import median

from evaluation.stats import geometric_mean
from harness import report as markdown
from harness.disturbance import MARK, WIDTH

from .runner import FIXED, FOLDED, SETTINGS, STATIC

# Rounds below it are for warming up.
FIRST_ROUND = 1


class Measured:
    """The rows of a program at a place, by setting."""

    def __init__(self, rows: list[dict[str, str]]):
        self._failures = {
            row["setting"]: row["seconds"] for row in rows if row["seconds"].startswith("FAILED")
        }
        good = [row for row in rows if not row["seconds"].startswith("FAILED")]
        self.alike = {row["setting"]: True for row in good}
        for row in good:
            self.alike[row["setting"]] &= row["same"] == "1"
        self._counted = [row for row in good if int(row["round"]) >= FIRST_ROUND]

    def values(self, setting: str, column: str) -> dict[int, float]:
        """By round."""
        return {
            int(row["round"]): float(row[column])
            for row in self._counted
            if row["setting"] == setting
        }

    def seconds(self, setting: str) -> float | None:
        found = self.values(setting, "seconds")
        return median(found.values()) if found else None

    def speedup(self, setting: str) -> float | None:
        """Over static: the median of the rounds' ratios."""
        static, other = self.values(STATIC.name, "seconds"), self.values(setting, "seconds")
        ratios = [static[number] / other[number] for number in static.keys() & other.keys()]
        return median(ratios) if ratios and setting not in self._failures else None

    def disturbed(self, setting: str) -> bool:
        return any(row["disturbed"] for row in self._counted if row["setting"] == setting)

    def of_folded(self, column: str) -> float | None:
        """The median of what the folded runs counted."""
        found = self.values(FOLDED.name, column)
        return median(found.values()) if found else None

    def outputs(self) -> str:
        wrong = [name for name, alike in self.alike.items() if not alike]
        return "yes" if not wrong else f"NO: {', '.join(wrong)}"

    def failures(self) -> dict[str, str]:
        return self._failures


def read(path: Path) -> dict[str, dict[str, Measured]]:
    """What a CSV file has, by place and by program."""
    rows = defaultdict(lambda: defaultdict(list))
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            rows[row["place"]][row["program"]].append(row)
    return {
        place: {name: Measured(found) for name, found in programs.items()}
        for place, programs in rows.items()
    }


def _cell(value: float | None, digits: int, disturbed: bool = False) -> str:
    mark = f" {MARK}" if disturbed else ""
    return "failed" if value is None else f"{value:.{digits}f}{mark}"


def _table(programs: dict[str, Measured]) -> list[str]:
    others = [setting.name for setting in SETTINGS if setting is not STATIC]
    columns = ["program", "static, s", *others, "same output", "switches", "early"]
    rows = [columns]
    for name, measured in programs.items():
        static = _cell(measured.seconds(STATIC.name), 2, measured.disturbed(STATIC.name))
        ratios = [_cell(measured.speedup(one), 2, measured.disturbed(one)) for one in others]
        counts = [_cell(measured.of_folded(one), 0) for one in ("switches", "early")]
        rows.append([name, static, *ratios, measured.outputs(), *counts])
    means = []
    for one in others:
        found = [value for each in programs.values() if (value := each.speedup(one))]
        means.append(_cell(geometric_mean(found) if found else None, 2))
    rows.append(["geometric mean", "", *means, "", "", ""])
    return markdown.aligned(rows, len(columns))


def report(path: Path) -> str:
    """All tables of a CSV file in Markdown."""
    lines = []
    for place, programs in read(path).items():
        rounds = {len(one.values(STATIC.name, "seconds")) for one in programs.values()}
        text = (
            f"Seconds of static on all cores, and how many times faster than that the others are; "
            f"medians of {' or '.join(map(str, sorted(rounds)))} rounds. {FIXED.name} is "
            f"GOMP_AMP_FOLD_RANGES=fixed. {MARK}: some of the runs were disturbed."
        )
        lines += [f"## {place}", "", *textwrap.wrap(text, WIDTH), "", *_table(programs), ""]
        failures = [
            f"- {name}, {setting}: {reason}"
            for name, measured in programs.items()
            for setting, reason in measured.failures().items()
        ]
        lines += [*failures, ""] if failures else []
    return "\n".join(lines)
