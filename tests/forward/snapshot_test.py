#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that programs compiled by the snapshot of GCC's trunk run on our library as on its own.

snapshot_test.py <libgomp.so.1> <directory for the chroot>

The compiler is Debian's package gcc-snapshot, which only the unstable release has. It is installed
in a chroot, which takes minutes and 4 GB once. Without root, mmdebstrap or the package the test is
skipped.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import table

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SNAPSHOT = "/usr/lib/gcc-snapshot"
SKIPPED = 77
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


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def make_chroot(path):
    """A chroot at PATH with the compiler, made if it is not there."""
    if path.is_dir():
        return
    if os.geteuid() != 0:
        skip("a chroot takes root")
    if not shutil.which("mmdebstrap"):
        skip("mmdebstrap is not installed")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    command = ["mmdebstrap", "--quiet", "--variant=apt", "--include=gcc-snapshot,libc6-dev"]
    # A mirror may be older than its lists say; they are signed all the same.
    command += ['--aptopt=Acquire::Check-Valid-Until "false"', "unstable", str(part)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(part, ignore_errors=True)
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        skip(f"no chroot with gcc-snapshot of Debian's unstable release can be made: {last}")
    # Whole, or not there.
    part.rename(path)


def run(*command, **variables):
    """COMMAND in the chroot's directory /programs, with these VARIABLES alone."""
    variables = {"PATH": f"{SNAPSHOT}/bin:/usr/bin:/bin", "OMP_WAIT_POLICY": "passive"} | variables
    inside = ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), *command]
    script = ["sh", "-c", 'cd /programs && exec "$@"', "sh", *inside]
    return subprocess.run(["chroot", CHROOT, *script], capture_output=True, text=True, timeout=300)


class Programs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        inside = CHROOT / "programs"
        shutil.rmtree(inside, ignore_errors=True)
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
            done = run(compiler, "-w", "-foffload=disable", *options, source, "-o", name)
            if done.returncode:
                raise RuntimeError(f"{source} {options} does not compile:\n{done.stderr}")
            cls.programs[f"{source} {' '.join(options)}"] = name
            file = inside / name
            symbols = subprocess.run(["nm", "-D", file], check=True, capture_output=True, text=True)
            cls.imports |= {line.split()[-1].split("@")[0] for line in symbols.stdout.splitlines()}

    def result(self, program, library, **variables):
        done = run(program, LD_LIBRARY_PATH=library, OMP_CANCELLATION="true", **variables)
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
        loaded = run(*("sh", "-c", "ldd ./program-0"), LD_LIBRARY_PATH="/programs/ours").stdout
        self.assertIn("libgomp.so.1 => /programs/ours/libgomp.so.1", loaded)

    def test_programs_call_what_later_compilers_call(self):
        rows = [row for row in table.Table().symbols if row.name.startswith("GOMP_")]
        missed = {row.name for row in rows} - self.imports - NOT_CALLED
        self.assertEqual(missed, set())


if __name__ == "__main__":
    LIBRARY = pathlib.Path(sys.argv[1]).resolve()
    CHROOT = pathlib.Path(sys.argv[2]) / "unstable-gcc-snapshot"
    make_chroot(CHROOT)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
