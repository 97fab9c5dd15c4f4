#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that packaging/programs.toml has the programs that `bench/run real` verified, no others,
and what docs/results/real/report.md says of them.

programs_test.py <source directory>
"""

import pathlib
import re
import sys
import tomllib
import unittest

LEAST_GAIN = 1.10  # of programs in the list
BEHIND = 0.97  # of the best other way: as never worse than that by more than 3 %


def rows():
    """The rows of the report's table of two real cores, by the name of the program."""
    text = (SOURCE / "docs/results/real/report.md").read_text().replace(" !", "")
    section = re.search(r"^## steal 1x2\+1x1\n(.*?)(?:^## |\Z)", text, re.M | re.S)[1]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    head, _, *body = [[cell.strip() for cell in line] for line in lines]
    return {row[0]: dict(zip(head, row, strict=True)) for row in body if "**" not in row[0]}


def gain_of(row):
    """What a program with ROW gains folded, if that is a reason to list it."""
    folded = float(row["folded"])
    others = [1.0, float(row["static, bound"]), float(row["fast cores only"])]
    listed = folded >= LEAST_GAIN and folded >= BEHIND * max(others)
    return folded if listed and row["same output"] == "yes" else None


class Programs(unittest.TestCase):
    def setUp(self):
        self.entries = tomllib.loads((SOURCE / "packaging/programs.toml").read_text())["program"]
        sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "tests/common")]
        from lab.foreign import table

        # Programs of Debian; a library or a wheel has no command of its own.
        self.programs = [one for one in table() if one.packages and not one.links]

    def test_list_has_what_was_verified(self):
        table = rows()
        verified = {}
        for program in self.programs:
            if gain := gain_of(table[program.name]):
                verified[program.command.split()[0]] = (program.packages[0], program.what, gain)
        listed = {
            entry["name"]: (entry["package"], entry["input"], entry["gain"])
            for entry in self.entries
        }
        self.assertEqual(listed, verified)
        self.assertEqual(len(listed), len(self.entries))

    def test_ways_carry_over_from_chip_to_chip(self):
        table = (SOURCE / "tools/amp-run/tune/ways.def").read_text()
        carry = set(re.findall(r'^AMP_WAY \(\w+, "(\w+)", \w+, \w+, true,', table, re.M))
        self.assertIn("folded", carry)
        self.assertNotIn("fast", carry)
        for entry in self.entries:
            self.assertIn(entry["way"], carry)
            self.assertFalse({"machine", "build-id"} & entry.keys())
            self.assertNotIn("/", entry["name"])


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop())
    unittest.main()
