# SPDX-License-Identifier: GPL-3.0-or-later
"""The patched compiler's option -fopenmp-loop-route=, in C, C++ and Fortran."""

import support
from support import GCC, GFORTRAN, GXX, Case, patched, run

# Of each language: its driver, and a source with one loop that every route but none takes.
LANGUAGES = [(GCC, "c_sum.c"), (GXX, "cxx_sum.cc"), (GFORTRAN, "fortran_sum.f90")]
OPTION = "-fopenmp-loop-route="
START = "GOMP_loop_nonmonotonic_runtime_start"


class Option(Case):
    def setUp(self):
        super().setUp()
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)

    def compile(self, driver, source, *options):
        """The finished DRIVER, with the patched compiler; it writes assembly text."""
        source = support.SOURCES / source
        return run(*patched(driver), *options, "-O2", "-S", source, "-o", "out.s", cwd=self.work)

    def assembly(self, driver, source, *options):
        """That text, of a compilation without messages."""
        done = self.compile(driver, source, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return (self.work / "out.s").read_text()

    def test_values(self):
        for driver, source in LANGUAGES:
            for value in "none", "default", "static", "all":
                with self.subTest(driver=driver, value=value):
                    text = self.assembly(driver, source, "-fopenmp", OPTION + value)
                    self.assertEqual(START in text, value != "none")
            self.assertIn(START, self.assembly(driver, source, "-fopenmp"))

    def test_explain(self):
        for driver, source in LANGUAGES:
            for value, said in [
                ("explain", "note: routed: schedule(nonmonotonic:runtime)"),
                ("explain,all", "note: routed: schedule(nonmonotonic:runtime)"),
                ("none,explain", "note: not routed: route=none"),
            ]:
                with self.subTest(driver=driver, value=value):
                    done = self.compile(driver, source, "-fopenmp", OPTION + value)
                    self.assertEqual(done.returncode, 0)
                    self.assertEqual(done.stderr.count("note: "), 1, done.stderr)
                    self.assertIn(said, done.stderr)

    def test_bad_values(self):
        known = "all default explain none static"
        for driver, source in LANGUAGES:
            for value, error, note in [
                ("fast", "unrecognized argument in option", known),
                ("ALL", "unrecognized argument in option", known),
                ("all,", "unrecognized argument in option", known),
                ("", "missing argument to", None),
                (
                    "all,none",
                    "invalid argument in option",
                    "'all' is mutually exclusive with 'none'",
                ),
                (
                    "explain,explain",
                    "invalid argument in option",
                    "'explain' specified multiple times",
                ),
            ]:
                for openmp in [], ["-fopenmp"]:
                    with self.subTest(driver=driver, value=value, openmp=openmp):
                        done = self.compile(driver, source, *openmp, OPTION + value)
                        self.assertNotEqual(done.returncode, 0)
                        lines = done.stderr.splitlines()
                        self.assertRegex(lines[0], rf"[Ee]rror: {error} '{OPTION}{value}'")
                        self.assertEqual(len(lines), 1 + bool(note), done.stderr)
                        self.assertIn(note or "", lines[-1])
                        self.assertFalse((self.work / "out.s").exists())

    def test_last_one_counts(self):
        for driver, source in LANGUAGES:
            for values, routed in [("none", "all"), True], [("all", "none"), False]:
                options = [OPTION + value for value in values]
                text = self.assembly(driver, source, "-fopenmp", *options)
                self.assertEqual(START in text, routed)
        # A route leaves explain alone, and explain the route.
        done = self.compile(GCC, "c_sum.c", "-fopenmp", OPTION + "none", OPTION + "explain")
        self.assertIn("note: not routed: route=none", done.stderr)
        done = self.compile(GCC, "c_sum.c", "-fopenmp", OPTION + "all,explain", OPTION + "none")
        self.assertIn("note: not routed: route=none", done.stderr)

    def test_nothing_without_openmp(self):
        for driver, source in LANGUAGES:
            for other in [], ["-fopenmp-simd"], ["-fopenacc"], ["-fopenmp", "-fno-openmp"]:
                with self.subTest(driver=driver, other=other):
                    plain = self.assembly(driver, source, *other)
                    self.assertNotIn("GOMP_", plain)
                    routed = self.assembly(driver, source, *other, OPTION + "all,explain")
                    self.assertEqual(routed, plain)

    def test_help(self):
        for driver, name in (GCC, "c"), (GXX, "c++"), (GFORTRAN, "fortran"):
            said = self.ok(*patched(driver), "-Q", f"--help={name}")
            self.assertRegex(said, rf"{OPTION}\S*")

    def test_files_that_hold_no_loops(self):
        """What the option can't mean anything for takes it without a word."""
        stack = '.section .note.GNU-stack,"",@progbits\n'
        (self.work / "empty.S").write_text(f"#ifdef _OPENMP\n{stack}#endif\n")
        (self.work / "empty.s").write_text(stack)
        command = [*patched(GCC), "-fopenmp", OPTION + "all"]
        for step in ["-c", "empty.S"], ["-c", "empty.s"], ["-shared", "empty.o", "-o", "empty.so"]:
            done = run(*command, *step, cwd=self.work)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class StockCompiler(Case):
    def test_does_not_know_it(self):
        for driver, source in LANGUAGES:
            done = run(
                driver, "-fopenmp", OPTION + "all", "-c", support.SOURCES / source, cwd=self.work
            )
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(f"unrecognized command-line option '{OPTION}all'", done.stderr)
            self.assertEqual(list(self.work.iterdir()), [])


if __name__ == "__main__":
    support.main()
