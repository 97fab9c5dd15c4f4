# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of when the initial thread is bound: not in a shell on the way to the program."""

import os
import shutil
import sys

import tool_case
from tool_case import ToolCase

# Shows where its threads may run, before its first team and in it, and what OpenMP says of that.
REPORT = """
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what) {
  cpu_set_t set;
  char line[4096];
  int length = sprintf(line, "%s: mask", what);
  sched_getaffinity(0, sizeof set, &set);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set))
      length += sprintf(line + length, " %d", cpu);
  puts(line);
  fflush(stdout);
}

void processors(void) { printf("processors: %d\\n", omp_get_num_procs()); }

static void places(void) {
  int nums[64] = {0}, count = omp_get_partition_num_places();
  printf("place %d of %d, bind %d, partition", omp_get_place_num(), omp_get_num_places(),
         (int)omp_get_proc_bind());
  omp_get_partition_place_nums(nums);
  for (int i = 0; i < count && i < 64; i++)
    printf(" %d", nums[i]);
  puts("");
}

void team(void) {
  places();
  #pragma omp parallel num_threads(2)
  {
    #pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2; i++)
    #pragma omp ordered
    {
      show("thread");
      printf("at place %d\\n", omp_get_place_num());
    }
  }
}

int main(int argc, char **argv) {
  show("start");
  if (argc > 1 && strcmp(argv[1], "mask") == 0)
    return 0;
  team();
  if (fork() == 0)
    execl(argv[0], argv[0], "mask", (char *)NULL);
  wait(NULL);
  return 0;
}
"""

# Runs the function `team' of the library argv[1]; if there are more arguments it first confines
# itself to the CPU argv[2], and if there are yet more another thread, which was made before, runs
# it. Then it runs `processors'.
HOST = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
static void (*team)(void);
static sem_t loaded;
static void *run(void *arg) {
  sem_wait(&loaded);
  team();
  return arg;
}
int main(int argc, char **argv) {
  pthread_t other;
  if (argc > 3 && pthread_create(&other, NULL, run, NULL) != 0)
    return 3;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (argc > 2)
    CPU_SET(atoi(argv[2]), &set);
  if (argc > 2 && sched_setaffinity(0, sizeof set, &set) != 0)
    return 1;
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return 2;
  team = (void (*)(void))dlsym(library, "team");
  sem_post(&loaded);
  if (argc > 3)
    pthread_join(other, NULL);
  else
    run(NULL);
  ((void (*)(void))dlsym(library, "processors"))();
  return 0;
}
"""

BINDINGS = (
    {"OMP_PROC_BIND": "true"},
    {"GOMP_AMP_AFFINITY": "BS"},
    {"GOMP_AMP_AFFINITY": "SB", "OMP_NUM_THREADS": "2"},
    {"OMP_PLACES": "threads"},
)


class Case(ToolCase):
    def setUp(self):
        super().setUp()
        self.cpus = sorted(os.sched_getaffinity(0))
        if len(self.cpus) < 2:
            self.skipTest("needs two CPUs")
        self.cpus = self.cpus[:2]
        self.library = self.bin.parent / "lib/libgomp.so.1"

    def run_on(self, *command, **values):
        """COMMAND's output and messages on the two CPUs, with VALUES in a clean environment."""
        cpus = ",".join(map(str, self.cpus))
        topology = f"{self.cpus[0]}=512,{self.cpus[1]}=1024"
        done = self.run_tool(
            shutil.which(command[0]) or command[0],
            *command[1:],
            before=("taskset", "-c", cpus),
            env={"GOMP_AMP_TOPOLOGY": topology, **values},
            timeout=900,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    @property
    def all(self):
        return " ".join(map(str, self.cpus))


class Wrappers(Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("report", REPORT, "-fopenmp")

    def ways(self, program):
        """How a program is started in practice, by name."""
        run = self.bin / "amp-run"
        script = self.script("script.sh", f"#!/bin/sh\n{program}\n:\n")
        child = f"import subprocess, sys; sys.exit(subprocess.call(['{program}']))"
        return {
            "script": (script,),
            "shell": ("sh", "-c", f"{program}; :"),
            "exec": ("sh", "-c", f"exec {program}"),
            "timeout": ("timeout", "60", program),
            "env": ("env", "A=B", program),
            "nested": (run, program),
            "script of amp-run": ("sh", "-c", f"{run} {program}; :"),
            "chain": ("env", "A=B", "timeout", "60", "sh", "-c", f"exec {script}"),
            "Python": (sys.executable, "-c", child),
        }

    def test_the_program_gets_all_cpus(self):
        for values in BINDINGS:
            expected = self.run_on("amp-run", self.program, **values)
            self.assertIn("thread: mask", expected)
            for name, command in self.ways(self.program).items():
                with self.subTest(name, **values):
                    self.assertEqual(self.run_on("amp-run", *command, **values), expected)
                    preloaded = {**values, "LD_PRELOAD": str(self.library)}
                    self.assertEqual(self.run_on(*command, **preloaded), expected)

    def test_no_process_on_the_way_is_bound(self):
        mask = "import os; print(*sorted(os.sched_getaffinity(0)))"
        for values in BINDINGS:
            for name, command in self.ways(f"{sys.executable} -c '{mask}'").items():
                if name in ("timeout", "env", "nested", "Python"):
                    continue
                with self.subTest(name, **values):
                    self.assertEqual(self.run_on("amp-run", *command, **values), f"{self.all}\n")

    def test_folded(self):
        values = {"GOMP_AMP_FOLD": "3", "GOMP_AMP_AFFINITY": "BS"}
        for name, command in self.ways(self.program).items():
            with self.subTest(name):
                output = self.run_on("amp-run", *command, **values)
                # The program's and its child's.
                self.assertEqual(output.count(f"start: mask {self.all}\n"), 2, output)
                self.assertEqual(output.count("thread: mask"), 2, output)


class Programs(Case):
    """Programs that use OpenMP are bound as upstream does it."""

    def test_as_upstream(self):
        program = self.compile("report", REPORT, "-fopenmp")
        first, second = self.cpus
        for bind in (None, "false", "true", "close", "spread", "master"):
            for places in (None, "threads", "cores", f"{{{second}}},{{{first}}}", f"{{{second}}}"):
                values = {"OMP_PROC_BIND": bind, "OMP_PLACES": places}
                with self.subTest(**values):
                    self.assertEqual(
                        self.run_on("amp-run", program, **values), self.run_on(program, **values)
                    )

    def test_one_that_loads_a_library_which_uses_openmp(self):
        user = self.compile(
            "libuser.so", REPORT, "-fopenmp", "-shared", "-fPIC", "-Wl,-soname,libuser.so"
        )
        main = "void team(void); int main(void) { team(); return 0; }"
        program = self.compile("program", main, user, f"-Wl,-rpath,{self.dir}")
        for values in BINDINGS[:1] + BINDINGS[3:]:
            self.assertEqual(
                self.run_on("amp-run", program, **values), self.run_on(program, **values)
            )


class Plugins(Case):
    """A program that loads OpenMP code while it runs, with the library preloaded."""

    def setUp(self):
        super().setUp()
        self.plugin = self.compile("libplugin.so", REPORT, "-fopenmp", "-shared", "-fPIC")
        self.host = self.compile("host", HOST, "-ldl", "-pthread")

    def test_its_first_team_is_bound(self):
        small, big = self.cpus
        for values, order in (
            ({"GOMP_AMP_AFFINITY": "BS"}, (big, small)),
            ({"GOMP_AMP_AFFINITY": "SB"}, (small, big)),
            ({"OMP_PROC_BIND": "true"}, (small, big)),
        ):
            with self.subTest(**values):
                self.assertEqual(
                    self.run_on("amp-run", self.host, self.plugin, **values).splitlines()[1:-1],
                    [
                        line
                        for place, cpu in enumerate(order)
                        for line in (f"thread: mask {cpu}", f"at place {place}")
                    ],
                )

    def test_one_that_confined_itself_keeps_to_that(self):
        for cpu in self.cpus:
            for values in ({}, *BINDINGS, {"OMP_PLACES": f"{{{self.cpus[0]}}}"}):
                with self.subTest(cpu=cpu, **values):
                    output = self.run_on("amp-run", self.host, self.plugin, str(cpu), **values)
                    self.assertEqual(output.count(f"thread: mask {cpu}\n"), 2, output)
                    # By it threads decide how long they spin.
                    self.assertIn("processors: 1\n", output)

    def test_one_whose_initial_thread_alone_is_confined_uses_all(self):
        for values in BINDINGS:
            with self.subTest(**values):
                output = self.run_on(
                    "amp-run", self.host, self.plugin, str(self.cpus[0]), "thread", **values
                )
                for cpu in self.cpus:
                    self.assertEqual(output.count(f"thread: mask {cpu}\n"), 1, output)


if __name__ == "__main__":
    sys.exit(tool_case.main())
