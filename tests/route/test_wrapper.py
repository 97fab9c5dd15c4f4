# SPDX-License-Identifier: GPL-3.0-or-later
"""The wrappers: what they pass on, what they add, and how build systems like them."""

import shutil
import unittest

import support
from support import Case, run

LANGUAGES = [
    ("amp-gcc", "gcc-12", "AMP_CC"),
    ("amp-g++", "g++-12", "AMP_CXX"),
    ("amp-gfortran", "gfortran-12", "AMP_FC"),
]


class Arguments(Case):
    def passed(self, wrapper, variable, *arguments):
        """What WRAPPER gives to its compiler, a script that VARIABLE names, for ARGUMENTS."""
        script = self.work / "fake compiler"
        script.write_text("#!/bin/sh\nfor a; do printf '%s\\0' \"$a\"; done\n")
        script.chmod(0o755)
        return self.ok(support.BIN / wrapper, *arguments, **{variable: str(script)}).split("\0")[
            :-1
        ]

    def test_passed_on_unchanged(self):
        odd = [
            "a b",
            "",
            "-DX='\"q\"'",
            "$HOME",
            "*",
            "line\nbreak\n",
            "\\",
            "-o",
            "--",
            "é",
            "-n",
            "`x`",
            "%s",
        ]
        for wrapper, _, variable in LANGUAGES:
            self.assertEqual(self.passed(wrapper, variable, *odd), odd)
            self.assertEqual(self.passed(wrapper, variable), [])

    def test_own_options_are_taken_out(self):
        self.assertEqual(
            self.passed(
                "amp-gcc",
                "AMP_CC",
                "-c",
                "--amp-explain",
                "x.c",
                "--amp-route=all",
                "--amp-no-rpath",
            ),
            ["-c", "x.c"],
        )

    def test_added_with_openmp(self):
        lib = f"{support.BIN.parent}/lib/libgomp-amp"
        start, rpath = f"-specs={lib}/amp-start.specs", f"-specs={lib}/amp-rpath.specs"
        plugin, route = f"-fplugin={lib}/amproute.so", "-fplugin-arg-amproute-route="
        explain = "-fplugin-arg-amproute-explain"
        for given, added in [
            ([], [start, rpath, plugin, route + "default"]),
            (["--amp-route=all"], [start, rpath, plugin, route + "all"]),
            (["--amp-no-rpath", "--amp-explain"], [start, plugin, route + "default", explain]),
            (["--amp-route=none"], [start, rpath]),
        ]:
            got = self.passed("amp-gcc", "AMP_CC", *given, "-fopenmp", "x.c")
            self.assertEqual(got, [*added, "-fopenmp", "x.c"])

    def test_options_from_a_file(self):
        (self.work / "options").write_text(f"-fopenmp -c '{support.SOURCES}/explained.c'")
        done = run(support.BIN / "amp-gcc", "--amp-explain", "@options", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: routed: ", done.stderr)

    def test_bad_options(self):
        for option in "--amp-route", "--amp-route=fast", "--amp-route=", "--amp-explian", "--amp-":
            done = run(
                support.BIN / "amp-gcc",
                option,
                "-c",
                support.SOURCES / "no_openmp.c",
                cwd=self.work,
            )
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(f"'{option}'", done.stderr)
            self.assertEqual(list(self.work.iterdir()), [])

    def test_help_and_version(self):
        self.assertIn("--amp-route=MODE", self.ok(support.BIN / "amp-g++", "--amp-help"))
        self.assertRegex(
            self.ok(support.BIN / "amp-g++", "--amp-version"), r"^amp-g\+\+ .* \d+\.\d+\.\d+\n"
        )


class Driver(Case):
    def test_what_does_not_link_does_not_begin_to(self):
        source = support.SOURCES / "no_openmp.c"
        for options in (
            [],
            ["--version"],
            ["-dumpversion"],
            ["-print-file-name=libc.so"],
            ["-E", source],
            ["-M", source],
            ["-c", source],
            ["-S", source],
            ["-fsyntax-only", source],
            ["-v"],
        ):
            ours = run(support.BIN / "amp-gcc", "-fopenmp", *options, cwd=self.work)
            theirs = run("gcc-12", "-fopenmp", *options, cwd=self.work)
            self.assertEqual(
                (ours.returncode, ours.stdout), (theirs.returncode, theirs.stdout), options
            )
            self.assertFalse((self.work / "a.out").exists(), options)

    def test_runpath(self):
        for options, expected in [
            ([], True),
            (["-shared", "-fPIC"], True),
            (["--amp-no-rpath"], False),
        ]:
            dynamic = self.ok("readelf", "-d", self.program("mapping.c", *options))
            self.assertEqual(
                f"(RUNPATH)            Library runpath: [{support.LIB.parent}/lib/libgomp-amp]"
                in dynamic,
                expected,
                dynamic,
            )

    def test_link_apart(self):
        self.ok(
            support.BIN / "amp-gcc",
            "-fopenmp",
            "-c",
            support.SOURCES / "mapping.c",
            "-o",
            "mapping.o",
        )
        self.ok(support.BIN / "amp-gcc", "-fopenmp", "mapping.o", "-o", "mapping")
        self.assertIn("amp_start", self.ok("nm", "mapping"))
        self.assertIn("RUNPATH", self.ok("readelf", "-d", "mapping"))

    def test_lto(self):
        program = self.program("loops.c", "-flto", "--amp-no-rpath")
        self.assertIn("GOMP_parallel_loop_nonmonotonic_runtime", self.ok("nm", program))
        self.ok(program)

    def test_partial_link(self):
        self.ok(
            support.BIN / "amp-gcc", "-fopenmp", "-r", support.SOURCES / "mapping.c", "-o", "part.o"
        )
        self.ok(support.BIN / "amp-gcc", "-fopenmp", "part.o", "-o", "whole")
        self.assertIn("amp_start", self.ok("nm", "whole"))

    def test_moved_tree_and_symbolic_link(self):
        tree = self.work / "moved tree"
        (tree / "lib" / "libgomp-amp").mkdir(parents=True)
        (tree / "bin").mkdir()
        for name, _, _ in LANGUAGES:
            shutil.copy(support.BIN / name, tree / "bin")
        for name in "amproute.so", "amp-start.o", "amp-start.specs", "amp-rpath.specs":
            shutil.copy(support.LIB / name, tree / "lib" / "libgomp-amp")
        (self.work / "cc").symlink_to(tree / "bin" / "amp-gcc")
        self.ok("./cc", "-fopenmp", support.SOURCES / "mapping.c", "-o", "program")
        self.assertIn(f"[{tree.resolve()}/lib/libgomp-amp]", self.ok("readelf", "-d", "program"))
        self.assertIn("GOMP_parallel_loop_nonmonotonic_runtime", self.ok("nm", "program"))


class BuildSystems(Case):
    def test_cmake(self):
        (self.work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\n"
            "project(x LANGUAGES C CXX Fortran)\n"
            "find_package(OpenMP REQUIRED)\n"
            f'add_executable(c "{support.SOURCES}/loops.c")\n'
            "target_link_libraries(c OpenMP::OpenMP_C)\n"
            f'add_executable(f "{support.SOURCES}/fortran.f90")\n'
            "target_link_libraries(f OpenMP::OpenMP_Fortran)\n"
            f'add_executable(cxx "{support.SOURCES}/chains.cc")\n'
            "target_link_libraries(cxx OpenMP::OpenMP_CXX)\n"
        )
        self.ok(
            "cmake",
            "-S",
            ".",
            "-B",
            "build",
            CC=str(support.BIN / "amp-gcc"),
            CXX=str(support.BIN / "amp-g++"),
            FC=str(support.BIN / "amp-gfortran"),
        )
        self.ok("cmake", "--build", "build")
        for program in "c", "f", "cxx":
            self.ok(f"build/{program}")
            self.assertIn("nonmonotonic_runtime", self.ok("nm", f"build/{program}"))

    def test_autoconf_probes(self):
        """The questions that a configure script asks, in its order."""
        (self.work / "conftest.c").write_text("int main (void) { return 0; }\n")
        cc = support.BIN / "amp-gcc"
        for options in ["-v"], ["--version"], ["conftest.c"], ["-fopenmp", "conftest.c"]:
            run(cc, *options, cwd=self.work)
        done = run(cc, "-fopenmp", "-o", "conftest", "conftest.c", cwd=self.work)
        # Libtool and some macros take any output for a refusal.
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.ok("./conftest")
        self.assertIn("free software", self.ok(cc, "--version").lower())
        self.assertIn("__GNUC__", self.ok(cc, "-fopenmp", "-dM", "-E", "conftest.c"))
        self.assertIn("ld", self.ok(cc, "-print-prog-name=ld"))


if __name__ == "__main__":
    support.main()
