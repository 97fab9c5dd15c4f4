#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that the GCC of other Debian releases compiled run there under amp-run, and print what
they print on their own libgomp.

releases_test.py <directory of amp-run> <directory of our library>
"""

import pathlib
import re
import shutil
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import chroot  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
# The release that has the compiler, and the version of a function that its program needs, which no
# compiler before has in its library.
MAJORS = {
    13: ("trixie", "OMP_5.2"),
    14: ("trixie", "GOMP_5.1.2"),
    15: ("sid", "GOMP_5.1.3"),
    16: ("sid", "GOMP_6.0.1"),
}
MODES = {
    "as it is": ([], {}),
    "folded": (["--fold=3"], {"GOMP_AMP_TOPOLOGY": "off"}),
    "two classes": ([], {"OMP_SCHEDULE": "aid_hybrid", "GOMP_AMP_THREAD_CLASSES": "0,1"}),
    "fifo": ([], {"GOMP_TASK_SCHEDULE": "fifo"}),
}


class Releases(unittest.TestCase):
    def release(self, suite):
        """A system of SUITE with its compilers, /amp and /programs."""
        of_suite = [m for m, (release, _) in MAJORS.items() if release == suite]
        packages = [f"{driver}-{m}" for m in of_suite for driver in ("gcc", "gfortran")]
        shared = {"/amp/bin": BIN, "/amp/lib": LIB}
        root = chroot.Chroot(suite, [*packages, "libc6-dev"], shared=shared)
        self.addCleanup(root.close)
        shutil.copytree(PROGRAMS, root.path("/programs"))
        return root

    def programs(self, root, major):
        """The programs that GCC MAJOR compiles in ROOT."""
        root.output(
            f"gcc-{major}", "-O2", "-fopenmp", "entries.c", "-o", "entries", cwd="/programs"
        )
        yield "/programs/entries"
        if major >= 14:
            root.output(
                f"gfortran-{major}", "-O2", "-fopenmp", "-fopenmp-allocators", "allocators.f90",
                "-o", "allocators", cwd="/programs",
            )  # fmt: skip
            yield "/programs/allocators"

    def check(self, major):
        suite, version = MAJORS[major]
        root = self.release(suite)
        needed = ""
        for program in self.programs(root, major):
            needed += root.output("readelf", "--version-info", "--wide", program)
            expected = root.output(program)
            self.assertRegex(root.output("ldd", program), r"libgomp\.so\.1 => /(usr/)?lib/")
            for mode, (options, variables) in MODES.items():
                with self.subTest(program=program, mode=mode):
                    found = root.run("/amp/bin/amp-run", *options, program, **variables)
                    self.assertEqual((found.returncode, found.stderr), (0, ""))
                    self.assertEqual(found.stdout, expected)
        self.assertRegex(needed, rf"\b{re.escape(version)}\b")
        # It is our library that ran.
        shown = root.run("/amp/bin/amp-run", "/programs/entries", OMP_DISPLAY_ENV="verbose")
        self.assertIn("GOMP_AMP_TOPOLOGY", shown.stderr)

    def test_gcc_13(self):
        self.check(13)

    def test_gcc_14(self):
        self.check(14)

    def test_gcc_15(self):
        self.check(15)

    def test_gcc_16(self):
        self.check(16)


if __name__ == "__main__":
    chroot.enter_namespace()
    BIN, LIB = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    chroot.main(sys.argv[3:])
