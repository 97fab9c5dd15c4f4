# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the wrappers share: where things are, how to run them, and exit code 77."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).parent / "src"
BIN = pathlib.Path()  # of the wrappers
LIB = pathlib.Path()  # of the plugin and of libgomp

# What a test's surroundings must not decide.
UNSET = [
    "OMP_SCHEDULE",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "AMP_CC",
    "AMP_CXX",
    "AMP_FC",
    "GOMP_AMP_TOPOLOGY",
    "GOMP_AMP_THREAD_CLASSES",
    "GOMP_AID_SF",
]


def run(*command, cwd=None, **env):
    """The finished COMMAND, with its output as text; 4 threads, and ENV besides."""
    return subprocess.run(
        [str(c) for c in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "4", "OMP_DYNAMIC": "false", "LC_ALL": "C", **env},
    )


class Case(unittest.TestCase):
    """A test with a directory of its own, in which to compile and run."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp route ")
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)

    def ok(self, *command, **env):
        """Run COMMAND, which must succeed; its standard output."""
        done = run(*command, cwd=self.work, **env)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def program(self, name, *options, wrapper="amp-gcc", output=None):
        """The program compiled by WRAPPER from source file NAME with OPTIONS."""
        target = self.work / (output or "program")
        self.ok(BIN / wrapper, "-O2", "-fopenmp", SOURCES / name, "-o", target, *options)
        return target


def main():
    """Run the calling module's tests; argv: the directories of the wrappers and of the library.

    The exit code is 77 if every test was skipped, and the first reason is told.
    """
    global BIN, LIB
    BIN, LIB = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    for name in UNSET:
        os.environ.pop(name, None)
    result = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], module="__main__", exit=False).result
    if result.wasSuccessful() and result.skipped and len(result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
