#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a program with a routed loop in every way that programs are built, runs it, and compares
what comes out with the table of docs/guide/building.md.

What a program does is observed: its library from the dynamic linker's log, its schedule from the
threads that ran the iterations, the notice from its standard error. Each program runs with
OMP_SCHEDULE unset, static and aid_hybrid; none may run dynamic,1.
"""

import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

SOURCES = pathlib.Path(__file__).parent / "src"
BEGIN, END = "<!-- table: tests/builds/builds.py --write -->\n", "<!-- end -->\n"
SCHEDULES = [None, "static", "aid_hybrid"]
THREADS = 4
# Two classes of cores wherever this runs, with a factor, so that allotments are long.
MACHINE = {
    "OMP_NUM_THREADS": str(THREADS),
    "OMP_DYNAMIC": "false",
    "GOMP_AMP_TOPOLOGY": "0=512,1=1024",
    "GOMP_AMP_THREAD_CLASSES": "0,1",
    "GOMP_AID_SF": "0:1,1:2",
    "LC_ALL": "C",
}
PYTHON = "/usr/bin/python3"


class Skipped(Exception):
    """What this machine lacks to build a kind of program."""


class Builder:
    """Builds in a directory of its own with the wrappers of BIN and the compilers of STOCK."""

    def __init__(self, work, bin_dir, stock):
        self.work = work
        self.amp = {lang: str(bin_dir / f"amp-{name}") for lang, name in COMPILERS.items()}
        self.stock = {lang: f"{name}-{stock}" for lang, name in COMPILERS.items()}

    def environment(self, **more):
        return environment.clean(**{"LC_ALL": "C", **more})

    def wrappers(self):
        return {"CC": self.amp["c"], "CXX": self.amp["c++"], "FC": self.amp["fortran"]}

    def run(self, *command, cwd=None, **env):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.work,
            env=self.environment(**env),
            capture_output=True,
            text=True,
            timeout=900,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                raise Skipped(f"{program} is not installed")

    def write(self, name, text):
        (self.work / name).write_text(text)

    def copy(self, *names):
        for name in names:
            shutil.copy(SOURCES / name, self.work)

    def object(self, *options):
        """The object that amp-gcc compiles of owners.c."""
        source = SOURCES / "owners.c"
        self.run(self.amp["c"], "-O2", "-fopenmp", *options, "-c", source, "-o", "owners.o")
        return "owners.o"

    def library(self):
        """A shared library of owners.c, made by amp-gcc."""
        words = ["-O2", "-fopenmp", "-fPIC", "-shared", "-DLIBRARY"]
        self.run(self.amp["c"], *words, SOURCES / "owners.c", "-o", "libowners.so")
        return self.work / "libowners.so"


COMPILERS = {"c": "gcc", "c++": "g++", "fortran": "gfortran"}


# Each kind of program: a function that builds it and returns the command, or that and variables.


def plain(b):
    b.run(b.amp["c"], "-O2", "-fopenmp", SOURCES / "owners.c", "-o", "program")
    return ["./program"]


def by_name(b):
    b.run(b.amp["c"], b.object(), "-lgomp", "-o", "program")
    return ["./program"]


def mixed(b):
    b.run(b.stock["c"], "-fopenmp", b.object(), "-o", "program")
    return ["./program"]


def mixed_by_name(b):
    b.run(b.stock["c"], b.object(), "-lgomp", "-o", "program")
    return ["./program"]


def mixed_lto(b):
    b.run(b.stock["c"], "-O2", "-flto", "-fopenmp", b.object("-flto"), "-o", "program")
    return ["./program"]


def static(b):
    # Where a team ends while the program does, a static program of plain gcc aborts at times too.
    b.run(b.amp["c"], "-fopenmp", "-static", b.object("-DALONE"), "-o", "program")
    return ["./program"]


def linked_library(b):
    library = b.library()
    b.run(b.stock["c"], SOURCES / "uses.c", library, f"-Wl,-rpath,{b.work}", "-o", "program")
    return ["./program"]


def loaded_library(b):
    library = b.library()
    b.run(b.stock["c"], "-DLOADS", SOURCES / "uses.c", "-o", "program")
    return ["./program"], {"AMP_TEST_LIBRARY": str(library)}


def loaded_after_another(b):
    library = b.library()
    b.run(b.stock["c"], "-fopenmp", "-DLOADS", SOURCES / "uses.c", "-o", "program")
    return ["./program"], {"AMP_TEST_LIBRARY": str(library)}


def cmake(b, languages, text):
    b.need("cmake")
    b.copy("owners.c", "uses.c", "owners.f90")
    b.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\n"
        f"project(x LANGUAGES {languages})\n"
        f"find_package(OpenMP REQUIRED)\n{text}install(TARGETS program)\n",
    )
    options = ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_INSTALL_PREFIX={b.work}/installed"]
    b.run("cmake", "-S", ".", "-B", "build", *options, **b.wrappers())
    b.run("cmake", "--build", "build")
    return ["build/program"]


CMAKE_C = "add_executable(program owners.c)\ntarget_link_libraries(program OpenMP::OpenMP_C)\n"


def cmake_c(b):
    return cmake(b, "C", CMAKE_C)


def cmake_cxx(b):
    return cmake(
        b,
        "CXX",
        "set_source_files_properties(owners.c PROPERTIES LANGUAGE CXX)\n"
        "add_executable(program owners.c)\ntarget_link_libraries(program OpenMP::OpenMP_CXX)\n",
    )


def cmake_fortran(b):
    return cmake(
        b,
        "Fortran",
        "add_executable(program owners.f90)\n"
        "target_link_libraries(program OpenMP::OpenMP_Fortran)\n",
    )


def cmake_library(b):
    return cmake(
        b,
        "C",
        "add_library(owners SHARED owners.c)\ntarget_compile_definitions(owners PRIVATE LIBRARY)\n"
        "target_link_libraries(owners PRIVATE OpenMP::OpenMP_C)\n"
        "add_executable(program uses.c)\ntarget_link_libraries(program owners)\n",
    )


def cmake_installed(b):
    cmake_c(b)
    b.run("cmake", "--install", "build")
    return ["installed/bin/program"]


def cmake_stripped(b):
    cmake_installed(b)
    b.write("strip.cmake", f'file(RPATH_REMOVE FILE "{b.work}/installed/bin/program")\n')
    b.run("cmake", "-P", "strip.cmake")
    return ["installed/bin/program"]


def meson(b):
    b.need("meson", "ninja")
    b.copy("owners.c")
    b.write(
        "meson.build",
        "project('x', 'c')\n"
        "executable('program', 'owners.c', dependencies: dependency('openmp'))\n",
    )
    b.run("meson", "setup", "build", **b.wrappers())
    b.run("ninja", "-C", "build")
    return ["build/program"]


def autotools(b):
    b.need("autoreconf", "automake", "make")
    b.copy("owners.c")
    b.write(
        "configure.ac",
        "AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_OPENMP\n"
        "AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    )
    b.write(
        "Makefile.am",
        "bin_PROGRAMS = program\nprogram_SOURCES = owners.c\nAM_CFLAGS = $(OPENMP_CFLAGS)\n",
    )
    b.run("autoreconf", "--install")
    b.run("./configure", **b.wrappers())
    b.run("make")
    return ["./program"]


def extension(b, compiler, name):
    """A module NAME of owners.pyx, made by COMPILER as setuptools would."""
    text = (SOURCES / "owners.pyx").read_text()
    b.write(f"{name}.pyx", text)
    b.run("cython3", "-3", f"{name}.pyx")
    flags = b.run("python3-config", "--includes", PATH="/usr/bin:/bin").split()
    words = ["-O2", "-fPIC", "-fopenmp", *flags]
    b.run(compiler, *words, "-c", f"{name}.c", "-o", f"{name}.o")
    b.run(compiler, "-shared", "-fopenmp", f"{name}.o", "-o", f"{name}.so")


def cython(b, program):
    b.need("cython3", PYTHON)
    if not shutil.which("python3-config", path="/usr/bin:/bin"):
        raise Skipped("python3-dev is not installed")
    extension(b, b.amp["c"], "routed")
    extension(b, b.stock["c"], "other")
    return [PYTHON, "-c", program]


def cython_before(b):
    return cython(b, "import routed, other; routed.owners()")


def cython_after(b):
    return cython(b, "import other, routed; routed.owners()")


KINDS = [
    ("`amp-gcc -fopenmp`", plain),
    ("`amp-gcc`, linked with `-lgomp`", by_name),
    ("object of `amp-gcc`, linked by `gcc -fopenmp`", mixed),
    ("the same, linked by `gcc -lgomp`", mixed_by_name),
    ("the same, both with `-flto`", mixed_lto),
    ("`amp-gcc -fopenmp -static`", static),
    ("shared library of `amp-gcc`, a plain program linked to it", linked_library),
    ("the same, loaded by `dlopen`", loaded_library),
    ("the same, in a program that has the system's libgomp", loaded_after_another),
    ("CMake, `OpenMP::OpenMP_C`", cmake_c),
    ("CMake, `OpenMP::OpenMP_CXX`", cmake_cxx),
    ("CMake, `OpenMP::OpenMP_Fortran`", cmake_fortran),
    ("CMake, a shared library", cmake_library),
    ("CMake, installed", cmake_installed),
    ("CMake, installed, its RUNPATH removed", cmake_stripped),
    ("Meson, `dependency('openmp')`", meson),
    ("Autotools, `AC_OPENMP`", autotools),
    ("Cython extension, imported first", cython_before),
    ("the same, imported after one of plain `gcc`", cython_after),
]
# What scripts/check has time for.
CORE = [by_name, mixed, static, loaded_after_another, cmake_c]


def environment_of(schedule):
    """What sets SCHEDULE. A percent makes aid_hybrid allot, by which it is told from dynamic,1."""
    if schedule is None:
        return {"GOMP_AMP_SCHEDULE": "aid_hybrid,,80"}
    return {"OMP_SCHEDULE": "aid_hybrid,,80" if schedule == "aid_hybrid" else schedule}


def schedule_of(line):
    """The schedule that gave the threads their iterations, of which LINE has the numbers."""
    owner = [int(word) for word in line.split()]
    runs = [len(list(group)) for _, group in itertools.groupby(owner)]
    share = len(owner) // THREADS
    if owner == [i // share for i in range(len(owner))]:
        return "static"
    # An allotment is a long run; single iterations go round.
    return "aid_hybrid" if max(runs) >= len(owner) // 10 else "dynamic,1"


def libraries(log):
    """The libgomps that LOG, the dynamic linker's, says were loaded."""
    return re.findall(r"calling init: (\S*/libgomp\.so\S*)", log)


def observe(builder, command, env, lib):
    """Run COMMAND, whose libgomp may be that of directory LIB: library, schedule, notices."""
    log = builder.work / "log"
    done = subprocess.run(
        command,
        cwd=builder.work,
        env=builder.environment(**MACHINE, **env, LD_DEBUG="files", LD_DEBUG_OUTPUT=str(log)),
        capture_output=True,
        text=True,
        timeout=900,
    )
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    logs = list(builder.work.glob("log.*"))
    loaded = {os.path.realpath(p) for file in logs for p in libraries(file.read_text())}
    for file in logs:
        file.unlink()
    if not loaded:
        library = "in the program"
    elif loaded == {os.path.realpath(lib / "libgomp.so.1")}:
        library = "libgomp-amp"
    else:
        library = "the system's"
    schedules = {schedule_of(line) for line in done.stdout.splitlines()}
    assert len(schedules) == 1, f"{command}: its threads differ: {schedules}"
    return library, schedules.pop(), done.stderr.count("libgomp-amp: ")


def row(label, kind, arguments):
    """The line of the table for KIND; raises Skipped."""
    cells = []
    names = set()
    with tempfile.TemporaryDirectory(prefix="amp-builds-") as directory:
        builder = Builder(pathlib.Path(directory), arguments.bin, arguments.stock)
        built = kind(builder)
        command, more = built if isinstance(built, tuple) else (built, {})
        for schedule in SCHEDULES:
            env = {**more, **environment_of(schedule)}
            library, found, notices = observe(builder, command, env, arguments.lib)
            names.add(library)
            assert found != "dynamic,1", f"{label}, OMP_SCHEDULE={schedule}: {found}"
            assert notices <= 1, f"{label}, OMP_SCHEDULE={schedule}: said {notices} times"
            cells.append(found + (", says so" if notices else ""))
    assert len(names) == 1, f"{label}: {names}"
    return f"| {label} | {names.pop()} | {' | '.join(cells)} |\n"


HEAD = (
    "| Program | libgomp | `OMP_SCHEDULE` unset | `static` | `aid_hybrid` |\n"
    "|---|---|---|---|---|\n"
)


def table_of(page):
    """The text before the table of PAGE, its lines, and the text after it."""
    before, rest = page.read_text().split(BEGIN)
    lines, after = rest.split(END)
    return before + BEGIN, lines.splitlines(keepends=True), END + after


class Builds(unittest.TestCase):
    arguments = None

    def check(self, label, kind):
        try:
            line = row(label, kind, self.arguments)
        except Skipped as reason:
            self.skipTest(str(reason))
        self.assertIn(line, table_of(self.arguments.docs)[1])


def add_test(label, kind):
    setattr(Builds, f"test_{kind.__name__}", lambda self: self.check(label, kind))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bin", type=pathlib.Path, help="directory of the wrappers")
    parser.add_argument("lib", type=pathlib.Path, help="directory of libgomp")
    parser.add_argument("docs", type=pathlib.Path, help="the page with the table")
    parser.add_argument("--stock", default="12", help="version of the stock compilers")
    parser.add_argument("--core", action="store_true", help="only what takes little time")
    parser.add_argument("--write", action="store_true", help="write the table")
    arguments, rest = parser.parse_known_args()
    arguments.bin = arguments.bin.resolve()
    if arguments.write:
        before, _, after = table_of(arguments.docs)
        lines = [row(label, kind, arguments) for label, kind in KINDS]
        arguments.docs.write_text(before + HEAD + "".join(lines) + after)
        return
    Builds.arguments = arguments
    for label, kind in KINDS:
        if not arguments.core or kind in CORE:
            add_test(label, kind)
    result = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
    if result.wasSuccessful() and result.skipped and len(result.skipped) == result.testsRun:
        print(result.skipped[0][1])
        sys.exit(77)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
