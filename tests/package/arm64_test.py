#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package for 64-bit ARM, cross-built in a Debian release: lintian finds nothing; in an
emulated system of it apt installs the package, programs run on the library as they are, folded,
routed and linked to it, and apt removes it."""

import json
import os
import unittest

import install_test
import lintian_test
import releases
import support
from install_test import LAB, OURS
from releases import chroot
from support import OPTIONS

RELEASE = "bookworm"
MAJOR = releases.MAJORS[RELEASE][0]
TRIPLET = "aarch64-linux-gnu"
COMPILERS = {"C": "gcc", "CXX": "g++", "Fortran": "gfortran"}

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


def cross_build(builder):
    """Builds what is installed in BUILDER, and makes the package, whose path there is returned."""
    # It takes gcc-12 of that architecture, which cannot be installed beside a cross compiler.
    headers = f"gcc-{MAJOR}-plugin-dev:arm64"
    builder.output("apt-get", "update")
    builder.output("sh", "-ec", f"apt-get download {headers}; dpkg -x *.deb /", cwd="/tmp")
    releases.build(
        builder, "-DBUILD_TESTING=OFF",
        "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={TRIPLET.partition('-')[0]}",
        # libgomp looks for its Fortran compiler as a file.
        *(f"-DCMAKE_{key}_COMPILER=/usr/bin/{TRIPLET}-{name}-{MAJOR}"
          for key, name in COMPILERS.items()),
        # The libraries of that architecture alone.
        PKG_CONFIG_LIBDIR=f"/usr/lib/{TRIPLET}/pkgconfig:/usr/share/pkgconfig",
    )  # fmt: skip
    return releases.pack(builder)


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Programs of the build run too.
        chroot.need_emulator("arm64")
        build = OPTIONS.work / "arm64"
        builder = releases.system(RELEASE, OPTIONS.source, build, releases.BUILD_ARM64)
        cls.addClassCleanup(builder.close)
        cls.lintian = builder.run(*lintian_test.COMMAND, cross_build(builder))
        (cls.package,) = (build / "packed").glob("*.deb")
        cls.root = chroot.Chroot(RELEASE, architecture="arm64")
        cls.addClassCleanup(cls.root.close)
        releases.install(cls.root, cls.package)

    def compile(self, name, text, *flags, compiler="gcc"):
        """Makes the program /tmp/NAME of the emulated system; what the compiler says."""
        self.root.path(f"/tmp/{name}.c").write_text(text)
        command = [compiler, "-O1", "-g", "-fopenmp", f"{name}.c", "-o", name, *flags]
        done = self.root.run(*command, cwd="/tmp")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_1_package(self):
        lintian_test.judge(self, self.lintian)
        self.assertRegex(self.package.name, r"_arm64\.deb$")
        names = support.output("dpkg-deb", "--field", self.package, "Depends")
        for library in ("libc6", "libstdc++6"):
            self.assertIn(f"{library} (>= ", names)
        self.assertNotIn("cross", names)
        self.assertNotIn("gomp", names)

    def test_2_program_as_it_is(self):
        self.compile("plain", install_test.PROGRAM)
        self.assertEqual(self.root.output("uname", "-m"), "aarch64\n")
        stock = self.root.output("/tmp/plain", OMP_SCHEDULE="guided")
        self.assertRegex(stock, rf"^/\S+/{TRIPLET}/libgomp\.so\.1 3 499500\n$")
        ours = self.root.output("amp-run", "/tmp/plain", OMP_SCHEDULE="aid_hybrid")
        self.assertEqual(ours, f"{OURS} 40000002 499500\n")

    def test_2_routed(self):
        """The compiler that came with the package takes the plugin that was built for it."""
        version = self.root.output("amp-gcc", "--amp-version")
        self.assertIn("Loops are routed by the plugin.", version)
        text = FOLDED.replace("schedule(runtime)", "")
        said = self.compile("routed", text, "--amp-explain", compiler="amp-gcc")
        self.assertIn("routed: schedule(nonmonotonic:runtime)", said)
        shown = self.root.output("/tmp/routed", OMP_NUM_THREADS="3", OMP_SCHEDULE="aid_dynamic")
        self.assertEqual(shown, f"3 0 {20 * 499500}\n")

    def test_2_folded(self):
        cores = len(os.sched_getaffinity(0))
        if cores < 2:
            self.skipTest("there is one CPU, on which no team is folded")
        expected = f"{2 * cores} {cores} {20 * 499500}\n"
        directory = os.path.dirname(OURS)
        self.compile("folded", FOLDED, f"-L{directory}")
        for schedule in ("static", "dynamic,7", "aid_static", "aid_dynamic"):
            with self.subTest(schedule):
                command = ["amp-run", "--fold=2", "/tmp/folded"]
                shown = self.root.output(*command, OMP_SCHEDULE=schedule)
                self.assertEqual(shown, expected)
        self.compile("linked", FOLDED, f"-L{directory}", f"-Wl,-rpath,{directory}")
        self.assertEqual(self.root.output("/tmp/linked", GOMP_AMP_FOLD="2"), expected)

    def test_2_tools(self):
        for tool in ("amp-run", "amp-info", "amp-emu", "ampsim"):
            self.assertIn(tool, self.root.output(tool, "--version"))
        report = json.loads(self.root.output("amp-info", "--json"))
        self.assertEqual(report["library"], OURS)

    def test_2_lab_runs_programs(self):
        self.compile("timed", install_test.PROGRAM, compiler="amp-gcc")
        self.root.path("/tmp/factors").write_text("program 1:2.5\n")
        command = ["amp-emu", "virtual", "2x2.0+2x1.0", "--sf-file=factors", "--", "./timed"]
        shown = self.root.output(*command, cwd="/tmp", OMP_SCHEDULE="aid_static")
        self.assertEqual(shown, f"{LAB} 40000001 499500\n")

    def test_3_nothing_is_left(self):
        self.assertIn("usr/bin/amp-run", releases.installed(self.root))
        self.root.output("apt-get", "purge", "-y", "libgomp-amp")
        self.assertEqual(releases.installed(self.root), [])


if __name__ == "__main__":
    chroot.enter_namespace()
    support.main()
