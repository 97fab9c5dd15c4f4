#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that numbers which the documents quote, and a picture shows, are those of the committed
reports.

quotes_test.py <source directory>
"""

import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree


# The rows of a report's table that are of all programs.
MEANS = ("geometric mean", "mean", "median", "least")


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

    def count(self):
        return sum(row[0] not in MEANS for row in self.programs[1:])

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

    def least(self, schedule):
        """How many times faster than static the program is that gains least."""
        column = self.programs[0].index(schedule)
        values = [row[column].split()[0] for row in self.programs[1:] if row[0] not in MEANS]
        return min(float(value) for value in values if value != "-")

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
        equal, folded = Section("symmetric", "as is"), Section("fold-full", "A")
        slower, gain, share = self.quoted(
            "README.md",
            r"Where dynamic is (\d+) % slower than static, `aid_hybrid` is (\d+) % faster and "
            r"reaches (\d+) % of what",
        )
        self.holds(slower, -a.gain("dynamic(BS)"))
        self.holds(gain, a.gain("aid_hybrid"))
        self.holds(share, a.share("aid_hybrid"))
        (gain,) = self.quoted(
            "README.md",
            r"one of two real cores made half as fast, fifteen of the programs gain (\d+) %",
        )
        self.holds(gain, steal.gain("aid_hybrid, ours"))
        self.quoted("README.md", r"\*\*Thirty programs\*\*")
        self.assertEqual((a.count(), folded.count(), equal.count()), (30, 30, 30))
        self.assertEqual(steal.count(), 15)
        (gain,) = self.quoted("README.md", r"is static there: ([+-][\d.]+) % in the mean")
        self.holds(gain, percent(equal.gains[2][1]))
        self.assertEqual(equal.gains[2][0], "aid_hybrid, ours")

    def test_thirty_programs(self):
        (table,) = self.readme_tables("fast cores 3 times as fast")
        names = {
            "static, bound": ("full", "static(BS)"),
            "static, P (fast) cores only": ("fold-full", "fast cores only"),
            "dynamic": ("full", "dynamic(BS)"),
            "guided": ("full", "guided"),
            "aid_hybrid": ("full", "aid_hybrid"),
        }
        self.assertEqual([row[0] for row in table[1:]], list(names))
        for name, *values in table[1:]:
            report, schedule = names[name]
            for title, (mean, least) in {"A": values[:2], "B": values[2:]}.items():
                with self.subTest(name=name, title=title):
                    section = Section(report, title)
                    self.assertEqual(mean, section.mean(schedule).split()[0])
                    self.assertEqual(float(least), section.least(schedule))
        quoted = self.quoted(
            "README.md",
            r"are ([\d.]+) and ([\d.]+) times as fast folded, ([\d.]+) and ([\d.]+) times at "
            r"least",
        )
        sections = [Section("fold-full", title) for title in "AB"]
        measured = [section.mean("calls").split()[0] for section in sections]
        measured += [f"{section.least('calls'):.2f}" for section in sections]
        self.assertEqual(list(quoted), measured)

    def readme_tables(self, column):
        """The tables of README.md that have a COLUMN."""
        return [table for table in tables((SOURCE / "README.md").read_text()) if column in table[0]]

    def test_npb_folded(self):
        (quoted,) = self.readme_tables("folded")
        (measured,) = tables((SOURCE / "docs/results/npb-steal/nasa.md").read_text())
        self.assertEqual(quoted[0][1:], measured[0][1:])
        self.assertEqual(quoted[1:], measured[1:])
        ep, *others = [row[4] for row in measured[1:]]
        self.assertEqual(len(set(others)), 1)
        static = sorted(value for row in measured[1:] for value in row[1:3])
        fast = sorted(row[3] for row in measured[1:])
        text = (
            rf"folded {ep} \(EP\) and {others[0]} \(CG, FT, MG\), where static reaches {static[0]} "
            rf"to {static[-1]} and the fast core alone {fast[0]} to {fast[-1]}"
        )
        self.quoted("docs/results/schedules.md", text)

    def test_picture(self):
        (table, *_) = tables((SOURCE / "docs/results/littles/report.md").read_text())
        head, *rows = table
        values = {name: [float(row[head.index(name)]) for row in rows] for name in head[1:]}
        fast_only = [values["static threads"][0]] * len(rows)
        expected = {
            "ideal": values["ideal"],
            "fast": fast_only,
            "static": values["static threads"],
            "aid_hybrid": values["aid_hybrid"],
        }
        picture = xml.etree.ElementTree.parse(SOURCE / "docs/results/slow-cores.svg").getroot()
        drawn, dots = {}, []
        for element in picture.iter():
            if element.tag.endswith("polyline"):
                points = [point.split(",") for point in element.get("points").split()]
                self.assertEqual([float(x) for x, _ in points], [80, 170, 260, 350, 440])
                drawn[element.get("id")] = [round((280 - float(y)) / 16, 4) for _, y in points]
            elif element.tag.endswith("circle"):
                dots.append(round((280 - float(element.get("cy"))) / 16, 4))
        self.assertEqual(drawn, expected)
        self.assertEqual(dots, expected["static"] + expected["aid_hybrid"])
        quoted = self.quoted(
            "README.md",
            r"static drops from ([\d.]+) to ([\d.]+) with the first slow core, aid_hybrid goes "
            r"from ([\d.]+) to ([\d.]+), and to ([\d.]+) with four",
        )
        static, hybrid = expected["static"], expected["aid_hybrid"]
        ours = [*static[:2], *hybrid[:2], hybrid[-1]]
        self.assertEqual([float(value) for value in quoted], ours)

    def test_ep_and_uniform(self):
        reports = tables((SOURCE / "docs/results/figures/report.md").read_text())
        document = list(tables((SOURCE / "docs/results/schedules.md").read_text()))
        for measured in reports:
            self.assertIn(measured[1:], [table[1:] for table in document], measured[0])

    def test_means_of_virtual_machines(self):
        (table,) = (
            table
            for table in tables((SOURCE / "docs/results/schedules.md").read_text())
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
            for table in tables((SOURCE / "docs/results/schedules.md").read_text())
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

    def test_proposal_to_upstream(self):
        document = "docs/upstream/weighted-static.md"
        names = {
            "static on the four fast cores alone": ("fold-full", "fast cores only"),
            "dynamic": ("full", "dynamic(BS)"),
            "guided": ("full", "guided"),
            "one unequal block for each thread, by a measured sample": ("full", "aid_static"),
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
        self.holds(share, Section("full", "A").share("aid_static"))
        (gain,) = (
            row[1] for row in Section("symmetric", "as is").gains if row[0] == "aid_static, ours"
        )
        self.holds(equal, percent(gain))

    def test_marks(self):
        """Numbers and tables between marks (bench/lab/quotes.py)."""
        sys.path.insert(0, str(SOURCE / "bench"))
        from lab import quotes

        reports = quotes.Quotes(SOURCE / "docs/results")
        marks = 0
        for page in quotes.pages(SOURCE):
            text = page.read_text()
            marks += text.count("<!--/-->")
            with self.subTest(page=page.name):
                self.assertEqual(reports.rendered(text), text, "bench/report --quotes writes this")
        self.assertGreater(marks, 10)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
