# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the factors and demands that amp-emu virtual is given."""

import os
import re
import shutil
import subprocess
import sys

import tool_case
from amp_virtual_case import Case

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

    def test_script(self):
        script = self.script("run", f"#!/bin/sh\nexec {self.compile_openmp()}\n")
        done = self.factors(f"{self.dir}/loops+0x1234 1:2", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.dir}/loops+0x1234 0:1,1:2\n", done.stdout)

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
        done = self.factors("loops+0x20 2:2", program)
        self.assert_refused(done, "/sf:1: '2:2'", "0, the slowest")


class AmpVirtualDemand(Case):
    """--bandwidth and --demand."""

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
            f"{program}+0x10 8\n{program}+0x20 0\n",
            program=program,
            env={"LD_PRELOAD": str(printer)},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        path = re.escape(os.path.realpath(program))
        self.assertRegex(
            done.stdout,
            rf"^{HEADER}{path}\+0x10 0:8\n{path}\+0x20 0:0\.000001\n$",
        )

    def test_bad_lines(self):
        for text, part in (
            ("program", "1: ''"),
            ("program x", "1: 'x'"),
            ("program -1", "1: '-1'"),
            ("program 1000001", "1: '1000001'"),
            ("program 1 GB/s", "1: 'GB/s' follows"),
            ("\nprogram 1\nprogram 2", "3: 'program' has a line already"),
            ("two.c 1", "1: 'two.c' is not MODULE+0xOFFSET"),
            ("two.c:7 1", "1: 'two.c:7' is not MODULE+0xOFFSET"),
        ):
            with self.subTest(text):
                done = self.environment_of(text, program="/bin/true")
                self.assert_refused(done, f"/demand:{part}")


if __name__ == "__main__":
    sys.exit(tool_case.main())
