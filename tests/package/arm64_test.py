#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The library and the tools, cross-built for 64-bit ARM, run programs of that in a Debian system of
it, under emulation: as they are, folded, and linked to the library.

It is the build of the Python wheel, which needs neither libdw nor GCC's headers for plugins, and no
Debian package."""

import json
import os
import shutil
import unittest

import install_test
import releases
import support
from install_test import OURS
from releases import chroot
from support import OPTIONS

MAJOR = releases.MAJORS["bookworm"][0]
CROSS = "aarch64-linux-gnu"
NAMES = {"C": "gcc", "CXX": "g++", "Fortran": "gfortran"}
COMPILERS = {language: f"{CROSS}-{name}-{MAJOR}" for language, name in NAMES.items()}

# Prints how many threads and workers a team has, and a sum that takes that all of its threads pass
# each barrier, one after the other where they share a CPU.
FOLDED = """
#include <omp.h>
#include <ompx_amp.h>
#include <stdio.h>
int main(void) {
  long sum = 0;
  int threads = 0, workers = 0;
  for (int region = 0; region < 20; region++) {
    #pragma omp parallel reduction(+:sum)
    {
      #pragma omp single
      {
        threads = omp_get_num_threads();
        workers = ompx_amp_get_num_workers();
      }
      #pragma omp for schedule(runtime)
      for (int i = 0; i < 1000; i++)
        sum += i;
      #pragma omp barrier
      #pragma omp critical
      sum++;
    }
  }
  printf("%d %d %ld\\n", threads, workers, sum - 20L * threads);
}
"""


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for language, compiler in COMPILERS.items():
            if shutil.which(compiler) is None:
                package = "gfortran" if language == "Fortran" else "g++"
                raise unittest.SkipTest(
                    f"there is no {compiler} here; Debian's package: {package}-{MAJOR}-{CROSS}"
                )
        cls.root = chroot.Chroot("bookworm", ["libgomp1"], architecture="arm64")
        cls.addClassCleanup(cls.root.close)
        build, cls.tree = OPTIONS.work / "arm64", OPTIONS.work / "arm64-installed"
        support.output(
            "cmake", "-G", "Ninja", "-S", OPTIONS.source, "-B", build,
            "-DAMP_PYTHON=ON", "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            "-DCMAKE_INSTALL_PREFIX=/usr",
            "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            # libgomp looks for its Fortran compiler as a file.
            *(f"-DCMAKE_{key}_COMPILER={shutil.which(name)}" for key, name in COMPILERS.items()),
        )  # fmt: skip
        support.output("cmake", "--build", build, timeout=3000)
        shutil.rmtree(cls.tree, ignore_errors=True)
        support.output(
            "cmake", "--install", build, "--component", "Unspecified", env={"DESTDIR": cls.tree}
        )
        shutil.copytree(cls.tree, cls.root.path("/"), symlinks=True, dirs_exist_ok=True)

    def compile(self, name, text, *flags):
        """Makes the program /tmp/NAME of the emulated system."""
        source = OPTIONS.work / f"arm64-{name}.c"
        source.write_text(text)
        support.output(
            COMPILERS["C"], "-O1", "-fopenmp", "-I", self.tree / "usr/include",
            "-L", self.tree / OURS[1:].rpartition("/")[0], source,
            "-o", self.root.path(f"/tmp/{name}"), *flags,
        )  # fmt: skip

    def test_program_as_it_is(self):
        self.compile("plain", install_test.PROGRAM)
        self.assertEqual(self.root.output("uname", "-m"), "aarch64\n")
        stock = self.root.output("/tmp/plain", OMP_SCHEDULE="guided")
        self.assertRegex(stock, rf"^/\S+/{CROSS}/libgomp\.so\.1 3 499500\n$")
        ours = self.root.output("amp-run", "/tmp/plain", OMP_SCHEDULE="aid_hybrid")
        self.assertEqual(ours, f"{OURS} 40000002 499500\n")

    def test_folded(self):
        cores = len(os.sched_getaffinity(0))
        if cores < 2:
            self.skipTest("there is one CPU, on which no team is folded")
        expected = f"{2 * cores} {cores} {20 * 499500}\n"
        self.compile("folded", FOLDED)
        for schedule in ("static", "dynamic,7", "aid_static", "aid_dynamic"):
            with self.subTest(schedule):
                command = ["amp-run", "--fold=2", "/tmp/folded"]
                shown = self.root.output(*command, OMP_SCHEDULE=schedule)
                self.assertEqual(shown, expected)
        self.compile("linked", FOLDED, f"-Wl,-rpath,{os.path.dirname(OURS)}")
        self.assertEqual(self.root.output("/tmp/linked", GOMP_AMP_FOLD="2"), expected)

    def test_tools(self):
        for tool in ("amp-run", "amp-info", "amp-emu"):
            self.assertIn(tool, self.root.output(tool, "--version"))
        report = json.loads(self.root.output("amp-info", "--json"))
        self.assertEqual(report["library"], OURS)


if __name__ == "__main__":
    chroot.enter_namespace()
    support.main()
