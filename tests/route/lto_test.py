# SPDX-License-Identifier: GPL-3.0-or-later
"""Link-time optimisation by the system's lto1: routed loops stay routed, beside unrouted ones."""

import re

import support
from support import GCC, GFORTRAN, GXX, Case, run

SOURCES = {
    "sums.c": ("amp-gcc", GCC),
    "c_sum.c": ("amp-gcc", GCC),
    "cxx_sum.cc": ("amp-g++", GXX),
    "fortran_sum.f90": ("amp-gfortran", GFORTRAN),
}
LIBRARIES = ["-lstdc++", "-lgfortran"]
SCHEDULES = [None, "static", "dynamic", "aid_hybrid"]
FLAGS = [
    ["-flto"],
    ["-flto=auto"],
    ["-flto", "-ffat-lto-objects"],
    ["-flto", "-fwhole-program"],
    ["-flto", "-fno-use-linker-plugin", "-ffat-lto-objects"],
]
# Each language has one loop, in a parallel region of its own.
PARALLEL = re.compile(r"\bcall\b.*<GOMP_parallel@plt>")
RUNTIME = re.compile(r"\bcall\b.*<__amp_loop_nonmonotonic_runtime_start>")


class LinkTimeOptimisation(Case):
    def objects(self, flags, compilers):
        """Compile each source by that of COMPILERS: a form, or "stock"; the objects."""
        names = []
        for (source, (wrapper, stock)), who in zip(SOURCES.items(), compilers, strict=True):
            command = [stock]
            if who != "stock":
                command = [support.BIN / wrapper, f"--amp-compiler={who}"]
            names.append(f"{source}.o")
            path = support.SOURCES / source
            self.ok(*command, *flags, "-O2", "-fopenmp", "-c", path, "-o", names[-1])
        return names

    def check(self, flags, compilers, link):
        objects = self.objects(flags, compilers)
        bytecode = self.ok("objdump", "-h", *objects).count(".gnu.lto_.opts")
        self.assertEqual(bytecode, len(objects))
        self.ok(*link, *flags, "-O2", "-fopenmp", *objects, *LIBRARIES, "-o", "program")
        code = self.ok("objdump", "-d", "--no-show-raw-insn", "program")
        # Without the linker's plugin GCC 13 inlines the three functions and keeps them as well.
        self.assertIn(len(PARALLEL.findall(code)), (3, 6))
        self.assertEqual(len(RUNTIME.findall(code)), sum(c != "stock" for c in compilers[1:]))
        # Only our library, which the wrappers link to, knows them all.
        for schedule in SCHEDULES if link[0] != GCC else SCHEDULES[:-1]:
            environment = {"GOMP_AMP_NOTICE": "off"}
            if schedule:
                environment["OMP_SCHEDULE"] = schedule
            done = run("./program", cwd=self.work, GOMP_AMP_THREAD_CLASSES="0,1", **environment)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_one_compiler(self):
        for flags in FLAGS:
            with self.subTest(flags=flags):
                self.check(flags, [support.FORM] * 4, support.amp())

    def test_link_by_the_stock_compiler(self):
        for compilers in [support.FORM] * 4, ["stock", support.FORM, support.FORM, "stock"]:
            with self.subTest(compilers=compilers):
                self.check(["-flto"], compilers, [GCC])

    def test_mixed(self):
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)
        for compilers in (
            ["stock", "patched", "plugin", "stock"],
            ["plugin", "stock", "patched", "plugin"],
            ["patched", "plugin", "stock", "patched"],
        ):
            for flags in FLAGS[:2]:
                with self.subTest(compilers=compilers, flags=flags):
                    self.check(flags, compilers, support.amp())


if __name__ == "__main__":
    support.main()
