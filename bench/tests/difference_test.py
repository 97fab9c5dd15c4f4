# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of comparing counted reports."""

import unittest

from support import rows

from lab import difference, record


def counted(*arguments, **more):
    more = {"counters": record.COUNTED_WORK, "wall_seconds": "1"} | more
    return rows("A", "virtual 2x1", *arguments, **more)


class Difference(unittest.TestCase):
    def test_what_moved(self):
        old = counted("ep", "static", [2]) + counted("ep", "dynamic", [1]) + counted("x", "y", [1])
        new = counted("ep", "static", [2]) + counted("ep", "dynamic", [1.01])
        new += counted("is", "static", [3])
        self.assertEqual(
            difference.moved(old, new),
            [
                "A: ep, dynamic: 1 -> 1.01 (+1.000 %)",
                "A: x, y: no longer there",
                "A: is, static: new",
            ],
        )
        self.assertEqual(difference.moved(old, old), [])

    def test_what_is_not_counted_moves_by_itself(self):
        old, new = (counted("ep", "static", [n], counters="rusage") for n in (1, 2))
        self.assertEqual(difference.moved(old, new), [])

    def test_nanoseconds_of_which_the_cause_is_not_known(self):
        old, less, more = (counted("ep", "static", [1 + change]) for change in (0, 0.5e-5, 2e-5))
        self.assertEqual(difference.moved(old, less), [])
        self.assertEqual(len(difference.moved(old, more)), 1)

    def test_cells_that_take_little_time(self):
        every = [
            row
            for number in range(20)
            for row in counted(f"p{number:02}", "static", [1], wall_seconds=str(number))
        ]
        found = [row["program"] for row in difference.sample(every, 5)]
        self.assertEqual(found, ["p00", "p02", "p04", "p06", "p08"])
        self.assertEqual(len(difference.sample(every[:3], 5)), 3)


if __name__ == "__main__":
    unittest.main()
