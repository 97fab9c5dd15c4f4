# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways to call a compiler: loops are routed in all of them, and nothing else changes."""

import re

import support
from support import GCC, Case, run

SUMS = [support.SOURCES / name for name in ("sums.c", "c_sum.c", "cxx_sum.cc", "fortran_sum.f90")]
LIBRARIES = ["-lstdc++", "-lgfortran"]
START = "__amp_loop_nonmonotonic_runtime_start"


class Driver(Case):
    def calls(self, file):
        """How often the code of FILE, a program or an object, starts a runtime loop."""
        code = self.ok("objdump", "-dr", "--no-show-raw-insn", file)
        return len(re.findall(rf"\bcall\b.*<{START}>|R_X86_64_PLT32\s+{START}\b", code))

    def check_sums(self, *command):
        """COMMAND makes the program "sums", of three routed loops, and says nothing."""
        done = run(*command, cwd=self.work)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.calls("sums"), 3)
        for schedule in "static", "dynamic":
            self.assertEqual(self.ok("./sums", OMP_SCHEDULE=schedule), "")
        (self.work / "sums").unlink()

    def test_several_sources(self):
        everything = ["-O2", "-fopenmp", *SUMS, *LIBRARIES, "-o", "sums"]
        # To g++ a source that is called *.c is one in C++.
        for wrapper in "amp-gcc", "amp-gfortran":
            self.check_sums(*support.amp(wrapper), *everything)
        self.check_sums(*support.amp(), "-pipe", *everything)
        (self.work / "options").write_text("\n".join(f"'{word}'" for word in everything))
        self.check_sums(*support.amp(), "@options")
        self.check_sums(*support.amp(), "-save-temps", *everything)
        self.assertEqual(len(list(self.work.glob("*.s"))), len(SUMS))

    def test_language_option(self):
        words = ["-O2", "-fopenmp", "-c", "-x", "c++", SUMS[1], "-o", "x.o"]
        self.ok(*support.amp(), *words)
        self.assertEqual(self.calls("x.o"), 1)
        self.assertIn(" T _Z5c_sumi", self.ok("nm", "x.o"))

    def test_from_standard_input(self):
        text = (support.SOURCES / "c_sum.c").read_text()
        (self.work / "input").write_text(text)
        words = [str(word) for word in support.amp()]
        self.ok("sh", "-c", '"$@" <input', "sh", *words, "-fopenmp", "-c", "-xc", "-", "-o", "x.o")
        self.assertEqual(self.calls("x.o"), 1)

    def notes(self, *options):
        """The notes, with their places, of a compilation with OPTIONS."""
        done = run(
            *support.amp(),
            *["--amp-explain", "-fdiagnostics-plain-output", "-O2", "-fopenmp", "-c"],
            *[*options, "-o", "x.o"],
            cwd=self.work,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls("x.o"), 1)
        return re.findall(r"^\S*?(\w+\.\w+:\d+):\d+: note: (.*)", done.stderr, re.M)

    def test_preprocessed_apart(self):
        routed = "routed: schedule(nonmonotonic:runtime)"
        for source, suffix in (SUMS[1], "i"), (SUMS[2], "ii"):
            direct = self.notes(source)
            self.assertEqual([text for _, text in direct], [routed])
            file = f"x.{suffix}"
            self.ok(*support.amp(), "-fopenmp", "-E", source, "-o", file)
            for how in [], ["-fpreprocessed"]:
                self.assertEqual(self.notes(*how, file), direct)
            # As distcc does it; then the lines are those of the file.
            self.ok(*support.amp(), "-fopenmp", "-E", "-P", source, "-o", file)
            self.assertEqual([text for _, text in self.notes(file)], [routed])

    def test_preprocessing_is_gccs_own(self):
        # GCC 12 itself drops OpenMP's pragmas with -fdirectives-only.
        for how in [], ["-P"], ["-C"], ["-dM"], ["-fdirectives-only"], ["-M"]:
            words = ["-fopenmp", "-E", *how, SUMS[1]]
            self.assertEqual(self.ok(*support.amp(), *words), self.ok(GCC, *words))

    def test_syntax_only(self):
        for source in SUMS[1:]:
            done = run(*support.amp(), "-fopenmp", "-fsyntax-only", source, cwd=self.work)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(list(self.work.iterdir()), [])

    def test_openmp_taken_back(self):
        words = ["-O2", *SUMS, *LIBRARIES, "-o", "sums"]
        self.ok(*support.amp(), "--amp-explain", "-fopenmp", "-fno-openmp", *words)
        self.assertNotIn("GOMP_", self.ok("nm", "sums"))
        self.assertNotIn("RUNPATH", self.ok("readelf", "-d", "sums"))
        self.ok("./sums")

    def test_sanitizers(self):
        words = ["-O1", "-g", "-fopenmp", *SUMS, *LIBRARIES, "-o", "sums"]
        # What threads keep to their end counts as lost there.
        quiet = {"ASAN_OPTIONS": "detect_leaks=0"}
        for options in (
            ["-fsanitize=undefined,address"],
            [
                "-fsanitize=undefined",
                "-static-libubsan",
            ],
        ):
            self.ok(*support.amp(), *options, "-fno-sanitize-recover=all", *words)
            self.assertEqual(self.calls("sums"), 3)
            self.assertEqual(self.ok("./sums", **quiet), "")

    def test_debug_information_changes_nothing(self):
        """With -g and without, the same code: GCC compares, and checks itself while it is at it."""
        for wrapper, source in zip(support.WRAPPERS, ["loops.c", "chains.cc", "fortran.f90"]):
            words = ["-O2", "-fopenmp", "-fcompare-debug", "-fchecking=2", "-c"]
            path = support.SOURCES / source
            done = run(*support.amp(wrapper), *words, path, "-o", "x.o", cwd=self.work)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_32_bits(self):
        """Code is made and routed; to link it takes libraries that Debian has elsewhere."""
        for source in SUMS[1:]:
            if source.suffix != ".f90":  # whose modules are of 64 bits
                self.ok(*support.amp(), "-m32", "-O2", "-fopenmp", "-c", source, "-o", "x.o")
                self.assertIn(START, self.ok("nm", "x.o"))

    def test_what_gcc_says_is_unchanged(self):
        """Errors and warnings are GCC's own, and so is the exit code."""
        (self.work / "bad.c").write_text("int f (void) { return x; }\n#warning w\n")
        (self.work / "bad2.c").write_text("#pragma omp parallel for\nint i;\n")
        for words in ["bad.c"], ["bad2.c"], ["no-such-file.c"], ["-Wall", "-Werror", "bad.c"]:
            ours = run(*support.amp(), "-fopenmp", "-c", *words, cwd=self.work)
            stock = run(GCC, "-fopenmp", "-c", *words, cwd=self.work)
            self.assertEqual((ours.returncode, ours.stderr), (stock.returncode, stock.stderr))


if __name__ == "__main__":
    support.main()
