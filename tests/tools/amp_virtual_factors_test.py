# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the factors and demands that amp-emu virtual measures."""

import os
import re
import shutil
import subprocess
import sys

import tool_case
from amp_virtual_case import TWO_LOOPS, Case

# Preloaded beside the library: prints the factors that it is given.
FACTORS_PRINTER = r"""
#include <stdio.h>
#include <stdlib.h>
static void __attribute__((constructor)) start(void)
{
  const char *name = getenv("GOMP_AMP_VIRTUAL_SF");
  FILE *file = name ? fopen(name, "r") : NULL;
  for (int c; file && (c = getc(file)) != EOF;)
    putchar(c);
  fflush(stdout);
}
"""

# What the file that the library is given begins with.
HEADER = "# libgomp-amp speedup factors, format 2\n# machine any\n"

FIRST, SECOND, COMBINED = 7, 10, 15  # the pragmas' lines

# In perf's place: runs what is after --, and writes COUNTS.
FAKE_PERF = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
file=$2
while [ "$1" != -- ]; do shift; done
shift
"$@"
status=$?
echo perf saw $OMP_NUM_THREADS thread
printf '%b' "$COUNTS" > "$file"
exit $status
"""


class AmpVirtualFactors(Case):
    def setUp(self):
        super().setUp()
        self.printer = self.compile("printer.so", FACTORS_PRINTER, "-shared", "-fPIC")

    def factors(self, text, program, *words, **options):
        file = self.dir / "sf"
        file.write_text(text)
        return self.virtual(
            "--sf-file",
            file,
            *words,
            "--",
            program,
            env={"LD_PRELOAD": str(self.printer)},
            **options,
        )

    def lines(self, text, program, *words):
        """What the library gets for the file TEXT: (range from the module's start, factors) of each
        line."""
        done = self.factors(text, program, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = []
        self.assertEqual(done.stdout[: len(HEADER)], HEADER)
        for line in done.stdout[len(HEADER) :].splitlines():
            place, factors = line.split()
            module, _, addresses = place.rpartition("+")
            self.assertEqual(module, os.path.realpath(program))
            result.append((tuple(int(a, 16) for a in addresses.split("-")), factors))
        return result

    def disassemble(self, program, *options):
        if not shutil.which("objdump") or os.uname().machine != "x86_64":
            self.skipTest("needs objdump and an x86-64 machine, to find calls by its output")
        return subprocess.run(
            ["objdump", *options, program], capture_output=True, text=True, check=True
        ).stdout

    def sites(self, program):
        """The addresses after the calls that start loops, and where functions of loops start."""
        code = self.disassemble(program, "-d", "--no-show-raw-insn")
        starts = re.findall(r"call .*GOMP_loop_\w*start\S*\n *([0-9a-f]+):", code)
        function = re.search(r"^0*([0-9a-f]+) <main\._omp_fn\.1>:", code, re.M).group(1)
        return sorted(int(a, 16) for a in starts), int(function, 16)

    def test_lines_of_source(self):
        for flags in (["-g", "-O1"], ["-g", "-O2", "-no-pie"], ["-g", "-O3"], ["-gdwarf-4", "-O2"]):
            with self.subTest(flags):
                program = self.compile_openmp("loops", *flags)
                (first, second), combined = self.sites(program)
                base = 0x400000 if "-no-pie" in flags else 0
                text = (
                    f"two.c:{FIRST} 1:2\nkernels/two.c:{SECOND + 1} 0:1,1:3.5\n"
                    f"{self.dir}/kernels/two.c:{COMBINED} 1:8.9 # last\n"
                )
                self.assertEqual(
                    self.lines(text, program),
                    [
                        ((first - 1 - base, first - base), "0:1,1:2"),
                        ((second - 1 - base, second - base), "0:1,1:3.5"),
                        ((combined - base, combined + 1 - base), "0:1,1:8.9"),
                    ],
                )

    def test_lines_of_source_in_a_library(self):
        library = self.compile_openmp(
            "libloops.so", "-g", "-O2", "-shared", "-fPIC", "-Dmain=loops"
        )
        program = self.compile(
            "user",
            "int loops(int, char **);\nint main(int n, char **v) { return loops(n, v); }",
            library,
            f"-Wl,-rpath,{self.dir}",
        )
        done = self.factors(f"two.c:{FIRST} 1:2", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"\n{library}+0x", done.stdout)

    def test_lines_that_are_no_loops(self):
        program = self.compile_openmp()
        for site, parts in (
            ("two.c:1", ["such loops are near the lines"]),
            (f"two.c:{COMBINED + 5}", ["such loops are near the lines"]),
            ("three.c:7", ["of no file", "kernels/two.c"]),
        ):
            with self.subTest(site):
                done = self.factors(f"{site} 1:2", program)
                self.assert_refused(done, f"/sf:1: '{site}'", *parts)

    def test_no_debug_information(self):
        for flags in (["-O2"], ["-g", "-O2", "-s"], ["-g", "-O0"]):
            with self.subTest(flags):
                program = self.compile_openmp("loops", *flags)
                done = self.factors(f"two.c:{FIRST} 1:2", program)
                self.assert_refused(done, "compile it with -g")

    def test_script(self):
        script = self.script("run", f"#!/bin/sh\nexec {self.compile_openmp()}\n")
        self.assert_refused(self.factors("two.c:7 1:2", script), "is a script", "+0xOFFSET")
        done = self.factors(f"{self.dir}/loops+0x1234 1:2", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.dir}/loops+0x1234 0:1,1:2\n", done.stdout)

    def test_two_files_of_one_name(self):
        for name in ("a", "b"):
            (self.dir / name).mkdir()
            (self.dir / name / "two.c").write_text(TWO_LOOPS.replace("main", f"loops_{name}"))
        program = self.dir / "loops"
        subprocess.run(
            [
                os.environ.get("AMP_TEST_CC", "cc"),
                "-fopenmp",
                "-g",
                "-O2",
                "-fcommon",
                self.dir / "a" / "two.c",
                self.dir / "b" / "two.c",
                "-x",
                "c",
                "-",
                "-o",
                program,
            ],
            input="int main(void) { return 0; }",
            text=True,
            check=True,
        )
        self.assert_refused(self.factors("two.c:7 1:2", program), "a/two.c", "b/two.c", "director")
        self.assertEqual(len(self.lines("b/two.c:7 1:2", program)), 1)

    def test_what_a_real_run_saved(self):
        # As GOMP_AID_SF_SAVE writes it: offsets from where the program is loaded.
        for pie, base in ("-pie", 0), ("-no-pie", 0x400000):
            with self.subTest(pie):
                program = self.compile_openmp("my loops", "-g", "-O2", pie)
                (first, _), combined = self.sites(program)
                text = (
                    "# libgomp-amp speedup factors, format 2\n"
                    "# machine 0123456789abcdef\n"
                    f"my%20loops+0x{first - base:x} 0:1.000000,1:3.250000 # 12\n"
                    f"my%20loops+0x{combined - base:x} 0:1.000000,1:2.000000 # 1\n"
                )
                done = self.factors(text, program)
                self.assertEqual(done.returncode, 0, done.stderr)
                path = str(program).replace(" ", "%20")
                self.assertEqual(
                    done.stdout,
                    HEADER + f"{path}+0x{first - base:x} 0:1,1:3.25\n"
                    f"{path}+0x{combined - base:x} 0:1,1:2\n",
                )

    def test_other_modules(self):
        program = self.compile_openmp()
        done = self.factors("other+0x10 1:2\nloops+0x20 1:2\n", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{HEADER}{program}+0x20 0:1,1:2\n")
        self.assertIn("/sf:1: 'other+0x10' is of a module", done.stderr)
        self.assert_refused(self.factors("other+0x10 1:2\n", program), "'other+0x10'", "path")

    def test_a_class_that_the_machine_lacks(self):
        program = self.compile_openmp()
        self.assert_refused(self.factors("two.c:7 2:2", program), "/sf:1: '2:2'", "0, the slowest")


class AmpVirtualDemand(Case):
    """--bandwidth, --demand and --demand-by-perf."""

    def environment_of(self, text, *words, program="env", **options):
        file = self.dir / "demand"
        file.write_text(text)
        return self.virtual(
            "--bandwidth", "40,0:10", "--demand", file, *words, "--", program, **options
        )

    def test_what_the_library_gets(self):
        done = self.environment_of("# all\n\nprogram 2.5 # GB/s\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("GOMP_AMP_VIRTUAL_BANDWIDTH=40,0:10", lines)
        self.assertIn("GOMP_AMP_VIRTUAL_DEMAND_MBS=2500", lines)

    def test_loops(self):
        program = self.compile_openmp()
        printer = self.compile(
            "printer.so", FACTORS_PRINTER.replace("_SF", "_DEMAND"), "-shared", "-fPIC"
        )
        done = self.environment_of(
            f"two.c:{FIRST} 8\n{program}+0x20 0\n",
            program=program,
            env={"LD_PRELOAD": str(printer)},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        path = re.escape(os.path.realpath(program))
        self.assertRegex(
            done.stdout,
            rf"^{HEADER}{path}\+0x[0-9a-f]+-0x[0-9a-f]+ 0:8\n{path}\+0x20 0:0\.000001\n$",
        )

    def test_bad_lines(self):
        for text, part in (
            ("program", "1: ''"),
            ("program x", "1: 'x'"),
            ("program -1", "1: '-1'"),
            ("program 1000001", "1: '1000001'"),
            ("program 1 GB/s", "1: 'GB/s' follows"),
            ("\nprogram 1\nprogram 2", "3: 'program' has a line already"),
            ("two.c 1", "1: 'two.c' is neither"),
            ("two.c:7 1", "1: 'two.c:7' cannot be found"),
        ):
            with self.subTest(text):
                done = self.environment_of(text, program="/bin/true")
                self.assert_refused(done, f"/demand:{part}")

    def by_perf(self, counts, *command, path=None, **variables):
        folder = self.dir / "path"
        folder.mkdir(exist_ok=True)
        perf = folder / "perf"
        perf.write_text(FAKE_PERF)
        perf.chmod(0o755)
        return self.virtual(
            "--bandwidth",
            "40",
            "--demand-by-perf",
            "--",
            *(command or ("env",)),
            env={"PATH": path or f"{folder}:{os.environ['PATH']}", "COUNTS": counts, **variables},
        )

    def test_by_perf(self):
        # 1e9 lines of 64 bytes in 16 s are 4 GB/s, on a core of speed 3.
        done = self.by_perf(
            "# started\n\n1000000000,,cache-misses:u,1,100.00,,\n16000.0,msec,task-clock:u,1,1,,\n",
            OMP_NUM_THREADS="5",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("perf saw 1 thread\n", done.stdout)
        self.assertIn("OMP_NUM_THREADS=5\n", done.stdout)
        self.assertIn("GOMP_AMP_VIRTUAL_DEMAND_MBS=1333\n", done.stdout)
        self.assertIn("4 GB/s", done.stderr)

    def test_perf_that_counts_nothing(self):
        done = self.by_perf("<not supported>,,cache-misses,0,100.00,,\n9.0,msec,task-clock,1,1,,\n")
        self.assert_refused_after(done, "cache-misses", "<not supported>", "--demand FILE")

    def assert_refused_after(self, done, *parts):
        """Refused after perf ran the command."""
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertNotIn("GOMP_AMP_VIRTUAL=", done.stdout)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_a_command_that_fails_under_perf(self):
        self.assert_refused_after(self.by_perf("", "false"), "status 1")

    def test_no_perf(self):
        done = self.by_perf("", "/usr/bin/env", path=str(self.dir / "empty"))
        self.assert_refused(done, "no perf in PATH", "--demand FILE")

    def test_the_perf_of_this_machine(self):
        if not shutil.which("perf"):
            self.skipTest("there is no perf here")
        done = self.virtual("--bandwidth", "40", "--demand-by-perf", "--", "/bin/true")
        if "cache-misses" in done.stderr:
            self.skipTest(f"no hardware counters here: {done.stderr}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("GB/s", done.stderr)


if __name__ == "__main__":
    sys.exit(tool_case.main())
