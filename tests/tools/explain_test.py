# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-run --explain: that the program's output, signals and status stay its own, and which
text each kind of program gets. What amp-report says of a report is tested in ../report."""

import os
import signal
import subprocess
import sys

import tool_case
from tool_case import NOT_FOUND, ToolCase

HEADINGS = (
    "What it could reach:",
    "What the library did:",
    "Where the time went:",
    "What is left:",
    "What to try:",
)
# What it does after a region is its argument.
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile double sink;
static void ended(int number) { exit(number == SIGTERM ? 5 : 6); }
int main(int argc, char **argv)
{
  int loops = argc > 2 ? atoi(argv[2]) : 1;
  signal(SIGTERM, ended);
  for (int k = 0; k < loops; k++)
  {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 4000000; i++)
      sink = i;
  }
  puts("output");
  fflush(stdout);
  if (!strcmp(argv[1], "signal"))
    kill(getpid(), SIGSEGV);
  if (!strcmp(argv[1], "waits"))
    for (;;)
      pause();
  if (!strcmp(argv[1], "_exit"))
    _exit(4);
  return atoi(argv[1]);
}
"""
# A task outside of regions with a host target that has a region.
TARGET = r"""
#include <stdio.h>
int main(void)
{
  for (int k = 0; k < 5; k++)
  {
    int sum = 0;
#pragma omp task shared(sum)
#pragma omp target map(tofrom: sum)
#pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < 100; i++)
      sum += i;
#pragma omp taskwait
    if (sum != 4950)
      return 1;
  }
  puts("output");
}
"""
# The program's own malloc enters a critical section.
MALLOC = r"""
#include <stdio.h>
#include <stddef.h>
extern void *__libc_calloc(size_t, size_t), *__libc_malloc(size_t);
static long bytes;
static void note(size_t size)
{
#pragma omp critical(memory)
  bytes += size;
}
void *malloc(size_t size) { note(size); return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { note(count * size); return __libc_calloc(count, size); }
int main(void)
{
  for (int k = 0; k < 30; k++)
#pragma omp parallel num_threads(1 + k % 5)
    if (malloc(100) == NULL)
      bytes = 0;
  puts(bytes != 0 ? "output" : "no memory");
}
"""


class Explain(ToolCase):
    def setUp(self):
        super().setUp()
        self.program = self.compile("app", PROGRAM, "-fopenmp")

    def explain(self, *words, env=None, option="--explain"):
        """What amp-run explains of WORDS, which prints `output`, and its status."""
        values = {"TMPDIR": str(self.dir), "OMP_NUM_THREADS": "2", **(env or {})}
        done = self.run_tool("amp-run", option, *words, env=values)
        self.assertEqual(done.stdout.replace("output\n", ""), "")
        return done.stderr, done.returncode

    def left_behind(self):
        return [path for path in self.dir.iterdir() if path.name.startswith("amp-run-")]

    def test_program(self):
        said, status = self.explain(self.program, "3")
        self.assertEqual(status, 3)
        places = [said.find(heading) for heading in HEADINGS]
        self.assertEqual(sorted(places), places, said)
        self.assertNotIn(-1, places, said)
        self.assertIn(f"{self.program}: ", said)
        self.assertIn("Of 1 execution of regions:", said)
        self.assertEqual(self.left_behind(), [])

    def test_programs_that_the_observer_broke(self):
        for name, source in (("target", TARGET), ("malloc", MALLOC)):
            said, status = self.explain(self.compile(name, source, "-fopenmp"))
            self.assertEqual(status, 0, said)
            self.assertIn("executions of regions:", said)

    def test_why_it_is_not_folded(self):
        said, _ = self.explain(self.program, "0")
        self.assertIn(f"does not fold {self.program} unasked: no entry of programs.toml", said)

    def test_in_a_file(self):
        file = self.dir / "explanation"
        file.write_text("earlier\n" * 10000)
        said, status = self.explain(self.program, "0", option=f"--explain={file}")
        self.assertEqual((said, status), ("", 0))
        self.assertIn(HEADINGS[-1], file.read_text())
        self.assertNotIn("earlier", file.read_text())

    def test_file_that_cannot_be_written(self):
        done = self.run_tool("amp-run", "--explain=/nowhere/file", self.program, "0")
        self.assert_refused(done, "/nowhere/file", "No such file", "nothing was run")

    def test_ended_by_a_signal(self):
        said, status = self.explain(self.program, "signal")
        self.assertEqual(status, -signal.SIGSEGV)
        self.assertIn("nothing to explain", said)
        self.assertIn(f"was ended by signal {int(signal.SIGSEGV)} (Segmentation fault)", said)
        self.assertEqual(self.left_behind(), [])

    def test_ended_without_handlers(self):
        said, status = self.explain(self.program, "_exit")
        self.assertEqual(status, 4)
        self.assertIn("ended by _exit", said)

    def test_signals_are_forwarded(self):
        process = subprocess.Popen(
            [self.bin / "amp-run", "--explain", self.program, "waits"],
            env=tool_case.environment.clean(TMPDIR=str(self.dir)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(process.stdout.readline(), "output\n")
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=900)[1]
        self.assertEqual(process.returncode, 5)
        self.assertIn(HEADINGS[0], said)
        self.assertEqual(self.left_behind(), [])

    def test_without_openmp(self):
        said, status = self.explain("false")
        self.assertEqual(status, 1)
        self.assertIn("no parallel region or loop ran on libgomp-amp in '", said)
        self.assertIn("amp-run --check", said)

    def test_command_that_is_not_there(self):
        done = self.run_tool("amp-run", "--explain", self.dir / "none")
        self.assert_refused(done, "No such file", status=NOT_FOUND)

    def test_command_that_cannot_be_executed(self):
        broken = self.script("broken", "#!/nowhere/interpreter\n")
        done = self.run_tool("amp-run", "--explain", broken, env={"TMPDIR": str(self.dir)})
        self.assert_refused(done, "broken': No such file", status=NOT_FOUND)
        self.assertEqual(self.left_behind(), [])

    def test_script_with_several_programs(self):
        other = self.dir / "other"
        other.write_bytes(self.program.read_bytes())
        other.chmod(0o755)
        script = self.script(
            "script", f"#!/bin/sh\n{self.program} 0\n{self.program} 0\n{other} 0 50\nexit 7\n"
        )
        said, status = self.explain(script)
        self.assertEqual(status, 7)
        self.assertIn(f"{self.program}, 2 processes", said)
        self.assertLess(said.index(f"{other}: "), said.index(f"{self.program}, "))
        self.assertIn("Of 50 executions of regions", said)
        self.assertEqual(said.count(HEADINGS[0]), 2)

    def test_ranks(self):
        names = ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE")
        for rank, explains in (("0", True), ("1", False)):
            said, _ = self.explain(
                self.program, "0", env={names[0]: rank, names[1]: "2"}, option="--explain"
            )
            self.assertEqual(HEADINGS[0] in said, explains, said)

    def test_a_report_that_was_asked_for(self):
        said, _ = self.explain(self.program, "0", env={"GOMP_AMP_REPORT": "mine"})
        self.assertIn("GOMP_AMP_REPORT=mine has no effect: --explain sets it", said)

    def test_without_python(self):
        said, status = self.explain(self.program, "3", env={"PATH": str(self.dir)})
        self.assertEqual(status, 3)
        kept = self.left_behind()
        self.assertEqual(len(kept), 1)
        self.assertIn(f"amp-report --explain {kept[0]}", said)
        shown = self.run_tool("amp-report", "--explain", kept[0])
        self.assertIn(HEADINGS[-1], shown.stdout)

    def test_amp_report_gets_the_environment_as_it_was(self):
        self.script("python3", '#!/bin/sh\necho "$LD_PRELOAD,$GOMP_AMP_REPORT,$LD_LIBRARY_PATH."\n')
        said, _ = self.explain(
            self.program, "0", env={"PATH": f"{self.dir}:{os.environ['PATH']}", "LD_PRELOAD": ""}
        )
        self.assertEqual(said, ",,.\n")


if __name__ == "__main__":
    sys.exit(tool_case.main())
