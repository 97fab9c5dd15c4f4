# SPDX-License-Identifier: GPL-3.0-or-later
"""--amp-count: code counts its work, and is otherwise the same."""

import re
import signal

import support
from support import GCC, Case, run

SOURCES = {"sums.c": "amp-gcc", "cxx_sum.cc": "amp-g++", "fortran_sum.f90": "amp-gfortran"}
LEVELS = ["-O0", "-O1", "-O2", "-O3"]

# Says at the program's end what its first thread has counted, and that the program exports it.
READER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
__attribute__ ((destructor)) static void done (void)
{
  unsigned long long *work = dlsym (RTLD_DEFAULT, "amp_work");
  fprintf (stderr, "work=%llu hook=%d\n", work ? *work : 0,
           dlsym (RTLD_DEFAULT, "amp_work_hook") != NULL);
}
"""

LOOP = r"""
#include <string.h>
char from[4096], to[4096];
double x = 1.5;
int main (int argc, char **argv)
{
  int turns = argc > 1 ? 1000 : 0, bytes = argc > 2 ? 4096 : 16;
  for (int i = 0; i < turns; i++)
    x = x * .5 + 1;
  __asm__ volatile ("" : "+r"(bytes));
  memcpy (to, from, bytes);
  return to[17] != 0;
}
"""

# Each function's number of looks and changes.
ACCESSES = r"""
volatile int flag;
int looks1 (void) { return flag; }
int looks2 (int *p) { return __atomic_load_n (p, __ATOMIC_ACQUIRE); }
void looks3 (void) { __sync_synchronize (); }
void looks4 (void) { __asm__ volatile ("nop" ::: "memory"); }
void changes1 (void) { flag = 1; }
int changes2 (int *p) { return __atomic_fetch_add (p, 1, __ATOMIC_RELAXED); }
int none1 (int i) { volatile int own = i; return own; }
void none2 (void) { __asm__ volatile ("" ::: "memory"); }
int none3 (int *p) { return *p; }
static __thread volatile int of_thread;
int none4 (void) { return of_thread; }
"""

# Sources that call functions of known work and others; the latter, with the line of the first call
# and the number of calls.
CALLS = {
    "calls.c": (
        "amp-gcc",
        r"""
double sin (double), lgamma (double), elsewhere (double), omp_get_wtime (void);
float sinf (float), cosf (float);
int ffs (int);
__attribute__ ((noipa)) double here (double x) { return x + 1; }
double f (double x)
{
  double y = 0;
#pragma omp parallel for reduction (+ : y)
  for (int i = 0; i < 1000; i++)
    y += sin (x * i) + lgamma (x * i);
  return here (y) + lgamma (x) + elsewhere (x) + omp_get_wtime () + ffs (y);
}
float g (float x) { return sinf (x) * cosf (x); }
float h (float x, float (*f) (float)) { return f (x); }
""",
        {"lgamma": (11, 2), "elsewhere": (12, 1), "__builtin_cexpif": (14, 1)},
    ),
    "calls.cc": (
        "amp-g++",
        r"""
#include <cmath>
double elsewhere (double *);
double f (double x)
{
  try { return std::sin (x) + std::lgamma (x) + elsewhere (new double (x)); }
  catch (...) { return 0; }
}
""",
        {
            "lgamma": (6, 1),
            "_Z9elsewherePd": (6, 1),
            "__cxa_begin_catch": (7, 1),
            "__cxa_end_catch": (7, 1),
        },
    ),
    "calls.f90": (
        "amp-gfortran",
        r"""
real(8) function f(x)
  real(8), intent(in) :: x
  real(8), external :: elsewhere
  f = sin(x) + log_gamma(x)
  f = elsewhere(f) + log_gamma(f)
end function
""",
        {"lgamma": (5, 2), "elsewhere_": (6, 1)},
    ),
}

MAIN = r"""
double lgamma (double), elsewhere (double);
int main (int n, char **v) { return elsewhere (n) > lgamma (n); }
"""


class Count(Case):
    def setUp(self):
        super().setUp()
        reader = self.work / "reader.so"
        (self.work / "reader.c").write_text(READER)
        self.ok(GCC, "-shared", "-fPIC", "reader.c", "-o", reader)

    def counted(self, program, *arguments):
        """What PROGRAM counts."""
        done = run(program, *arguments, cwd=self.work, LD_PRELOAD="./reader.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(r"work=(\d+) hook=(\d)", done.stderr)
        self.assertEqual(found[2], "1")
        return int(found[1])

    def compile(self, text, *options, name="loop"):
        (self.work / f"{name}.c").write_text(text)
        self.ok(support.BIN / "amp-gcc", "--amp-count", "-O2", f"{name}.c", "-o", name, *options)
        return self.work / name

    def test_what_is_optimized_is_the_same(self):
        for source, wrapper in SOURCES.items():
            for level in LEVELS:
                with self.subTest(source=source, level=level):
                    dumps = []
                    for count in [], ["--amp-count"]:
                        command = [support.BIN / wrapper, "--amp-compiler=plugin", *count]
                        dump = self.work / "dump"
                        self.ok(*command, level, "-fopenmp", f"-fdump-tree-optimized={dump}", "-c",
                                support.SOURCES / source, "-o", "object.o")  # fmt: skip
                        dumps.append(dump.read_text())
                    self.assertEqual(*dumps)
                    self.assertIn("amp_work", self.ok("nm", "object.o"))

    def test_every_level_and_kind_of_link(self):
        """Of a program in three languages."""
        sources = [support.SOURCES / name for name in [*SOURCES, "c_sum.c"]]
        for flags in *([level] for level in LEVELS), ["-O2", "-flto"], ["-O2", "-no-pie"]:
            with self.subTest(flags=flags):
                command = [support.BIN / "amp-gcc", "--amp-count", *flags, "-fopenmp", *sources]
                self.ok(*command, "-lstdc++", "-lgfortran", "-o", "program")
                self.assertGreater(self.counted("./program"), 1000)

    def test_work_is_what_the_code_does(self):
        program = self.compile(LOOP)
        none, loop, more = (self.counted(program, *"xx"[:n]) for n in range(3))
        # Each turn multiplies, adds, counts and compares, and loads and stores.
        self.assertTrue(3000 < loop - none < 10000, loop - none)
        self.assertEqual(more - loop, 4096 // 16 - 1)
        self.assertEqual(self.counted(program), none)

    def test_shared_libraries_count_for_the_program(self):
        self.compile("double f (double x) { for (int i = 0; i < 5000; i++) x = x * .5; return x; }",
                     "-shared", "-fPIC", name="libf.so")  # fmt: skip
        text = "double f (double); int main (int c, char **v) { return c > 1 && f (c) > 1; }"
        program = self.compile(text, "./libf.so", name="main")
        self.assertGreater(self.counted(program, "x") - self.counted(program), 10000)

    def test_accesses_by_which_threads_communicate(self):
        (self.work / "accesses.c").write_text(ACCESSES)
        self.ok(support.BIN / "amp-gcc", "--amp-count", "-O2", "-S", "accesses.c")
        text = (self.work / "accesses.s").read_text()
        bodies = re.findall(r"^(\w+):$(.*?)\.cfi_endproc", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(bodies), 10)
        sets = re.compile(r"movl\s+\$1, %edi|xorl\s+%edi, %edi")
        expected = {"looks": ["movl"], "changes": ["xorl"], "none": []}
        for name, body in bodies:
            *before, _ = re.split(r"call\s+amp_work_meet", body)
            found = [sets.findall(part)[-1][:4] for part in before]
            self.assertEqual(found, expected[name.rstrip("1234")], name)

    def explained(self, wrapper, *options):
        """The notes of WRAPPER with OPTIONS, sorted, without those of routed loops."""
        command = [support.BIN / wrapper, "--amp-count", "-O2", "-fno-diagnostics-show-caret"]
        done = run(*command, *options, cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"^(\S+):(\d+):\d+: note: (.*)$", done.stderr, re.M)
        self.assertEqual(len(found), done.stderr.count("note:"), done.stderr)
        return sorted(note for note in found if not note[2].startswith("routed: "))

    def charged(self, file, calls):
        """The notes about CALLS in FILE, as in CALLS, sorted."""
        why = "not in work.def, and not defined in this unit"
        texts = {
            1: f"1 call of '%s' charged as a call alone: {why}",
            2: f"2 calls of '%s' charged as calls alone: {why}",
        }
        return sorted((file, str(line), texts[n] % name) for name, (line, n) in calls.items())

    def test_calls_of_unknown_work_are_explained(self):
        for source, (wrapper, text, calls) in CALLS.items():
            with self.subTest(source=source):
                (self.work / source).write_text(text)
                options = ["-fopenmp", "-c", source, "-o"]
                said = self.explained(wrapper, "--amp-explain", *options, "loud.o")
                self.assertEqual(said, self.charged(source, calls))
                self.assertEqual(self.explained(wrapper, *options, "silent.o"), [])
                loud, silent = ((self.work / f"{o}.o").read_bytes() for o in ("loud", "silent"))
                self.assertEqual(loud, silent)

    def test_link_time_optimization_sees_the_whole_program(self):
        (self.work / "main.c").write_text(MAIN)
        other = "__attribute__ ((noipa)) double elsewhere (double x) { return x; }"
        (self.work / "other.c").write_text(other)
        for flags, calls in (
            ([], {"elsewhere": (3, 1), "lgamma": (3, 1)}),
            (["-flto=auto", "-flto-partition=max"], {"lgamma": (3, 1)}),
        ):
            said = self.explained("amp-gcc", "--amp-explain", *flags, "main.c", "other.c", "-lm")
            self.assertEqual(said, self.charged("main.c", calls), flags)

    def test_a_program_that_a_signal_ends(self):
        program = self.compile("#include <stdlib.h>\nint main (void) { abort (); }")
        self.assertEqual(run(program).returncode, -signal.SIGABRT)

    def refused(self, *command):
        done = run(*command, cwd=self.work)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_links_that_cannot_export_the_counter(self):
        self.compile(LOOP)
        amp = [support.BIN / "amp-gcc", "--amp-count", "-O2", "loop.c", "-o", "refused"]
        for static in "-static", "-static-pie":
            message = "--amp-count: a static program cannot export the counter"
            self.assertIn(message, self.refused(*amp, static))
        self.ok(*amp, "-c", "-o", "loop.o")
        self.assertIn("undefined reference to `amp_work'", self.refused(GCC, "loop.o"))

    def test_the_patched_compiler_does_not_count(self):
        amp = [support.BIN / "amp-gcc", "--amp-count", "--amp-compiler=patched"]
        self.assertIn("the patched compiler does not count", self.refused(*amp, "loop.c"))


if __name__ == "__main__":
    support.main()
