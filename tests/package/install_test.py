#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package is installed, used by an ordinary user, and removed, in a scratch root."""

import json
import unittest

import scratch_root
import support
from releases import chroot

OURS = "/usr/lib/libgomp-amp/libgomp.so.1"
LAB = "/usr/lib/libgomp-amp/virtual/libgomp.so.1"

# Prints the runtime's file, the schedule's kind and a sum that takes all iterations.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void) {
  long sum = 0;
  omp_sched_t kind;
  int chunk;
  Dl_info info;
  #pragma omp parallel for schedule(runtime) reduction(+:sum)
  for (long i = 0; i < 1000; i++)
    sum += i;
  omp_get_schedule(&kind, &chunk);
  dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &info);
  printf("%s %x %ld\\n", info.dli_fname, (unsigned) kind, sum);
}
"""


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = scratch_root.ScratchRoot()
        cls.addClassCleanup(cls.root.close)
        cls.root.install()
        cls.root.write("program.c", PROGRAM)

    def compile(self, compiler, name, *flags):
        self.root.as_user(compiler, "-O1", "-g", "-fopenmp", "program.c", "-o", name, *flags)

    def test_tools_run(self):
        for tool in ("amp-run", "amp-info", "amp-emu"):
            self.assertIn(tool, self.root.as_user(tool, "--version"))
        for wrapper in ("amp-gcc", "amp-g++", "amp-gfortran"):
            self.assertIn(wrapper, self.root.as_user(wrapper, "--amp-help"))
        report = json.loads(self.root.as_user("amp-info", "--json"))
        self.assertEqual(report["library"], OURS)

    def test_amp_gcc_makes_a_program_that_uses_the_library(self):
        self.compile("amp-gcc", "routed")
        shown = self.root.as_user("./routed", env={"OMP_SCHEDULE": "aid_dynamic"})
        self.assertEqual(shown, f"{OURS} 40000003 499500\n")

    def test_program_of_plain_gcc_uses_the_library_only_if_told(self):
        self.compile(support.OPTIONS.compiler, "plain")
        system = self.root.as_user("./plain", env={"OMP_SCHEDULE": "guided"})
        self.assertRegex(system, r"^\S+/libgomp\.so\.1 3 499500\n$")
        self.assertNotIn("libgomp-amp", system)
        hybrid = {"OMP_SCHEDULE": "aid_hybrid"}
        ours = f"{OURS} 40000002 499500\n"
        self.assertEqual(self.root.as_user("amp-run", "./plain", env=hybrid), ours)
        self.assertEqual(
            self.root.as_user("env", f"LD_PRELOAD={OURS}", "./plain", env=hybrid), ours
        )

    def test_the_linker_does_not_know_the_library(self):
        self.root.output("ldconfig")
        known = self.root.output("ldconfig", "--print-cache")
        self.assertIn("libgomp.so.1", known)
        self.assertNotIn("libgomp-amp", known)

    def test_lab_runs_programs(self):
        self.compile("amp-gcc", "timed")
        self.root.write("factors", "program 1:2.5\n")
        command = ["amp-emu", "virtual", "2x2.0+2x1.0", "--sf-file=factors", "--json=result.json"]
        shown = self.root.as_user(*command, "--", "./timed", env={"OMP_SCHEDULE": "aid_static"})
        self.assertEqual(shown, f"{LAB} 40000001 499500\n")
        result = self.root.path(self.root.home / "result.json").read_text()
        self.assertIn("makespan", result)

    def test_pkg_config_and_header(self):
        flags = self.root.as_user("pkg-config", "--cflags", "--libs", "libgomp-amp").split()
        self.root.write(
            "header.c", "#include <ompx_amp.h>\nint main(void) { return !ompx_amp_version(); }\n"
        )
        self.root.as_user(support.OPTIONS.compiler, "-fopenmp", "header.c", *flags, "-o", "header")
        self.root.as_user("./header")


class Removed(unittest.TestCase):
    def test_nothing_is_left(self):
        root = scratch_root.ScratchRoot()
        self.addCleanup(root.close)
        root.install()
        added = root.changes() - root.before
        self.assertIn("usr/bin/amp-run", added)
        root.dpkg("--remove", "libgomp-amp")
        self.assertIn("is not installed", root.run("dpkg", "--status", "libgomp-amp").stderr)
        self.assertEqual(root.changes() - root.before, set())


if __name__ == "__main__":
    chroot.enter_namespace()
    support.main()
