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
    return [re.sub(r"[`*]", "", cell).strip() for cell in line.strip().strip("|").split("|")]


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

    def mean(self, schedule):
        (row,) = (row for row in self.programs if row[0] == "geometric mean")
        return row[self.programs[0].index(schedule)]

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

    def test_picture(self):
        """What is written in place of README's picture, the least and the most of each column."""
        (table, *_) = tables((SOURCE / "docs/results/npb-steal/report.md").read_text())
        head, *rows = table
        rows = [row for row in rows if row[0].startswith("npb/")]
        for name, words in (
            ("folded", "folded have"),
            ("fast cores only", "the fast core alone"),
            ("static, unbound", "threads where the kernel puts them"),
        ):
            quoted = self.quoted("README.md", rf"{words} ([\d.]+) to ([\d.]+)")
            cells = sorted((row[head.index(name)].split()[0] for row in rows), key=float)
            self.assertEqual(list(quoted), [cells[0], cells[-1]], name)

    def test_proposal_to_upstream(self):
        document = "docs/upstream/weighted-static.md"
        names = {
            "static on the four fast cores alone": ("fold-full", "fast cores only"),
            "dynamic (34 of them, the others take minutes)": ("full", "dynamic(BS)"),
            "guided": ("full", "guided"),
            "one unequal block for each thread, by a sample in each run": ("full", "aid_static"),
            "the same, of short loops by what earlier runs measured": ("full", "aid_hybrid"),
        }
        (table,) = tables((SOURCE / document).read_text())
        self.assertEqual([row[0] for row in table[1:]], list(names))
        for name, value in table[1:]:
            report, schedule = names[name]
            self.assertEqual(value, Section(report, "A").mean(schedule).split()[0], name)
        share, equal = self.quoted(
            document,
            r"reaches (\d+) % of what .* within noise of it \(([+-][\d.]+) % in the mean\)",
        )
        self.holds(share, Section("full", "A").share("aid_hybrid"))
        (gain,) = (
            row[1] for row in Section("symmetric", "as is").gains if row[0] == "aid_hybrid, ours"
        )
        self.holds(equal, percent(gain))

    def test_marks(self):
        """No line begins with one: it would be HTML, and end the paragraph."""
        pages = [SOURCE / "README.md", *(SOURCE / "docs").glob("*/*.md")]
        for page in pages:
            with self.subTest(page=page.name):
                self.assertNotRegex(page.read_text(), r"(?m)^\s*<!--=")
        self.assertGreater(len(pages), 30)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
