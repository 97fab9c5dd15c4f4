#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how the built library asks hwloc, through the program tests/env/probe.c.

The arguments that unittest does not know come first: --probe, --library,
--topologies, --fakes, --tell-binding; see CMakeLists.txt.
"""

import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "common"))
import environment  # noqa: E402

CPUS = sorted(os.sched_getaffinity(0))


def real_hwloc():
    """Whether an hwloc that can be asked is installed."""
    try:
        return ctypes.CDLL("libhwloc.so.15").hwloc_get_api_version() >= 0x20400
    except OSError:
        return False


class Run:
    """A run of the probe on CPUS with TOPOLOGY asked for and DIRECTORY in the library path."""

    def __init__(self, topology=None, cpus=None, directory=None, **variables):
        directories = [str(OPTIONS.library)] + ([str(directory)] if directory else [])
        settings = {
            "LD_LIBRARY_PATH": ":".join(directories),
            "OMP_DISPLAY_ENV": "verbose",
            "GOMP_AMP_TOPOLOGY": topology,
        }
        command = [OPTIONS.probe]
        if cpus is not None:
            command = ["taskset", "-c", ",".join(map(str, cpus))] + command
        done = subprocess.run(
            command,
            env=environment.clean(**{**settings, **variables}),
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        self.status = done.returncode
        self.error = done.stderr
        self.messages = re.findall(r"^libgomp: (.*)$", self.error, re.MULTILINE)
        self.display = dict(re.findall(r"^  (\w+) = '(.*)'$", self.error, re.MULTILINE))
        self.right = done.stdout.endswith("wrong 0\n")


class Hwloc(unittest.TestCase):
    """GOMP_AMP_TOPOLOGY=hwloc, and that nothing else needs it."""

    def worked(self, run):
        self.assertEqual(run.status, 7, run.error)
        self.assertTrue(run.right)

    def refused(self, directory, reason):
        """The hwloc in DIRECTORY is not used, which is reported once; the kernel is asked."""
        run = Run("hwloc", directory=directory)
        self.worked(run)
        self.assertEqual(len(run.messages), 1, run.error)
        self.assertIn(f"GOMP_AMP_TOPOLOGY: 'hwloc': {reason}", run.messages[0])
        self.assertTrue(run.messages[0].endswith("; using what the kernel says of the cores"))
        kernel = Run()
        for name in ("LIBGOMP_AMP_CLASSES", "LIBGOMP_AMP_CLASSES_FROM"):
            self.assertEqual(run.display[name], kernel.display[name])

    def test_file_of_a_machine(self):
        if not real_hwloc():
            self.skipTest("libhwloc.so.15 is not installed")
        if CPUS[:2] != [0, 1]:
            self.skipTest("needs CPUs 0 and 1")
        run = Run("hwloc", [0, 1], HWLOC_XMLFILE=str(OPTIONS.topologies / "two-cpus/hwloc.xml"))
        self.worked(run)
        self.assertEqual(run.messages, [])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES_FROM"], "hwloc")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_0"], "CPUs 0, capacity unknown")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_1"], "CPUs 1, capacity unknown")

    def test_asking_binds_nothing(self):
        if not real_hwloc():
            self.skipTest("libhwloc.so.15 is not installed")
        run = Run("hwloc", LD_PRELOAD=str(OPTIONS.tell_binding))
        self.worked(run)
        self.assertEqual(run.error.count("binding\n"), 0)
        # The check sees what it should: this does bind.
        bound = Run("off", LD_PRELOAD=str(OPTIONS.tell_binding), OMP_PROC_BIND="true")
        self.assertGreater(bound.error.count("binding\n"), 0)

    def test_is_loaded_only_when_asked(self):
        fake = OPTIONS.fakes / "version3"
        everything = ",".join(f"{cpu}=1" for cpu in CPUS)
        for topology in ("off", everything, str(OPTIONS.topologies / "vm")):
            run = Run(topology, directory=fake, FAKE_HWLOC_TELLS="1")
            self.worked(run)
            self.assertNotIn("fake hwloc loaded", run.error, topology)
        run = Run("hwloc", directory=fake, FAKE_HWLOC_TELLS="1")
        self.assertIn("fake hwloc loaded", run.error)

    def test_version_3_is_refused(self):
        self.refused(OPTIONS.fakes / "version3", "hwloc is 3.0, not 2.4 to 2.x")

    def test_version_2_3_is_refused(self):
        self.refused(OPTIONS.fakes / "version2_3", "hwloc is 2.3, not 2.4 to 2.x")

    def test_missing_function(self):
        self.refused(OPTIONS.fakes / "lacking", "libhwloc has no function hwloc_cpukinds_get_nr")

    def test_topology_that_cannot_be_loaded(self):
        self.refused(OPTIONS.fakes / "failing", "hwloc cannot load the topology")

    def test_machine_without_hwloc(self):
        # What is no library hides the one that is installed.
        with tempfile.TemporaryDirectory() as directory:
            for name in ("libhwloc.so.15", "libhwloc.so"):
                (pathlib.Path(directory) / name).write_bytes(b"not an ELF file" * 100)
            self.refused(directory, f"{directory}/libhwloc.so.15: ")
            run = Run(directory=directory)
            self.worked(run)
            self.assertEqual(run.messages, [])

    def test_damaged_file(self):
        if not real_hwloc():
            self.skipTest("libhwloc.so.15 is not installed")
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write("<topology version='2.0'><object")
            file.flush()
            run = Run("hwloc", HWLOC_XMLFILE=file.name)
        self.worked(run)
        self.assertEqual(len(run.messages), 1, run.error)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe", required=True)
    for name in ("library", "topologies", "fakes", "tell-binding"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    OPTIONS, rest = parser.parse_known_args()
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    result = program.result
    if not result.wasSuccessful():
        return 1
    if result.skipped:
        for test, reason in result.skipped:
            print(f"skipped {test}: {reason}")
        if len(result.skipped) == result.testsRun:
            return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
