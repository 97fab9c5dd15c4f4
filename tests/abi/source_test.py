#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""cmake/FindGccSource.cmake: which source is built, and what it says where there is none.

source_test.py <cmake> <generator> <make program>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "cmake"
PROJECT = f"""\
cmake_minimum_required(VERSION 3.25)
project(source NONE)
list(APPEND CMAKE_MODULE_PATH "{CMAKE_DIRECTORY}")
include(FindGccSource)
message(STATUS "found ${{AMP_LIBGOMP_MAJOR}} ${{AMP_LIBGOMP_SOURCE}}")
"""
# A package that no system has.
CONF = "package=gcc-{0}-source\ntarball=gcc-{0}/nowhere.tar\nversion={0}.2.0\nrelease=sid\n"


class Source(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)
        (self.work / "CMakeLists.txt").write_text(PROJECT)
        for major in 14, 16:
            self.queue("libgomp", major, CONF.format(major))
        # What is there on every system.
        self.queue("gcc-patch", 12, "package=none\ntarball=../../../bin/sh\n")

    def queue(self, part, major, conf):
        directory = self.work / part / "patches" / f"gcc-{major}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "series").write_text("")
        (directory / "source.conf").write_text(conf)

    def configure(self, *options):
        """What CMake says with OPTIONS, on one line; and whether it succeeds."""
        command = [CMAKE, "-G", GENERATOR, f"-DCMAKE_MAKE_PROGRAM={MAKE_PROGRAM}", *options]
        command += ["-S", self.work, "-B", self.work / "build"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        return " ".join((done.stdout + done.stderr).split()), done.returncode == 0

    def test_missing_source_fails(self):
        for major in 14, 16:
            with self.subTest(major):
                text, succeeds = self.configure(f"-DAMP_LIBGOMP_MAJOR={major}")
                self.assertFalse(succeeds)
                self.assertIn(f"The source of GCC {major} is missing", text)
                self.assertIn(f"get gcc-{major}.2.0.tar.xz from https://ftp.gnu.org/", text)
                self.assertIn("name it with -DAMP_GCC_SOURCE=PATH", text)

    def test_source_that_is_given(self):
        text, succeeds = self.configure(f"-DAMP_GCC_SOURCE={self.work}")
        self.assertTrue(succeeds, text)
        self.assertIn(f"found 14 {self.work}", text)

    def test_given_source_that_is_not_there(self):
        text, succeeds = self.configure("-DAMP_GCC_SOURCE=/nowhere/gcc")
        self.assertFalse(succeeds)
        self.assertIn("AMP_GCC_SOURCE is /nowhere/gcc, which does not exist", text)

    def test_unknown_major(self):
        text, succeeds = self.configure("-DAMP_LIBGOMP_MAJOR=12")
        self.assertFalse(succeeds)
        self.assertIn("AMP_LIBGOMP_MAJOR: '12': expected a major", text)
        self.assertIn("has a queue for: 14, 16; nothing is built", text)

    def test_missing_source_of_the_compiler(self):
        self.queue("gcc-patch", 12, "package=gcc-12-source\ntarball=nowhere.tar\n")
        text, succeeds = self.configure(f"-DAMP_GCC_SOURCE={self.work}", "-DAMP_PLUGIN=ON")
        self.assertFalse(succeeds)
        self.assertIn("The source of GCC 12 is missing", text)
        self.assertNotIn("-DAMP_GCC_SOURCE=PATH", text)


if __name__ == "__main__":
    CMAKE, GENERATOR, MAKE_PROGRAM = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
