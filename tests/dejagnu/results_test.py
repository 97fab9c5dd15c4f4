#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that differences between two runs of a suite are seen, whatever their kind."""

import pathlib
import tempfile
import unittest

from results import Difference, differences, explain, read_list, read_sum
from setup_error import SetupError

SUM = """\
Running gomp.exp ...
PASS: a.c  (test for excess errors)
PASS: a.c scan-tree-dump-times ompexp "x | y" 2
PASS: a.c scan-tree-dump-times ompexp "x | y" 2
XFAIL: b.c  (test for errors, line 3)
UNSUPPORTED: c.c

\t\t=== gcc Summary ===

# of expected passes\t\t3
"""


class Compared(unittest.TestCase):
    def changes(self, text):
        """The changes from SUM to TEXT."""
        return differences(read_sum(SUM), read_sum(text))

    def test_same(self):
        self.assertEqual(self.changes(SUM), [])
        self.assertEqual(self.changes("\n".join(reversed(SUM.splitlines()))), [])

    def test_changed(self):
        changed = self.changes(SUM.replace("PASS: a.c  (", "FAIL: a.c  ("))
        self.assertEqual(changed, [Difference("PASS->FAIL", "a.c  (test for excess errors)")])

    def test_one_of_two_of_a_name(self):
        changed = self.changes(SUM.replace("PASS: a.c scan", "FAIL: a.c scan", 1))
        self.assertEqual([d.change for d in changed], ["PASS->FAIL"])

    def test_one_fewer_of_a_name(self):
        changed = self.changes(
            SUM.replace('PASS: a.c scan-tree-dump-times ompexp "x | y" 2\n', "", 1)
        )
        self.assertEqual([d.change for d in changed], ["PASS->absent"])

    def test_one_more(self):
        changed = self.changes(SUM + "ERROR: tcl error\n")
        self.assertEqual(changed, [Difference("absent->ERROR", "tcl error")])

    def test_supported_no_more(self):
        changed = self.changes(SUM.replace("UNSUPPORTED: c.c", "UNRESOLVED: c.c"))
        self.assertEqual(changed, [Difference("UNSUPPORTED->UNRESOLVED", "c.c")])


class Listed(unittest.TestCase):
    FOUND = [Difference("PASS->FAIL", 'a.c  -std=c++98 scan "[^x]" 2')]

    def entries(self, text):
        """The entries of a list that holds TEXT."""
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "list"
            path.write_text(text)
            return read_list(path)

    def unexplained(self, line):
        """The differences that LINE leaves, and how many it explains."""
        (entry,) = self.entries(f"# a comment\n\n{line}\n")
        return explain(self.FOUND, [entry]), entry.hits

    def test_listed(self):
        self.assertEqual(self.unexplained('PASS->FAIL | a.c *scan "[^x]" 2 | why'), ([], 1))

    def test_only_the_star_is_special(self):
        self.assertEqual(self.unexplained('PASS->FAIL | a.c *scan "[^y]" 2 | why'), (self.FOUND, 0))

    def test_the_whole_name_counts(self):
        self.assertEqual(self.unexplained("PASS->FAIL | a.c * | why | more")[1], 1)
        self.assertEqual(self.unexplained('PASS->FAIL | a.c *scan "[^x]" | why'), (self.FOUND, 0))

    def test_another_change(self):
        self.assertEqual(self.unexplained("FAIL->PASS | a.c * | why"), (self.FOUND, 0))

    def test_sometimes(self):
        for change, sometimes in ("PASS->FAIL", False), ("PASS->FAIL?", True):
            (entry,) = self.entries(f"{change} | a.c * | why")
            self.assertEqual((entry.change, entry.sometimes), ("PASS->FAIL", sometimes))
            self.assertEqual(explain(self.FOUND, [entry]), [])

    def test_bad_lines(self):
        for line in (
            "PASS->FAIL | a.c *",
            "PASS->FIAL | a.c * | why",
            "PASS?->FAIL | a.c * | why",
            "PASS->FAIL | a.c * | ",
        ):
            with self.subTest(line), self.assertRaises(SetupError):
                self.entries(line + "\n")


if __name__ == "__main__":
    unittest.main()
