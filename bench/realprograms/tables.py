# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of what bench/real measured."""

import csv
import textwrap
from collections import defaultdict
from pathlib import Path
from statistics import median

from lab import markdown
from lab.disturbance import DRIFT, MARK, unsteady
from lab.stats import geometric_mean

from .machine import BESIDE_OTHERS, WIDTH
from .programs import GROUPS, PROGRAMS, STATIC_LOOPS
from .runner import BOUND, CALLS, FAST_ONLY, SETTINGS, STATIC, TUNED

# Rounds below it are for warming up.
FIRST_ROUND = 1


class Measured:
    """The rows of a program at a place, by setting. Runs beside other programs are left out, unless
    all of a setting are such."""

    def __init__(self, rows: list[dict[str, str]]):
        self._failures = {
            row["setting"]: row["seconds"] for row in rows if row["seconds"].startswith("FAILED")
        }
        good = [row for row in rows if not row["seconds"].startswith("FAILED")]
        self.alike = {row["setting"]: True for row in good}
        for row in good:
            self.alike[row["setting"]] &= row["same"] == "1"
        counted = [row for row in good if int(row["round"]) >= FIRST_ROUND]
        quiet = [row for row in counted if BESIDE_OTHERS not in row["disturbed"]]
        settings = {row["setting"] for row in quiet}
        self._counted = quiet + [row for row in counted if row["setting"] not in settings]
        self.left_out = len(counted) - len(self._counted)

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

    def ratios(self, setting: str) -> list[float]:
        """How many times faster than static, by round."""
        static, other = self.values(STATIC.name, "seconds"), self.values(setting, "seconds")
        if setting in self._failures:
            return []
        return [static[number] / other[number] for number in sorted(static.keys() & other.keys())]

    def speedup(self, setting: str) -> float | None:
        """Their median; if no round has both, the ratio of the medians."""
        ratios = self.ratios(setting)
        if ratios or setting in self._failures:
            return median(ratios) if ratios else None
        static, other = self.seconds(STATIC.name), self.seconds(setting)
        return static / other if static and other else None

    def libraries(self) -> set[str]:
        """The versions that the runs had of our library."""
        return {row["library"] for row in self._counted}

    def of_calls(self, column: str) -> float | None:
        """The median of what the runs with called regions counted."""
        found = self.values(CALLS.name, column)
        return median(found.values()) if found else None

    def outputs(self) -> str:
        wrong = [name for name, alike in self.alike.items() if not alike]
        return "yes" if not wrong else f"NO: {', '.join(wrong)}"

    def way(self) -> str:
        """The way in which the tuned runs were."""
        ways = {row.get("way") or "" for row in self._counted if row["setting"] == TUNED.name}
        return ", ".join(sorted(ways))

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


def _cell(value: float | None, digits: int) -> str:
    return "failed" if value is None else f"{value:.{digits}f}"


def _group(name: str) -> str:
    found = (program.group for program in PROGRAMS if program.name == name)
    return next(found, STATIC_LOOPS)


def _means(title: str, programs: list[Measured], columns: int) -> list[str]:
    """A row of geometric means."""
    row = [title, ""]
    for one in SETTINGS:
        if one is not STATIC:
            found = [value for each in programs if (value := each.speedup(one.name))]
            row.append(_cell(geometric_mean(found) if found else None, 2))
    return row + [""] * (columns - len(row))


def _table(programs: dict[str, Measured]) -> list[str]:
    """By groups, and in each by what calls gain."""
    others = [setting.name for setting in SETTINGS if setting is not STATIC]
    columns = ["program", "static, s", *others, "same output", "switches", "early"]
    rows = [columns]
    for group in GROUPS:
        members = [name for name in programs if _group(name) == group]
        members.sort(key=lambda name: -(programs[name].speedup(CALLS.name) or 0))
        for name in members:
            measured = programs[name]
            row = [name, _cell(measured.seconds(STATIC.name), 2)]
            for one in others:
                mark = f" {MARK}" if unsteady(measured.ratios(one)) else ""
                row.append(_cell(measured.speedup(one), 2) + mark)
            counts = [_cell(measured.of_calls(one), 0) for one in ("switches", "early")]
            rows.append([*row, measured.outputs(), *counts])
        if members:
            found = [programs[name] for name in members]
            rows.append(_means(f"**{group}**", found, len(columns)))
    rows.append(_means("**all**", list(programs.values()), len(columns)))
    return markdown.aligned(rows, len(columns))


def _best(measured: Measured, settings: tuple) -> float:
    """How many times faster than static the best of these settings is."""
    return max(measured.speedup(one.name) or 0 for one in settings)


def _tuned_table(programs: dict[str, Measured]) -> list[str]:
    """What amp-run does after --tune, beside the best of the three ways without this library, and
    the best of all columns of the other table."""
    rows = [["program", "way", "tuned", "best of static, bound, fast", "behind", "best by hand"]]
    tuned = {name: one for name, one in programs.items() if one.speedup(TUNED.name)}
    for name, measured in sorted(tuned.items(), key=lambda item: -item[1].speedup(TUNED.name)):
        gain = measured.speedup(TUNED.name)
        other = _best(measured, (STATIC, BOUND, FAST_ONLY))
        behind = f"{100 * (1 - gain / other):.0f} %" if gain < other else ""
        hand = _cell(_best(measured, SETTINGS), 2)
        rows.append([name, measured.way(), _cell(gain, 2), _cell(other, 2), behind, hand])
    if not tuned:
        return []
    means = [
        _cell(geometric_mean(values), 2)
        for values in (
            [one.speedup(TUNED.name) for one in tuned.values()],
            [_best(one, (STATIC, BOUND, FAST_ONLY)) for one in tuned.values()],
            [_best(one, SETTINGS) for one in tuned.values()],
        )
    ]
    rows.append(["**all**", "", means[0], means[1], "", means[2]])
    return ["", *markdown.aligned(rows, len(rows[0]))]


def report(path: Path) -> str:
    """All tables of a CSV file in Markdown."""
    lines = []
    for place, programs in read(path).items():
        rounds = {len(one.values(CALLS.name, "seconds")) for one in programs.values()}
        left_out = sum(one.left_out for one in programs.values())
        libraries = sorted(set.union(*(one.libraries() for one in programs.values())))
        text = (
            "Seconds of static on all cores, and how many times faster than that the others are; "
            f"medians of {' or '.join(map(str, sorted(rounds)))} rounds, and geometric means. "
            f"{left_out} runs beside other programs are left out. "
            f"{MARK}: the rounds' ratios differ by more than {100 * DRIFT:.0f} % and by more than "
            f"the median shows. Library: {'; '.join(libraries)}."
        )
        lines += [f"## {place}", "", *textwrap.wrap(text, WIDTH), "", *_table(programs)]
        lines += [*_tuned_table(programs), ""]
        failures = [
            f"- {name}, {setting}: {reason}"
            for name, measured in programs.items()
            for setting, reason in measured.failures().items()
        ]
        lines += [*failures, ""] if failures else []
    return "\n".join(lines)
