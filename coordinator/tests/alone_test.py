#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The coordinator is configured alone, without the rest of this tree, and its tests can be run.

alone_test.py <cmake> <directory of coordinator> <room>
"""

import pathlib
import subprocess
import sys
import unittest


class Alone(unittest.TestCase):
    def test_configures(self):
        command = [CMAKE, "-S", SOURCE, "-B", ROOM, "-G", "Ninja", "--fresh"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = list(pathlib.Path(ROOM).rglob("CTestTestfile.cmake"))
        rows = [row for file in files for row in file.read_text().splitlines()]
        tests = [row for row in rows if row.startswith("add_test(")]
        self.assertTrue(tests)
        for row in tests:
            # The name of a target that was not found is run as a program.
            self.assertNotIn("::", row.partition("]=] ")[2])


if __name__ == "__main__":
    CMAKE, SOURCE, ROOM = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
