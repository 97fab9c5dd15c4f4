# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of ranks under a real launcher: which CPUs they get, threads that call MPI in folded teams,
and the programs of bench/programs/mpi.

mpi_test.py openmpi|mpich
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "common"))
import environment  # noqa: E402

SKIPPED = 77
BUILD = pathlib.Path(os.environ["AMP_TEST_BUILD"])
# Of each MPI: mpirun, its option that binds no rank, the one that binds each to a core, and how it
# is told what amp-info printed.
LAUNCHERS = {
    "openmpi": (
        "mpirun.openmpi",
        ("--bind-to", "none"),
        ("--bind-to", "core"),
        lambda _, file: ("--rankfile", str(file)),
    ),
    "mpich": (
        "mpiexec.hydra",
        ("-bind-to", "none"),
        ("-bind-to", "core"),
        lambda text, _: ("-bind-to", text.strip()),
    ),
}
MASK = (sys.executable, "-c", "import os; print('mask', sorted(os.sched_getaffinity(0)))")
FOLDED = {"GOMP_AMP_FOLD": "3", "OMP_NUM_THREADS": "2"}


class Mpi(unittest.TestCase):
    mpi = ""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="amp-mpi-")
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        self.mpirun, self.unbound, self.bound, self.file_options = LAUNCHERS[self.mpi]
        allowed = sorted(os.sched_getaffinity(0))
        self.cpus = allowed[:2]
        if len(self.cpus) < 2:
            self.skipTest("needs two CPUs")
        os.sched_setaffinity(0, self.cpus)
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        # The second CPU is the fast one, which the first rank gets.
        self.topology = f"{self.cpus[0]}=512,{self.cpus[1]}=1024"

    def run_ranks(self, options, *command, amp_run=(), ranks=2, **values):
        """The output of COMMAND as ranks of amp-run with the options AMP_RUN."""
        values |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        values.setdefault("GOMP_AMP_TOPOLOGY", self.topology)
        tool = (BUILD / "bin" / "amp-run", *amp_run)
        done = subprocess.run(
            (self.mpirun, *options, "-n", str(ranks), *tool, *command),
            env=environment.clean(**values),
            capture_output=True,
            text=True,
            timeout=900,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def masks(self, options, *amp_run):
        found = re.findall(
            r"^mask \[(.*)\]$",
            self.run_ranks(options, *MASK, amp_run=("--force", *amp_run)),
            re.MULTILINE,
        )
        return sorted(found)

    def test_cores_of_an_unbound_rank(self):
        each = [str(cpu) for cpu in self.cpus]
        both = [", ".join(each)] * 2
        self.assertEqual(self.masks(self.unbound, "--ranks"), each)
        self.assertEqual(self.masks(self.unbound, "--fold"), each)
        self.assertEqual(self.masks(self.unbound), both)

    def test_cores_of_a_bound_rank(self):
        topology = {"GOMP_AMP_TOPOLOGY": "off"}
        script = self.dir / "rank"
        script.write_text('#!/bin/sh\ntaskset -pc $$\nexec "$@"\n')
        script.chmod(0o755)
        words = (script, BUILD / "bin" / "amp-run", "--force", "--ranks", *MASK)
        text = self.run_ranks(self.bound, *words, amp_run=("--force",), **topology)
        before = re.findall(r"affinity list: (\d+)$", text, re.MULTILINE)
        self.assertEqual(sorted(re.findall(r"^mask \[(.*)\]$", text, re.MULTILINE)), sorted(before))

    def test_amp_info_tells_the_launcher(self):
        info = (BUILD / "bin" / "amp-info", "--ranks=2", f"--rankfile={self.mpi}")
        text = subprocess.check_output(
            info, text=True, env=environment.clean(GOMP_AMP_TOPOLOGY=self.topology)
        )
        file = self.dir / "rankfile"
        file.write_text(text)
        script = self.dir / "rank"
        script.write_text(
            "#!/bin/sh\n"
            "echo ${OMPI_COMM_WORLD_RANK}${PMI_RANK} $(taskset -pc $$ | sed 's/.*: //')\n"
        )
        script.chmod(0o755)
        text = self.run_ranks(self.file_options(text, file), script, amp_run=("--force",))
        slow, fast = self.cpus
        self.assertEqual(sorted(text.splitlines()), [f"0 {fast}", f"1 {slow}"])

    def compile_threads(self):
        program = self.dir / "threads"
        flags = ("-std=gnu11", "-O2", "-fopenmp", "-Wno-stringop-overflow")
        include = ROOT / "libgomp" / "include"
        source = ROOT / "tests" / "mpi" / "threads.c"
        subprocess.run(
            (f"mpicc.{self.mpi}", *flags, "-I", include, source, "-o", program), check=True
        )
        return program

    def test_threads_that_call_mpi(self):
        program = self.compile_threads()
        settings = (({}, 1, 0), (FOLDED, 6, 2))
        for level in ("funneled", "serialized"):
            for values, threads, workers in settings:
                with self.subTest(level=level, **values):
                    text = self.run_ranks(
                        self.unbound, program, level, amp_run=("--ranks",), **values
                    )
                    expected = [f"{r}: {threads} threads on {workers} workers" for r in (0, 1)]
                    self.assertEqual(sorted(text.splitlines()), expected)

    def test_programs_of_the_benchmark(self):
        small = {
            "stencil": ("--rows=100", "--columns=64", "--steps=5"),
            "zones": ("--rows=30", "--columns=300", "--zones=5", "--steps=5"),
        }
        for name, arguments in small.items():
            for ranks in (1, 2, 3):
                for values in ({"OMP_NUM_THREADS": "2"}, FOLDED):
                    with self.subTest(program=name, ranks=ranks, **values):
                        program = BUILD / "bench" / "mpi" / f"{name}-{self.mpi}"
                        options = self.unbound
                        if self.mpi == "openmpi":
                            options += ("--oversubscribe",)
                        text = self.run_ranks(options, program, *arguments, ranks=ranks, **values)
                        self.assertRegex(text, rf"verified=1 threads=[26] .*ranks={ranks} ")


def main():
    Mpi.mpi = sys.argv.pop(1)
    for tool in (LAUNCHERS[Mpi.mpi][0], f"mpicc.{Mpi.mpi}"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is missing: scripts/install-deps --full installs it")
            return SKIPPED
    result = unittest.main(exit=False, verbosity=2).result
    for _, reason in result.skipped:
        print("skipped:", reason)
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
