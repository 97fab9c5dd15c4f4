#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The library alone is built by one command, in a Debian system that has a C compiler, make, CMake
and what GCC's source takes to be patched, and no C++, Fortran or Python."""

import pathlib
import shutil
import unittest

import install_test
import support
from releases import chroot
from support import OPTIONS

PACKAGES = ["cmake", "gcc", "libc6-dev", "make", "patch", "patchutils", "xz-utils"]
SOURCE = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "libgomp"]
LIBRARY = "/opt/libgomp-amp/lib/libgomp-amp"


class Library(unittest.TestCase):
    def test_one_command(self):
        where = pathlib.Path("/usr/local/src")
        shared = {str(where): where} if where.exists() else {"/usr/src": "/usr/src"}
        root = chroot.Chroot("bookworm", PACKAGES, shared=shared)
        self.addCleanup(root.close)
        root.output("which", "gcc")
        for compiler in ("c++", "gfortran", "python3", "ninja"):
            self.assertNotEqual(root.run("which", compiler).returncode, 0, compiler)
        for name in SOURCE:
            copy = shutil.copytree if (OPTIONS.source / name).is_dir() else shutil.copy
            root.path("/source").mkdir(exist_ok=True)
            copy(OPTIONS.source / name, root.path(f"/source/{name}"))
        root.output("cmake", "--workflow", "--preset", "library", cwd="/source", timeout=3000)
        root.output("cmake", "--install", "build-library", cwd="/source")
        root.path("/tmp/show.c").write_text(install_test.PROGRAM)
        root.output("gcc", "-fopenmp", "/tmp/show.c", "-o", "/tmp/show")
        shown = root.output("/tmp/show", LD_LIBRARY_PATH=LIBRARY, OMP_SCHEDULE="aid_hybrid")
        self.assertEqual(shown, f"{LIBRARY}/libgomp.so.1 40000002 499500\n")


if __name__ == "__main__":
    chroot.enter_namespace()
    support.main()
