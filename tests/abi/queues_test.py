#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the queues of all majors of GCC have the same patches, with the same hooks.

What a hook is, the headers of libgomp/amp say: each name that they define or declare. The patches
upstream-* fix bugs of upstream's, of which majors have different ones, and are not compared.

queues_test.py <libgomp/patches>
"""

import collections
import pathlib
import re
import sys
import unittest

# What queues have more or less of than that of GCC 12, with the reason.
SINCE_13 = {
    "gomp_amp_fifo_p": 2,  # gomp_task_maybe_wait_for_dependencies looks at omp_all_memory too
    "gomp_fold_on": 1,  # env.c changes the spin count of hybrid processors
    # env.c has schedules of devices, which are not in force.
    "gomp_amp_display_given": 1,
    "gomp_amp_display_schedule": -1,
}
DIFFERENCES = {14: SINCE_13, 16: SINCE_13}


def series(queue):
    """The patches of QUEUE with hooks."""
    patches = (queue / "series").read_text().split()
    return [patch for patch in patches if not patch.startswith("upstream-")]


def names():
    """What the headers of libgomp declare: functions, variables, macros, types, constants."""
    headers = [path for path in AMP.parent.glob("*/**/*.[hid]*") if "virtual" not in path.parts]
    text = re.sub(r"/\*.*?\*/", "", "\n".join(path.read_text() for path in headers), flags=re.S)
    bodies = re.findall(r"^enum[^;{}]*{([^{}]*)}", text, re.M)
    found = {
        *re.findall(r"^(\w+) \(", text, re.M),
        *re.findall(r"^extern\s[^;(]*?(\w+)\s*[;(]", text, re.M),
        *re.findall(r"\b(\w+) \(void\);", text),
        *re.findall(r"^# *define (\w+)", text, re.M),
        *re.findall(r"^(?:struct|enum) (\w+)$", text, re.M),
        *(word for body in bodies for word in re.findall(r"^ *(\w+)", body, re.M)),
    }
    return {name for name in found if "_" in name}


def hooks(queue):
    """How often each name of ours stands in what QUEUE adds, and each file that it includes."""
    added = re.findall(
        r"^\+(?!\+\+)(.*)", "".join((queue / p).read_text() for p in series(queue)), re.M
    )
    ours = names()
    words = [word for line in added for word in re.findall(r"\w+", line) if word in ours]
    return collections.Counter(words + [line for line in added if line.startswith("#include")])


class Queues(unittest.TestCase):
    def test_all_queues_are_alike(self):
        first, *others = sorted(PATCHES.glob("gcc-*"), key=lambda queue: int(queue.name[4:]))
        found = hooks(first)
        self.assertGreater(len(found), 60)
        # Some of each part of libgomp/amp, however it is called.
        for name in ("gomp_amp_all_met", "gomp_fold_on", "GOMP_FOLD_SLEEP", "gomp_event_task"):
            self.assertIn(name, found)
        for queue in others:
            with self.subTest(queue.name):
                self.assertEqual(series(queue), series(first))
                expected = hooks(first)
                for name, count in DIFFERENCES.get(int(queue.name[4:]), {}).items():
                    expected[name] += count
                self.assertEqual(+hooks(queue), +expected)


if __name__ == "__main__":
    PATCHES = pathlib.Path(sys.argv[1])
    AMP = PATCHES.parent / "amp"
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
