# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of amp-run --ranks in the environments of launchers, which these tests play: the process of
a test is the launcher, and it may use two CPUs."""

import json
import os
import shutil
import sys

import tool_case
from tool_case import ToolCase

OPEN_MPI = ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE")
HYDRA = ("MPI_LOCALRANKID", "MPI_LOCALNRANKS")
LAUNCHERS = {"Open MPI": OPEN_MPI, "MPICH": HYDRA}
MASK = (sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))")


class Ranks(ToolCase):
    def setUp(self):
        super().setUp()
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("needs two CPUs")
        self.cpus = allowed[:2]
        os.sched_setaffinity(0, self.cpus)
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        # The second CPU is the fast one, which the first rank gets.
        slow, fast = self.cpus
        self.topology = f"{slow}=512,{fast}=1024"

    def rank(self, rank, size=2, *options, names=OPEN_MPI, command=MASK, before=(), **values):
        """COMMAND's output and messages as rank RANK of SIZE by the variables NAMES."""
        values |= {names[0]: rank, names[1]: size, "GOMP_AMP_TOPOLOGY": self.topology}
        values = {name: None if value is None else str(value) for name, value in values.items()}
        words = (*options, "--force", *command)
        done = self.run_tool("amp-run", *words, env=values, before=before)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip(), done.stderr

    def assert_mask(self, found, cpus, *message):
        """FOUND, of rank, is CPUS, with no message or one that has the parts MESSAGE."""
        self.assertEqual(found[0], str(sorted(cpus)))
        self.assertEqual(found[1].count("\n"), 1 if message else 0, found[1])
        for part in message:
            self.assertIn(part, found[1])

    def test_each_rank_has_its_core(self):
        slow, fast = self.cpus
        for launcher, names in LAUNCHERS.items():
            with self.subTest(launcher=launcher):
                self.assert_mask(self.rank(0, 2, "--ranks", names=names), [fast])
                self.assert_mask(self.rank(1, 2, "--ranks", names=names), [slow])

    def test_slurm(self):
        slow, fast = self.cpus
        names = ("SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE")
        values = {"SLURM_STEP_ID": 0, "SLURM_NODEID": 1}
        found = self.rank(1, "1,2", "--ranks", names=names, **values)
        self.assert_mask(found, [slow])
        values["SLURM_CPU_BIND_TYPE"] = "mask_cpu:"
        found = self.rank(0, "1,2", "--ranks", names=names, **values)
        self.assert_mask(found, self.cpus, "to which Slurm has bound it")

    def test_a_shell_between(self):
        shell = ("sh", "-c", '"$0" "$@"; exit $?')
        self.assert_mask(self.rank(0, 2, "--ranks", before=shell), [self.cpus[1]])

    def test_the_mask_of_the_launcher_is_kept(self):
        slow, _ = self.cpus
        bound = (shutil.which("taskset"), "-c", str(slow))
        found = self.rank(0, 2, "--ranks", before=bound)
        self.assert_mask(found, [slow], f"keeps CPUs {slow}, to which Open MPI has bound it")
        # One rank reports that, unless others are asked.
        self.assert_mask(self.rank(1, 2, "--ranks", before=bound), [slow])
        self.assertIn("has bound it", self.rank(1, 2, "--ranks", "-v", before=bound)[1])

    def test_more_ranks_than_cpus(self):
        found = self.rank(0, 3, "--ranks")
        self.assert_mask(found, self.cpus, "which all ranks share: amp-info finds fewer CPUs")
        self.assert_mask(self.rank(2, 3, "--ranks"), self.cpus)

    def test_one_rank_has_all(self):
        self.assert_mask(self.rank(0, 1, "--ranks"), self.cpus)

    def test_no_launcher(self):
        found = self.rank(None, None, "--ranks")
        self.assert_mask(found, self.cpus, "no MPI launcher has started this process")

    def test_wrong_variables_do_not_stop_the_program(self):
        found = self.rank("two", 2, "--ranks")
        self.assert_mask(found, self.cpus, f"{OPEN_MPI[0]}='two': expected a number of 0 or more")

    def test_by_itself_where_threads_are_bound(self):
        fast = [self.cpus[1]]
        self.assert_mask(self.rank(0, 2, "--fold"), fast)
        self.assert_mask(self.rank(0, 2, "--affinity=BS"), fast)
        self.assert_mask(self.rank(0, 2, GOMP_AMP_AFFINITY="sb"), fast)
        self.assert_mask(self.rank(0, 2, "--affinity=false"), self.cpus)
        self.assert_mask(self.rank(0, 2, "--fold=0"), self.cpus)
        self.assert_mask(self.rank(0, 2), self.cpus)
        # Nothing is reported that the user did not ask for.
        bound = (shutil.which("taskset"), "-c", str(self.cpus[0]))
        self.assert_mask(self.rank(0, 2, "--fold", before=bound), self.cpus[:1])

    def test_classes_are_those_of_the_machine(self):
        info = (self.bin / "amp-info", "--json")
        ranks = [json.loads(self.rank(rank, 2, "--ranks", command=info)[0]) for rank in (0, 1)]
        self.assertEqual(ranks[0]["machine"], ranks[1]["machine"])
        slow, fast = map(str, self.cpus)
        for report, cpus in zip(ranks, ((fast, ""), ("", slow)), strict=True):
            self.assertEqual([cls["class"] for cls in report["classes"]], [1, 0])
            self.assertEqual([cls["capacity"] for cls in report["classes"]], [1024, 512])
            self.assertEqual(tuple(cls["cpus"] for cls in report["classes"]), cpus)


class AmpInfoRanks(ToolCase):
    def test_refused(self):
        self.assert_refused(
            self.run_tool("amp-info", "--ranks=8192"), "--ranks=8192: expected at most"
        )
        self.assert_refused(self.run_tool("amp-info", "--rankfile=mpich"), "--ranks")
        self.assert_refused(self.run_tool("amp-info", "--ranks=1", "--rankfile=slurm"), "slurm")

    def test_shown(self):
        done = self.run_tool("amp-info", "--ranks=1", env={"GOMP_AMP_TOPOLOGY": "off"})
        cpus = json.loads(self.run_tool("amp-info", "--json", "--ranks=1").stdout)["ranks"]
        self.assertEqual(len(cpus), 1)
        self.assertRegex(done.stdout, rf"Ranks of MPI: 1\n.*\n +0 +{cpus[0]['cpus']} +unknown\n")
        self.assertNotIn("ranks", json.loads(self.run_tool("amp-info", "--json").stdout))


if __name__ == "__main__":
    sys.exit(tool_case.main())
