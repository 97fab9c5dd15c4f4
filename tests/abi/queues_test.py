#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the queues of all majors of GCC have the same patches, with the same hooks.

queues_test.py <libgomp/patches>
"""

import collections
import pathlib
import re
import sys
import unittest

# What a queue has more or less of than that of GCC 12, with the reason.
DIFFERENCES = {
    13: {
        "gomp_amp_fifo_p": 2,  # gomp_task_maybe_wait_for_dependencies looks at omp_all_memory too
        # env.c has schedules of devices, which are not in force.
        "gomp_amp_display_given": 1,
        "gomp_amp_display_schedule": -1,
    }
}


def series(queue):
    return (queue / "series").read_text().split()


def hooks(queue):
    """How often each name of ours stands in what QUEUE adds."""
    added = re.findall(
        r"^\+(?!\+\+).*", "".join((queue / p).read_text() for p in series(queue)), re.M
    )
    return collections.Counter(re.findall(r"\b(?:gomp_(?:amp|event)|ompx)_\w+", "\n".join(added)))


class Queues(unittest.TestCase):
    def test_all_queues_are_alike(self):
        first, *others = sorted(PATCHES.glob("gcc-*"), key=lambda queue: int(queue.name[4:]))
        self.assertGreater(len(hooks(first)), 40)
        for queue in others:
            with self.subTest(queue.name):
                self.assertEqual(series(queue), series(first))
                expected = hooks(first)
                for name, count in DIFFERENCES.get(int(queue.name[4:]), {}).items():
                    expected[name] += count
                self.assertEqual(+hooks(queue), +expected)


if __name__ == "__main__":
    PATCHES = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
