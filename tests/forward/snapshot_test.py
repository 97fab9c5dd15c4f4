#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that programs compiled by the snapshot of GCC's trunk run on our library as on its own.

snapshot_test.py <libgomp.so.1>

The compiler is Debian's package gcc-snapshot, which only the unstable release has.
"""

import pathlib
import shutil
import subprocess
import sys
import unittest

import table

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import chroot  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SNAPSHOT = "/usr/lib/gcc-snapshot"
# The source, the compiler, and each set of options that changes what is called.
COMPILED = [
    ("constructs.c", "gcc", ["-O2", "-fopenmp", f"-fopenmp-ompt={tools}"])
    for tools in ("minimal", "basic", "extended")
] + [
    ("constructs.c", "gcc", ["-O0", "-fopenmp"]),
    ("allocate.f90", "gfortran", ["-O2", "-fopenmp", "-fopenmp-allocators"]),
    ("acc.f90", "gfortran", ["-O2", "-fopenacc"]),
]
MODES = {
    "plain": {},
    "folded": {"GOMP_AMP_FOLD": "3", "GOMP_AMP_TOPOLOGY": "off"},
    "folded unevenly": {"GOMP_AMP_FOLD": "auto", "GOMP_AMP_TOPOLOGY": "0=512,1-1023=1024"},
    "fifo": {"GOMP_TASK_SCHEDULE": "fifo"},
    "two classes": {"GOMP_AMP_THREAD_CLASSES": "0,1"},
}
# What no program of the snapshot calls on a host: it is there for tools and devices.
NOT_CALLED = {"GOMP_target_map_indirect_ptr"}


class Programs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.root = chroot.Chroot("sid", ["gcc-snapshot", "libc6-dev"])
        cls.addClassCleanup(cls.root.close)
        inside = cls.root.path("/programs")
        shutil.copytree(PROGRAMS, inside)
        (inside / "ours").mkdir()
        shutil.copy(LIBRARY, inside / "ours/libgomp.so.1")
        # Not all of the directory: it has the snapshot's plugins for devices.
        for name in ("libgfortran.so.5", "libquadmath.so.0", "libgcc_s.so.1"):
            (inside / "ours" / name).symlink_to(f"{SNAPSHOT}/lib/{name}")
        cls.programs = {}
        cls.imports = set()
        for number, (source, compiler, options) in enumerate(COMPILED):
            name = f"./program-{number}"
            # The host's code alone: what is compiled for a device is for that major's library.
            command = [f"{SNAPSHOT}/bin/{compiler}", "-w", "-foffload=disable", *options]
            cls.root.output(*command, source, "-o", name, cwd="/programs")
            cls.programs[f"{source} {' '.join(options)}"] = name
            file = inside / name
            symbols = subprocess.run(["nm", "-D", file], check=True, capture_output=True, text=True)
            cls.imports |= {line.split()[-1].split("@")[0] for line in symbols.stdout.splitlines()}

    def run_on(self, library, *command, **variables):
        """The finished COMMAND, on the libgomp of the directory LIBRARY."""
        variables |= {"OMP_CANCELLATION": "true", "OMP_WAIT_POLICY": "passive"}
        return self.root.run(*command, cwd="/programs", LD_LIBRARY_PATH=library, **variables)

    def result(self, program, library, **variables):
        done = self.run_on(library, program, **variables)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_results_are_those_of_the_snapshots_library(self):
        for name, program in self.programs.items():
            expected = self.result(program, f"{SNAPSHOT}/lib")
            self.assertEqual(expected[0], 0, f"{name}\n{expected[1]}")
            for mode, variables in MODES.items():
                with self.subTest(f"{name}, {mode}"):
                    self.assertEqual(self.result(program, "/programs/ours", **variables), expected)

    def test_it_is_our_library_that_runs(self):
        loaded = self.run_on("/programs/ours", "ldd", "./program-0").stdout
        self.assertIn("libgomp.so.1 => /programs/ours/libgomp.so.1", loaded)

    def test_programs_call_what_later_compilers_call(self):
        rows = [row for row in table.Table().symbols if row.name.startswith("GOMP_")]
        missed = {row.name for row in rows} - self.imports - NOT_CALLED
        self.assertEqual(missed, set())


if __name__ == "__main__":
    chroot.enter_namespace()
    LIBRARY = pathlib.Path(sys.argv[1]).resolve()
    chroot.main(sys.argv[2:])
