# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what pages quote from reports, on made-up ones."""

import unittest

from support import Scratch

from lab import quotes
from lab.record import RecordError

REPORT = """# made up

## A

| program        | static(BS) | `aid` |
|----------------|------------|-------|
| npb/ep         | 1.00       | 1.61 ! |
| geometric mean | 1.00 (47 %) | 1.79 (83 %) |

| schedule | mean | least | mean |
|----------|------|-------|------|
| aid      | +79.3 % | -1.2 % (ep) | +3.4 % |

- npb/ep: aid, ours 4.8 % behind dynamic best of 8, 64 (-0.0 to 7.4 % by round)

## B

| program        | aid  |
|----------------|------|
| geometric mean | 0.81 |
"""


class Quotes(Scratch):
    def setUp(self):
        super().setUp()
        self.file("full/report.md", REPORT)
        self.file("full/other.md", "| what | 1 |\n|---|---|\n| x | 7 |\n")
        self.quotes = quotes.Quotes(self.directory)

    def test_numbers(self):
        for where, expected in (
            ("full|A|geometric mean|aid", "1.79"),
            ("full | A | geometric mean | aid | %", "83"),
            ("full|A|geometric mean|aid|gain", "+79"),
            ("full|A|geometric mean|aid|.1", "1.8"),
            ("full|A|geometric mean|#2|cell", "1.79 (83 %)"),
            ("full|A|npb/ep|aid|cell", "1.61"),
            ("full|B|geometric mean|aid|less", "19"),
            ("full|A|aid|mean", "+79.3"),
            ("full|A|aid|#3", "+3.4"),
            ("full||aid|least|cell", "-1.2 % (ep)"),
            ("full|A|npb/ep|behind|%", "4.8"),
            ("full/other||x|1", "7"),
        ):
            with self.subTest(where):
                self.assertEqual(self.quotes.number(where), expected)

    def test_what_is_not_there(self):
        for where, message in (
            ("full|C|geometric mean|aid", "no section 'C'"),
            ("full|A|geometric mean|guided", "no table has a row 'geometric mean'"),
            ("full|A|geometric mean|aid|.x", "no form '.x'"),
            ("full|A|npb/ep|aid|%", "no number of that form"),
        ):
            with self.subTest(where), self.assertRaisesRegex(RecordError, message):
                self.quotes.number(where)
        for where, message in (
            ("full|A|4", "there are 3 tables"),
            ("full|A|1|program,no", "no column is called no"),
            ("full|A|1||npb/ep;no", "no row is called no"),
        ):
            with self.subTest(where), self.assertRaisesRegex(RecordError, message):
                self.quotes.table(where)

    def test_rows_and_columns_of_a_table(self):
        self.file(
            "full/commas.md",
            "| what | a, b | c |\n|---|---|---|\n| **x** | 1 | 2 |\n| y | 3 | 4 |\n",
        )
        self.assertEqual(
            self.quotes.table("full/commas||1|what;a, b|x,"),
            "| what  | a, b |\n|-------|------|\n| **x** | 1    |\n",
        )

    def test_a_page(self):
        page = (
            "Gains <!--=full|A|geometric\nmean|aid|gain-->+1<!--/--> %, not <!-- this -->+2 %.\n"
            "<!--table=full|A|1|program,`aid`-->\nold\n<!--/-->\nEnd.\n"
        )
        expected = (
            "Gains <!--=full|A|geometric\nmean|aid|gain-->+79<!--/--> %, not <!-- this -->+2 %.\n"
            "<!--table=full|A|1|program,`aid`-->\n"
            "| program        | `aid`       |\n|----------------|-------------|\n"
            "| npb/ep         | 1.61        |\n| geometric mean | 1.79 (83 %) |\n"
            "<!--/-->\nEnd.\n"
        )
        self.assertEqual(self.quotes.rendered(page), expected)
        self.assertEqual(self.quotes.rendered(expected), expected)

    def test_charts_that_pages_show(self):
        self.file("README.md", "![one](docs/results/full/a.svg)\n")
        self.file("docs/results/page.md", "![two](steal/b.svg), [no picture](full/c.svg)\n")
        # A report shows its own.
        self.file("docs/results/full/report.md", "![three](d.svg) ![four](full/e.svg)\n")
        self.assertEqual(quotes.shown(self.directory), {"full/a.svg", "steal/b.svg"})


if __name__ == "__main__":
    unittest.main()
