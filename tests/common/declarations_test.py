#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that all tests are declared and named alike.

declarations_test.py <source directory>
"""

import pathlib
import re
import sys
import unittest

ROOMS = "tests bench coordinator tools docs gcc-patch libgomp packaging".split()
# What amp_test and amp_gtests do once for all.
OWN_WAY = re.compile(r"^\s*(add_test|gtest_(discover|add)_tests|set_tests_properties)\s*\(")
DECLARES = "tests/common/AmpTest.cmake"
# Tests of WHAT are in the file WHAT_test.cc or WHAT_test.py.
MISNAMED = re.compile(r"(test[_-].*|.*-test)\.\w+$|.*\.(cpp|cxx|C)$")


def files(*rooms):
    """The files of the repository below ROOMS, with their names in it."""
    for room in rooms:
        for path in sorted((SOURCE / room).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                yield path.relative_to(SOURCE).as_posix(), path


class Declarations(unittest.TestCase):
    def test_every_test_is_declared_by_amp_test(self):
        read = 0
        for name, path in files(*ROOMS):
            if path.name != "CMakeLists.txt" and path.suffix != ".cmake" or name == DECLARES:
                continue
            read += 1
            for number, line in enumerate(path.read_text().splitlines(), 1):
                self.assertNotRegex(line, OWN_WAY, f"{name}:{number}: expected amp_test")
        self.assertGreater(read, 40)

    def test_files_of_tests_are_named_alike(self):
        named = 0
        for name, path in files("tests", "bench"):
            named += path.stem.endswith("_test")
            with self.subTest(name):
                self.assertNotRegex(path.name, MISNAMED, "expected WHAT_test.cc or WHAT_test.py")
        self.assertGreater(named, 40)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
