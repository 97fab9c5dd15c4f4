#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that no setting of a user's shell reaches the programs of tests."""

import os
import unittest
from unittest import mock

import environment

FOREIGN = """
    OMP_NUM_THREADS OMP_SCHEDULE OMP_NUM_TEAMS_DEV_3 GOMP_AMP_THREAD_CLASSES GOMP_CPU_AFFINITY
    KMP_AFFINITY ACC_DEVICE_TYPE HWLOC_XMLFILE GTEST_FILTER LD_PRELOAD LD_LIBRARY_PATH LD_DEBUG
    PYTHONPATH PYTHONHOME CC CXX FC AMP_CC CFLAGS LDFLAGS MAKEFLAGS GCC_EXEC_PREFIX COMPILER_PATH
    LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH SOURCE_DATE_EPOCH DEJAGNU
    GXX_TESTSUITE_STDS LANG LANGUAGE LC_ALL LC_MESSAGES
""".split()
# The last ones are settings of tests, for the programs that these run.
OTHER = """
    PATH HOME TMPDIR TERM CCACHE_DIR COMPONENTS OMPI_COMM_WORLD_RANK XOMP_NUM_THREADS
    LD_BIND_NOW PYTHONDONTWRITEBYTECODE
    AMP_TEST_BIN AMP_TEST_CC AMP_TEST_TRIPS AMP_ASAN_RUNTIMES ASAN_OPTIONS
""".split()


class Clean(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
