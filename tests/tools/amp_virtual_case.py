# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of amp-emu virtual share."""

import json
import os
import shutil
import subprocess

from tool_case import ToolCase

# In the library's place: reports whatever FAKE_REPORT is, at the end of the process.
FAKE_LIBRARY = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void __attribute__((destructor)) done(void)
{
  const char *line = getenv("FAKE_REPORT"), *name = getenv("GOMP_AMP_VIRTUAL_REPORT");
  if (!line || !name)
    return;
  int file = open(name, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || write(file, line, strlen(line)) < 0 || write(file, "\n", 1) < 0)
    _exit(99);
}
"""

TWO_LOOPS = r"""
double a[1000];
int main(int argc, char **argv)
{
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000 * argc; i++)
      a[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000 * argc; i++)
      a[i] += i;
  }

#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 1000; i++)
    a[i] += i;
  return a[10] != 30;
}
"""

# Of a class, in the parallel part.
PARALLEL = {"parallel_busy_ns": 0, "parallel_spin_ns": 0, "used": 1}

REPORT = {
    "pid": 17,
    "program": "/x/app",
    "work": "timed",
    "machine": "1x3+1x1",
    "makespan_ns": 4000,
    "work_ns": 3000,
    "bound_ns": 1000,
    "parallel": {"makespan_ns": 2000, "work_ns": 2500, "bound_ns": 1900},
    "removals": {"count": 3, "ns_each": 5, "waited_ns": 7},
    "switches": 9,
    "handovers": 0,
    "threads": 2,
    "classes": [
        {
            "class": 1,
            "cpus": "0",
            "speed": 3,
            "busy_ns": 3000,
            "idle_ns": 1000,
            "spin_ns": 0,
            **PARALLEL,
        },
        {
            "class": 0,
            "cpus": "1",
            "speed": 1,
            "busy_ns": 1000,
            "idle_ns": 3000,
            "spin_ns": 0,
            **PARALLEL,
        },
    ],
}


class Case(ToolCase):
    def virtual(self, *words, machine="1x3+1x1", **options):
        return self.run_tool("amp-emu", "virtual", machine, *words, **options)

    def compile_openmp(self, name="loops", *flags):
        (self.dir / "kernels").mkdir(exist_ok=True)
        source = "kernels/two.c"  # the compiler's directory makes it absolute
        (self.dir / source).write_text(TWO_LOOPS)
        program = self.dir / name
        compiler = os.environ.get("AMP_TEST_CC", "cc")
        command = [compiler, "-fopenmp", source, "-o", program, *(flags or ["-g", "-O2"])]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program


class FakeCase(Case):
    """With a copy of amp-emu whose library is FAKE_LIBRARY."""

    def setUp(self):
        super().setUp()
        place = self.dir / "tree" / "lib" / "libgomp-amp" / "virtual"
        place.mkdir(parents=True)
        self.library = self.compile("fake.so", FAKE_LIBRARY, "-shared", "-fPIC").rename(
            place / "libgomp.so.1"
        )
        binary = self.dir / "tree" / "bin"
        binary.mkdir()
        shutil.copy(self.bin / "amp-emu", binary)
        self.bin = binary

    def report(self, *words, line=json.dumps(REPORT), command=("true",), **options):
        done = self.virtual(
            "--removal-ns", "5", *words, "--", *command, env={"FAKE_REPORT": line}, **options
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done
