#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that no setting of a user's shell reaches the programs of tests.

environment_test.py <ctest> <build directory>
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import environment

FOREIGN = """
    OMP_NUM_THREADS OMP_SCHEDULE OMP_NUM_TEAMS_DEV_3 GOMP_AMP_THREAD_CLASSES GOMP_CPU_AFFINITY
    KMP_AFFINITY ACC_DEVICE_TYPE HWLOC_XMLFILE GTEST_FILTER LD_PRELOAD LD_LIBRARY_PATH LD_DEBUG
    PYTHONPATH PYTHONHOME CC CXX FC AMP_CC CFLAGS LDFLAGS MAKEFLAGS GCC_EXEC_PREFIX COMPILER_PATH
    LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH SOURCE_DATE_EPOCH DEJAGNU
    GXX_TESTSUITE_STDS LANG LANGUAGE LC_ALL LC_MESSAGES CMAKE_C_COMPILER_LAUNCHER CMAKE_GENERATOR
""".split()
# The last ones are settings of tests, for the programs that these run.
OTHER = """
    PATH HOME TMPDIR TERM CCACHE_DIR COMPONENTS OMPI_COMM_WORLD_RANK XOMP_NUM_THREADS
    LD_BIND_NOW PYTHONDONTWRITEBYTECODE
    AMP_TEST_BIN AMP_TEST_CC AMP_TEST_TRIPS AMP_ASAN_RUNTIMES ASAN_OPTIONS
""".split()


class Clean(unittest.TestCase):
    """What Python gives to programs."""

    def setUp(self):
        surroundings = {name: "outer" for name in FOREIGN + OTHER}
        patch = mock.patch.dict(os.environ, surroundings, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def test_foreign_variables_go_and_others_stay(self):
        self.assertEqual(environment.clean(), {name: "outer" for name in OTHER})

    def test_variables_of_the_test_rule(self):
        found = environment.clean(OMP_NUM_THREADS="3", HOME="/here", TERM=None, LD_PRELOAD=None)
        self.assertEqual(found["OMP_NUM_THREADS"], "3")
        self.assertEqual(found["HOME"], "/here")
        self.assertNotIn("TERM", found)
        self.assertNotIn("LD_PRELOAD", found)


class Ctest(unittest.TestCase):
    """What ctest gives to programs."""

    def test_every_directory_with_tests_has_the_rule(self):
        checked = 0
        for file in BUILD.glob("*/**/CTestTestfile.cmake"):
            text = file.read_text()
            if "add_test(" in text:
                checked += 1
                self.assertIn('/clean-environment.cmake")\n', text, file)
        self.assertGreater(checked, 15)

    def test_programs_get_what_the_test_sets_and_nothing_foreign(self):
        # Values are of no interest, but those that would harm ctest itself.
        foreign = {name: "outer" for name in FOREIGN if not name.startswith(("LD_", "PYTHON"))}
        foreign |= {"LD_DEBUG": "", "LC_ALL": "C.UTF-8"}
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "CTestTestfile.cmake").write_text(
                f'include("{BUILD}/clean-environment.cmake")\n'
                "add_test(printed env)\n"
                "set_tests_properties(printed PROPERTIES ENVIRONMENT OMP_NUM_THREADS=3)\n"
            )
            done = subprocess.run(
                [CTEST, "--verbose", "--test-dir", directory],
                env={**environment.clean(), **foreign, "OTHER": "outer"},
                capture_output=True,
                text=True,
            )
        printed = [line.partition(": ")[2] for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("OTHER=outer", printed)
        self.assertIn("OMP_NUM_THREADS=3", printed)
        self.assertEqual([line for line in printed if line.endswith("=outer")], ["OTHER=outer"])
        self.assertFalse([line for line in printed if line.startswith(("LD_DEBUG=", "LC_ALL="))])


if __name__ == "__main__":
    CTEST, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
