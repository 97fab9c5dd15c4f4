#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that numbers which the documents quote are those of the committed reports.

quotes_test.py <source directory>
"""

import pathlib
import re
import sys
import unittest


def cells(line):
    return [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]


def tables(text):
    """The tables in TEXT, each as a list of rows, the head first."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = block.splitlines()
        yield [cells(head), *map(cells, rows)]


def percent(text):
    return float(re.search(r"[-+]?[\d.]+(?= %)", text)[0])


class Section:
    """What bench/report wrote of the machine TITLE in docs/results/NAME."""

    def __init__(self, name, title):
        text = (SOURCE / "docs/results" / name / "report.md").read_text()
        section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
        self.programs, self.gains, *_ = tables(section)

    def count(self):
        return sum(row[0] not in ("geometric mean", "mean") for row in self.programs[1:])

    def mean(self, schedule):
        (row,) = (row for row in self.programs if row[0] == "geometric mean")
        return row[self.programs[0].index(schedule)]

    def gain(self, schedule):
        """By how many percent SCHEDULE is over static in the geometric mean."""
        for row in self.gains:
            if row[0] == schedule:
                return percent(row[2])
        return 100 * float(self.mean(schedule).split()[0]) - 100

    def gain_over_dynamic(self, schedule):
        (row,) = (row for row in self.gains if row[0] == schedule)
        return percent(row[5])

    def share(self, schedule):
        """How many percent of the bound SCHEDULE reaches."""
        return percent(self.mean(schedule))


class Quotes(unittest.TestCase):
    def holds(self, quoted, measured):
        """QUOTED, a text, is MEASURED as far as its digits go."""
        digits = len(quoted.partition(".")[2])
        self.assertLessEqual(abs(float(quoted) - measured), 0.501 / 10**digits, quoted)

    def quoted(self, document, pattern):
        text = " ".join((SOURCE / document).read_text().split())
        found = re.search(pattern, text)
        self.assertIsNotNone(found, f"{document}: expected the quote '{pattern}'")
        return found.groups()

    def test_readme(self):
        a, steal = Section("full", "A"), Section("steal", "steal 1x2+1x1")
        gain, share = self.quoted(
            "README.md",
            r"`aid_hybrid` is (\d+) % faster than static in the geometric mean, at (\d+) % of what",
        )
        self.holds(gain, a.gain("aid_hybrid"))
        self.holds(share, a.share("aid_hybrid"))
        (gain,) = self.quoted(
            "README.md", r"with one of two real cores made half as fast, (\d+) %\."
        )
        self.holds(gain, steal.gain("aid_hybrid, ours"))
        self.quoted("README.md", r"Thirty programs, .* fifteen of them, with one of two real cores")
        self.assertEqual((a.count(), steal.count()), (30, 15))

    def test_means_of_virtual_machines(self):
        (table,) = (
            table
            for table in tables((SOURCE / "docs/results.md").read_text())
            if table[0]
            == ["machine", "schedule", "over static(BS)", "over dynamic(BS)", "of the bound"]
        )
        held = 0
        for title, schedule, static, dynamic, bound in table[1:]:
            if title:
                section = Section("full", title)
            label = schedule.replace(", the best of 8 and 64", " best of 8, 64")
            with self.subTest(title=title, schedule=label):
                self.holds(static.removesuffix(" %"), section.gain(label))
                self.holds(bound.removesuffix(" %"), section.share(label))
                if dynamic:
                    self.holds(dynamic.removesuffix(" %"), section.gain_over_dynamic(label))
                held += 1
        self.assertEqual(held, 20)

    def test_means_of_real_time(self):
        (table,) = (
            table
            for table in tables((SOURCE / "docs/results.md").read_text())
            if table[0] == ["schedule", "ours", "system's libgomp", "LLVM 14", "Intel"]
        )
        section = Section("steal", "steal 1x2+1x1")
        held = 0
        for schedule, *values in table[1:]:
            label = {
                "static": "static(BS)",
                "dynamic": "dynamic(BS)",
                "dynamic, the best of 8 and 64": "dynamic best of 8, 64",
            }.get(schedule, schedule)
            for runtime, value in zip(("ours", "stock", "llvm", "intel"), values, strict=True):
                if value and not schedule.startswith("static_steal"):
                    with self.subTest(schedule=schedule, runtime=runtime):
                        quoted = value.removesuffix(" %")
                        self.holds(quoted, section.gain(f"{label}, {runtime}"))
                        held += 1
        self.assertEqual(held, 16)

    def test_real_programs(self):
        """Each row of docs/real-programs.md, without the marks of the report's."""
        document = (SOURCE / "docs/real-programs.md").read_text()
        report = (SOURCE / "docs/results/real/report.md").read_text()
        for title in ("steal 1+1", "virtual 4x3.0+4x1.0"):
            sections = [
                re.search(rf"^## {re.escape(title)}.*?\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
                for text in (document, report)
            ]
            (quoted,), (measured,) = map(tables, sections)
            self.assertEqual(quoted[0][:6], measured[0][:6])
            values = {row[0]: [cell.removesuffix(" !") for cell in row[1:6]] for row in measured}
            self.assertEqual({row[0]: row[1:6] for row in quoted}, values, title)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
