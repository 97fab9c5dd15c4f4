# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one folder of upstream's libgomp test suite in one mode, outside of a build of GCC."""

import os
import shutil
import time
from dataclasses import dataclass, field

import environment
import gcc_source
import programs
import runtest

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Suite:
    """A folder, the file in it that DejaGnu runs, another folder whose tests that runs too, and
    whether its programs are OpenMP's: those of OpenACC have no teams."""

    folder: str
    driver: str
    common: str = ""
    openmp: bool = True


SUITES = {
    "c": Suite("libgomp.c", "c.exp", "libgomp.c-c++-common"),
    "c++": Suite("libgomp.c++", "c++.exp", "libgomp.c-c++-common"),
    "fortran": Suite("libgomp.fortran", "fortran.exp"),
    "graphite": Suite("libgomp.graphite", "graphite.exp"),
    "oacc-c": Suite("libgomp.oacc-c", "c.exp", "libgomp.oacc-c-c++-common", False),
    "oacc-c++": Suite("libgomp.oacc-c++", "c++.exp", "libgomp.oacc-c-c++-common", False),
    "oacc-fortran": Suite("libgomp.oacc-fortran", "fortran.exp", openmp=False),
}

TEST_TIMEOUT = 120  # seconds for each compilation and each program

# What upstream's DejaGnu code looks for beside the folder `libgomp` of a build tree, to find out
# which languages there are; the file is asked for from the compiler.
BESIDE = {
    "libstdc++-v3/src/.libs": "libstdc++.so",
    "libgfortran/.libs": "libgfortran.so",
    "libquadmath/.libs": "libquadmath.so",
}

SITE = """\
set srcdir {source}/libgomp/testsuite
set objdir {directory}
set tmpdir {directory}
set host_triplet {triplet}
set build_triplet {triplet}
set target_triplet {triplet}
set target_alias {triplet}
set tool_timeout {timeout}
set test_timeout {timeout}
set GCC_UNDER_TEST "{c}"
set GXX_UNDER_TEST "{cxx}"
set GFORTRAN_UNDER_TEST "{fortran}"
set SYSROOT_CFLAGS_FOR_TARGET ""
set cuda_driver_include ""
set cuda_driver_lib ""
set hsa_runtime_lib ""
set offload_plugins ""
set offload_targets ""
set offload_additional_options ""
set offload_additional_lib_paths ""
set replay_top {top}
set replay_store {store}
set replay_library {library}
set replay_environment {{{variables}}}
set replay_programs {directory}/programs
"""


@dataclass
class Outcome:
    """What a run gave."""

    tests: dict = field(default_factory=dict)
    proof: programs.Proof = field(default_factory=programs.Proof)
    failures: list = field(default_factory=list)
    seconds: float = 0


def unpack(gcc_source_path, target):
    """Remake TARGET with the suites, and the headers and tests that theirs include."""
    needed = [*gcc_source.SHARED, "libgomp", "include", "gcc/testsuite/*/goacc"]
    gcc_source.unpack(gcc_source_path, target, needed)


def make_top(top, build, find_library):
    """Make TOP a build tree around BUILD, that of upstream's library."""
    shutil.rmtree(top, ignore_errors=True)
    for place, library in BESIDE.items():
        (top / place).parent.mkdir(parents=True, exist_ok=True)
        (top / place).symlink_to(find_library(library).parent)
    # It says where the headers of C++ are in a build tree; the compiler finds its own, and ours if
    # those are older than omp.h.
    flags = top / "libstdc++-v3/scripts/testsuite_flags"
    flags.parent.mkdir()
    flags.write_text(f"echo -idirafter {HERE}/include\n")
    # A directory of its own: what is beside it is found by way of `..`.
    (top / "libgomp").mkdir()
    for entry in build.iterdir():
        (top / "libgomp" / entry.name).symlink_to(entry)


def dejagnu_environment():
    """The environment of DejaGnu: nothing foreign, messages in English."""
    return environment.clean(LC_ALL="C", DEJAGNU=f"{HERE}/dejagnu.exp")


def folders(suite):
    """The folders, below that of the suites, of the tests of SUITE."""
    return [folder for folder in (SUITES[suite].folder, SUITES[suite].common) if folder]


def run(suite, names, directory, site, timeout):
    """The outcome of the tests of SUITE in the files NAMES (empty: in all) in DIRECTORY."""
    folder, driver = SUITES[suite].folder, SUITES[suite].driver
    which = f"{driver}={' '.join(names)}" if names else driver
    text = SITE.format(directory=directory, timeout=TEST_TIMEOUT, **site)
    start = time.monotonic()
    argv = ["--tool", "libgomp", "--target_board", "replay", "--directory", folder, which]
    failure = runtest.run(argv, directory, text, dejagnu_environment(), timeout)
    seconds = time.monotonic() - start
    if failure:
        return Outcome(failures=[failure], seconds=seconds)
    tests, failures = runtest.read("libgomp", directory)
    proof = programs.prove(directory / "programs", f"{site['library']}/libgomp.so.1")
    return Outcome(tests, proof, failures + proof.failures, seconds)
