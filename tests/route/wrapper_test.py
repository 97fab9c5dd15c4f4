# SPDX-License-Identifier: GPL-3.0-or-later
"""The wrappers: what they pass on, what they add, and how build systems like them."""

import os
import shutil

import support
from support import GCC, MAJOR, Case, run

LANGUAGES = [("amp-gcc", "AMP_CC"), ("amp-g++", "AMP_CXX"), ("amp-gfortran", "AMP_FC")]

# Prints what it is given, a word a line of zero bytes; asked for its version, that, or fails.
FAKE = """\
#!/bin/sh
if [ "$*" = -dumpfullversion ]; then
  echo "$FAKE_VERSION"
  [ -n "$FAKE_VERSION" ]
  exit
fi
for a; do printf '%s\\0' "$a"; done
"""


class Arguments(Case):
    def call(self, wrapper, variable, *arguments, version=MAJOR):
        """The finished WRAPPER, whose compiler is a script that VARIABLE names."""
        script = self.work / "fake compiler"
        script.write_text(FAKE)
        script.chmod(0o755)
        return run(
            *support.amp(wrapper), *arguments, **{variable: str(script), "FAKE_VERSION": version}
        )

    def passed(self, *call, **version):
        """What the wrapper gives to its compiler in that call."""
        done = self.call(*call, **version)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\0")[:-1]

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
        for wrapper, variable in LANGUAGES:
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
        rpath = f"-specs={lib}/amp-rpath.specs"
        plugin, gcc = f"-fplugin={lib}/plugin/{MAJOR}/amproute.so", f"-B{lib}/gcc/"
        argument = "-fplugin-arg-amproute-"
        option = "-fopenmp-loop-route="
        no_rpath = ["--amp-no-rpath"]
        if support.FORM == "patched":
            always, never = {gcc}, {plugin, argument}
            cases = [
                ([], {rpath, option + "default"}, set()),
                (["--amp-route=all"], {rpath, option + "all"}, {option + "default"}),
                (["--amp-explain", *no_rpath], {option + "default,explain"}, {rpath}),
                (["--amp-route=none"], {rpath, option + "none"}, set()),
            ]
        else:
            always, never = set(), {gcc, option}
            explain = argument + "explain"
            cases = [
                ([], {rpath, plugin, argument + "route=default"}, {explain}),
                (["--amp-route=all"], {rpath, plugin, argument + "route=all"}, {explain}),
                (
                    ["--amp-explain", *no_rpath],
                    {plugin, argument + "route=default", explain},
                    {rpath},
                ),
                (["--amp-route=none"], {rpath}, {plugin, argument}),
            ]
        for given, present, absent in cases:
            for openmp in ["-fopenmp", "x.c"], ["@options", "x.c"]:
                with self.subTest(given=given, openmp=openmp):
                    got = self.passed("amp-gcc", "AMP_CC", *given, *openmp)
                    self.assertEqual(got[-2:], openmp)
                    self.assertLessEqual(always | present, set(got))
                    for begin in never | absent:
                        self.assertFalse([word for word in got if word.startswith(begin)])

    def refused(self, done, *words):
        """Check that DONE, a finished wrapper, says in one line why nothing is compiled."""
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for word in (*words, "nothing is compiled"):
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_compiler_without_a_plugin_is_refused(self):
        known = "expected a GCC "
        if support.FORM == "plugin":
            known += f"that {support.BIN.parent}/lib/libgomp-amp/plugin has a plugin for, which is "
        for wrapper, variable in LANGUAGES:
            for version, message in [
                ("11.3.0", "is GCC 11.3.0"),
                (f"{MAJOR}0.1.0", f"is GCC {MAJOR}0.1.0"),
                ("", "fake compiler' cannot be run, or is no GCC"),
            ]:
                with self.subTest(wrapper=wrapper, version=version):
                    done = self.call(wrapper, variable, "-fopenmp", "-c", "x.c", version=version)
                    self.refused(done, variable, "fake compiler", message, "expected a GCC ")
                    if version:
                        self.assertIn(known, done.stderr)
                        self.assertIn(MAJOR, done.stderr.split(known)[1])
        # Without -fopenmp any compiler is good.
        self.assertEqual(self.passed("amp-gcc", "AMP_CC", "x.c", version="11.3.0"), ["x.c"])

    def test_compiler_that_is_no_gcc(self):
        none = f"{self.work}/none"
        done = run(*support.amp(), "-fopenmp", "-c", "x.c", AMP_CC=none)
        self.refused(
            done, f"amp-gcc: AMP_CC: '{none}' cannot be run, or is no GCC; expected a GCC "
        )
        if shutil.which("clang"):
            done = run(*support.amp(), "-fopenmp", "-c", "x.c", AMP_CC="clang")
            self.refused(done, "amp-gcc: AMP_CC: 'clang' cannot be run, or is no GCC; expected ")

    def test_without_a_variable_it_is_the_systems_compiler(self):
        """The first cc of PATH, and c++ and gfortran."""
        for wrapper, name, variable in zip(
            support.WRAPPERS, ["cc", "c++", "gfortran"], support.WRAPPED
        ):
            script = self.work / name
            script.write_text(FAKE.replace("$FAKE_VERSION", f"{MAJOR}.9.9"))
            script.chmod(0o755)
            path = f"{self.work}:{os.environ['PATH']}"
            unset = dict.fromkeys(support.WRAPPED)
            done = run(*support.amp(wrapper), "-fopenmp", "x.c", PATH=path, **unset)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.split("\0")[-3:-1], ["-fopenmp", "x.c"])
            script.write_text(FAKE.replace("$FAKE_VERSION", "11.3.0"))
            done = run(*support.amp(wrapper), "-fopenmp", "x.c", PATH=path, **unset)
            if support.FORM == "plugin":
                self.refused(
                    done,
                    f"{wrapper}: {variable} is not set, and {name} is GCC 11.3.0; expected a GCC ",
                    f"name one in {variable}",
                )

    def test_wrapper_as_its_own_compiler(self):
        for openmp in [], ["-fopenmp"]:
            for name in str(support.BIN / "amp-gcc"), "amp-gcc":
                done = run(
                    *["timeout", "20", *support.amp(), *openmp, "-c", "x.c"],
                    AMP_CC=name,
                    PATH=f"{support.BIN}:{os.environ['PATH']}",
                )
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"AMP_CC: '{name}' is this wrapper; expected a GCC ", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_options_from_a_file(self):
        (self.work / "options").write_text(f"-fopenmp -c '{support.SOURCES}/explained.c'")
        done = run(*support.amp(), "--amp-explain", "@options", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: routed: ", done.stderr)

    def test_bad_options(self):
        for option in (
            "--amp-route",
            "--amp-route=fast",
            "--amp-route=",
            "--amp-explian",
            "--amp-",
            "--amp-compiler",
            "--amp-compiler=",
            "--amp-compiler=gcc",
        ):
            done = run(
                *support.amp(),
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
        self.assertIn("--amp-route=MODE", self.ok(*support.amp("amp-g++"), "--amp-help"))
        self.assertIn("\namp-g++ --amp-help shows", self.ok(*support.amp("amp-g++"), "--help"))
        self.assertRegex(
            self.ok(*support.amp("amp-g++"), "--amp-version"), r"^amp-g\+\+ .* \d+\.\d+\.\d+\n"
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
            ours = run(*support.amp(), "-fopenmp", *options, cwd=self.work)
            theirs = run(GCC, "-fopenmp", *options, cwd=self.work)
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
            *support.amp(),
            "-fopenmp",
            "-c",
            support.SOURCES / "mapping.c",
            "-o",
            "mapping.o",
        )
        self.ok(*support.amp(), "-fopenmp", "mapping.o", "-o", "mapping")
        self.assertIn("RUNPATH", self.ok("readelf", "-d", "mapping"))

    def test_library_by_name(self):
        """A link that names libgomp, without -fopenmp, is one to our library all the same."""
        source = support.SOURCES / "mapping.c"
        self.ok(*support.amp(), "-O2", "-fopenmp", "-c", source, "-o", "mapping.o")
        stock = self.ok(GCC, "-print-file-name=libgomp.so").strip()
        ours = f"[{support.LIB.parent}/lib/libgomp-amp]"
        for words, expected in [
            (["-lgomp"], True),
            (["-Wl,--as-needed,-lgomp"], True),
            ([f"{support.LIB}/libgomp.so"], True),
            ([stock], True),
            (["-lgomp", "--amp-no-rpath"], False),
            (["-lgomp", "-static"], False),
        ]:
            with self.subTest(words=words):
                self.ok(*support.amp(), "mapping.o", *words, "-o", "mapping")
                self.assertEqual(ours in self.ok("readelf", "-d", "mapping"), expected)
                self.ok("./mapping")
        # Nothing is linked, and nothing said, where nothing is to be linked.
        done = run(*support.amp(), "-fopenmp", "-lgomp", "-c", source, cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_partial_link(self):
        self.ok(*support.amp(), "-fopenmp", "-r", support.SOURCES / "mapping.c", "-o", "part.o")
        self.ok(*support.amp(), "-fopenmp", "part.o", "-o", "whole")
        self.assertIn("RUNPATH", self.ok("readelf", "-d", "whole"))

    def test_moved_tree_and_symbolic_link(self):
        tree = self.moved_tree(with_gcc=support.FORM == "patched")
        (self.work / "cc").symlink_to(tree / "bin" / "amp-gcc")
        self.ok(
            "./cc",
            f"--amp-compiler={support.FORM}",
            "-fopenmp",
            support.SOURCES / "mapping.c",
            "-o",
            "program",
        )
        self.assertIn(f"[{tree.resolve()}/lib/libgomp-amp]", self.ok("readelf", "-d", "program"))
        self.assertIn("__amp_parallel_loop_nonmonotonic_runtime", self.ok("nm", "program"))


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
            **{
                name: " ".join(map(str, support.amp(wrapper)))
                for name, wrapper in zip(["CC", "CXX", "FC"], support.WRAPPERS)
            },
        )
        self.ok("cmake", "--build", "build")
        # What CMake links by, which is not -fopenmp.
        library = support.BIN.parent / "lib/libgomp-amp/libgomp.so"
        cache = (self.work / "build/CMakeCache.txt").read_text()
        self.assertIn(f"OpenMP_gomp_LIBRARY:FILEPATH={library}\n", cache)
        for program in "c", "f", "cxx":
            self.ok(f"build/{program}")
            self.assertIn("nonmonotonic_runtime", self.ok("nm", f"build/{program}"))
            self.assertIn(str(support.LIB), self.ok("ldd", f"build/{program}"))

    def test_autoconf_probes(self):
        """The questions that a configure script asks, in its order."""
        (self.work / "conftest.c").write_text("int main (void) { return 0; }\n")
        cc = support.amp()
        for options in ["-v"], ["--version"], ["conftest.c"], ["-fopenmp", "conftest.c"]:
            run(*cc, *options, cwd=self.work)
        done = run(*cc, "-fopenmp", "-o", "conftest", "conftest.c", cwd=self.work)
        # Libtool and some macros take any output for a refusal.
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.ok("./conftest")
        self.assertIn("free software", self.ok(*cc, "--version").lower())
        self.assertIn("__GNUC__", self.ok(*cc, "-fopenmp", "-dM", "-E", "conftest.c"))
        self.assertIn("ld", self.ok(*cc, "-print-prog-name=ld"))


if __name__ == "__main__":
    support.main()
