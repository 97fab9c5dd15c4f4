# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how variables describe the machine, bind threads and fold teams."""

import pathlib
import tempfile

from support import CPUS, OPTIONS, EnvironmentTest, Run


class Topology(EnvironmentTest):
    """GOMP_AMP_TOPOLOGY and the classes that come of it."""

    def shown(self, topology, cpus=None):
        run = Run(cpus, OMP_DISPLAY_ENV="verbose", GOMP_AMP_TOPOLOGY=topology)
        self.ran(run)
        return run

    def test_one_class_per_cpu(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        topology = f"{CPUS[0]}=512,{CPUS[1]}=1024"
        run = self.shown(topology, CPUS[:2])
        self.assertEqual(run.messages, [])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "2")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES_FROM"], "GOMP_AMP_TOPOLOGY")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_0"], f"CPUs {CPUS[0]}, capacity 512")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_1"], f"CPUs {CPUS[1]}, capacity 1024")

    def test_mask_that_leaves_one_class(self):
        run = self.shown(f"{CPUS[0]}=512,5000=1024", CPUS[:1])
        self.assertEqual(len(run.messages), 1)
        self.assertIn("this machine has no CPU 5000; ", run.messages[0])
        self.assertIn("; using the others", run.messages[0])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "1")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASS_0"], f"CPUs {CPUS[0]}, capacity 1024")

    def test_mask_does_not_renumber_classes(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        topology = f"{CPUS[0]}=512,{CPUS[1]}=1024"
        for cpu, own, other in ((CPUS[0], 0, 1), (CPUS[1], 1, 0)):
            run = self.shown(topology, [cpu])
            self.assertEqual(run.messages, [])
            self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "2")
            capacity = ("512", "1024")
            self.assertEqual(
                run.display[f"LIBGOMP_AMP_CLASS_{own}"], f"CPUs {cpu}, capacity {capacity[own]}"
            )
            self.assertEqual(
                run.display[f"LIBGOMP_AMP_CLASS_{other}"], f"CPUs none, capacity {capacity[other]}"
            )

    def test_cpu_named_twice(self):
        run = self.refused("GOMP_AMP_TOPOLOGY", f"0-5000=1,{CPUS[0]}=2", "a list such as")
        self.assertRegex(run.messages[0], r"CPU \d+ is named twice")

    def test_absent_cpus(self):
        run = self.refused("GOMP_AMP_TOPOLOGY", "5000-5003=1", "a list such as")
        self.assertIn("none of the process's CPUs is named", run.messages[0])

    def test_cpu_missing(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        run = self.refused("GOMP_AMP_TOPOLOGY", f"{CPUS[0]}=1", "a list such as")
        self.assertIn(f"CPU {CPUS[1]} is not named", run.messages[0])

    def test_directory(self):
        if CPUS[:2] != [0, 1]:
            self.skipTest("needs CPUs 0 and 1")
        run = self.shown(str(OPTIONS.topologies / "turbo-bins"), [0, 1])
        self.assertEqual(run.messages, [])
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES"], "1")
        self.assertEqual(run.display["LIBGOMP_AMP_CLASSES_FROM"], "cpuinfo_max_freq")


class Affinity(EnvironmentTest):
    """GOMP_AMP_AFFINITY."""

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        self.small, self.big = CPUS[:2]
        self.topology = f"{self.small}=512,{self.big}=1024"

    def threads(self, **values):
        run = Run(CPUS[:2], GOMP_AMP_TOPOLOGY=self.topology, OMP_NUM_THREADS="2", **values)
        self.ran(run)
        return run, run.threads

    def test_big_first(self):
        for value in ("BS", "true"):
            run, threads = self.threads(GOMP_AMP_AFFINITY=value)
            self.assertEqual(run.messages, [])
            self.assertEqual(threads, [[str(self.big)], [str(self.small)]])

    def test_small_first(self):
        run, threads = self.threads(GOMP_AMP_AFFINITY="SB")
        self.assertEqual(run.messages, [])
        self.assertEqual(threads, [[str(self.small)], [str(self.big)]])

    def test_unbound_otherwise(self):
        for values in ({}, {"GOMP_AMP_AFFINITY": "false"}):
            run, threads = self.threads(**values)
            self.assertEqual(run.messages, [])
            self.assertEqual(threads, [[str(self.small), str(self.big)]] * 2)

    def test_explicit_binding_wins_with_one_warning(self):
        for name, value in (
            ("OMP_PROC_BIND", "close"),
            ("OMP_PLACES", f"{{{self.small}}},{{{self.big}}}"),
            ("GOMP_CPU_AFFINITY", f"{self.small} {self.big}"),
        ):
            with self.subTest(name):
                run, threads = self.threads(GOMP_AMP_AFFINITY="BS", **{name: value})
                self.assertEqual(len(run.messages), 1)
                self.assertIn("GOMP_AMP_AFFINITY is ignored", run.messages[0])
                self.assertEqual(threads, [[str(self.small)], [str(self.big)]])

    def test_one_class_is_bound_too(self):
        run = Run(CPUS[:2], GOMP_AMP_TOPOLOGY="off", GOMP_AMP_AFFINITY="BS", OMP_NUM_THREADS="2")
        self.clean(run)
        self.assertEqual(run.threads, [[str(self.small)], [str(self.big)]])

    def sampled(self, **values):
        """What a run of aid_static saves of its samples; None if it takes none."""
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "factors"
            run, _ = self.threads(
                OMP_SCHEDULE="aid_static",
                GOMP_AID_SAMPLE_NS="0",
                GOMP_AID_SF_SAVE=str(file),
                **values,
            )
            self.assertEqual(run.messages, [])
            return file.read_text() if file.exists() else None

    def test_team_bound_to_both_classes_samples(self):
        for values in (
            {"GOMP_AMP_AFFINITY": "BS"},
            {"GOMP_AMP_AFFINITY": "SB"},
            {"OMP_PROC_BIND": "close", "OMP_PLACES": f"{{{self.small}}},{{{self.big}}}"},
            {"OMP_PROC_BIND": "spread", "OMP_PLACES": f"{{{self.small}}},{{{self.big}}}"},
        ):
            with self.subTest(values):
                self.assertRegex(self.sampled(**values) or "", r" 0:[\d.]+,1:[\d.]+ #")

    def test_team_bound_to_one_class_does_not(self):
        places = f"{{{self.small}}},{{{self.big}}}"
        self.assertIsNone(self.sampled(OMP_PROC_BIND="master", OMP_PLACES=places))
        self.assertIsNone(self.sampled(OMP_PROC_BIND="close", OMP_PLACES=f"{{{self.big}}}"))


class Folding(EnvironmentTest):
    """GOMP_AMP_FOLD: how many threads there are, on which workers, and the message about it."""

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        self.small, self.big = CPUS[:2]
        self.topology = f"{self.small}=512,{self.big}=1024"
        self.two_one = (
            "3 threads on 2 workers: "
            f"2 on CPU {self.big} (class 1), 1 on CPU {self.small} (class 0)"
        )

    def shown(self, threads, fold, cpus=CPUS[:2], messages=(), **values):
        """Under VALUES, teams of THREADS run, and the library says of folding what FOLD is; returns
        the run."""
        values = {"GOMP_AMP_TOPOLOGY": self.topology, **values}
        run = Run(cpus, OMP_DISPLAY_ENV="verbose", **values)
        self.ran(run)
        self.assertEqual(run.messages, list(messages))
        self.assertEqual(run.display["LIBGOMP_AMP_FOLD"], fold)
        self.assertEqual(len(run.threads), threads)
        return run

    def test_off(self):
        for values in ({}, {"GOMP_AMP_FOLD": "0"}):
            run = self.shown(2, "off", **values)
            # What auto would do is shown all the same.
            self.assertEqual(run.display["LIBGOMP_AMP_FOLD_AUTO"], self.two_one)

    def test_auto(self):
        self.shown(3, self.two_one, GOMP_AMP_FOLD="auto")
        self.shown(3, self.two_one, GOMP_AMP_FOLD="auto", GOMP_AMP_AFFINITY="BS")

    def test_number(self):
        run = self.shown(
            4,
            "4 threads on 2 workers: "
            f"3 on CPU {self.big} (class 1), 1 on CPU {self.small} (class 0)",
            GOMP_AMP_FOLD="2",
        )
        self.assertEqual(run.display["LIBGOMP_AMP_FOLD_AUTO"], self.two_one)

    def test_cpu_quota(self):
        for tree, quota, threads, shown in (
            ("quota-v1", "1.20 CPUs", 2, "none: the CPU quota is below 1.5 CPUs"),
            (
                "quota-parent",
                "1.50 CPUs",
                6,
                "6 threads on 2 workers: 3 on each of CPUs 0-1 (class 0)",
            ),
        ):
            with self.subTest(tree):
                if CPUS[:2] != [0, 1]:
                    self.skipTest("needs CPUs 0 and 1")
                run = self.shown(
                    threads,
                    shown,
                    GOMP_AMP_FOLD="3",
                    GOMP_AMP_TOPOLOGY=str(OPTIONS.topologies / tree),
                )
                self.assertEqual(run.display["LIBGOMP_AMP_CPU_QUOTA"], quota)

    def test_number_on_equal_cores(self):
        self.shown(
            4,
            f"4 threads on 2 workers: 2 on each of CPUs {self.small}-{self.big} (class 0)"
            if self.big == self.small + 1
            else f"4 threads on 2 workers: 2 on each of CPUs {self.small},{self.big} (class 0)",
            GOMP_AMP_FOLD="2",
            GOMP_AMP_TOPOLOGY="off",
        )

    def test_order_of_workers(self):
        self.shown(
            3,
            "3 threads on 2 workers: "
            f"1 on CPU {self.small} (class 0), 2 on CPU {self.big} (class 1)",
            GOMP_AMP_FOLD="auto",
            GOMP_AMP_AFFINITY="SB",
        )

    def test_nothing_to_fold(self):
        everywhere = [[str(self.small), str(self.big)]] * 2
        bound = [[str(self.small)], [str(self.big)]]
        for affinity, threads in ((None, everywhere), ("SB", bound)):
            with self.subTest(affinity=affinity):
                run = self.shown(
                    2,
                    "none: the cores are equally fast",
                    GOMP_AMP_FOLD="auto",
                    GOMP_AMP_TOPOLOGY="off",
                    GOMP_AMP_AFFINITY=affinity,
                )
                self.assertEqual(run.threads, threads)

    def test_one_worker(self):
        reason = "none: there is only one CPU or thread"
        three = f"3 threads on 1 worker: 3 on CPU {self.big} (class 1)"
        for fold, threads, shown in (("auto", 1, reason), ("1", 1, reason), ("3", 3, three)):
            with self.subTest(fold):
                self.shown(threads, shown, cpus=[self.big], GOMP_AMP_FOLD=fold)
                self.shown(threads, shown, GOMP_AMP_FOLD=fold, OMP_NUM_THREADS="1")

    def test_more_workers_than_possible(self):
        reason = "OMP_NUM_THREADS is over 4096"
        self.shown(
            2,
            f"none: {reason}",
            messages=[f"GOMP_AMP_FOLD has no effect: {reason}"],
            GOMP_AMP_FOLD="2",
            OMP_NUM_THREADS="4097",
            OMP_THREAD_LIMIT="2",
        )

    def test_threads_that_the_user_binds(self):
        reason = "threads are bound by OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY"
        for name, value in (
            ("OMP_PROC_BIND", "close"),
            ("OMP_PLACES", f"{{{self.small}}},{{{self.big}}}"),
            ("GOMP_CPU_AFFINITY", f"{self.small} {self.big}"),
        ):
            with self.subTest(name):
                run = self.shown(
                    2,
                    f"none: {reason}",
                    messages=[f"GOMP_AMP_FOLD has no effect: {reason}"],
                    GOMP_AMP_FOLD="auto",
                    **{name: value},
                )
                self.assertEqual(run.threads, [[str(self.small)], [str(self.big)]])


class HybridProcessor(EnvironmentTest):
    """How often threads spin on a hybrid processor of Intel's."""

    ELSEWHERE = 300000

    def spins(self, **values):
        values["GOMP_AMP_TOPOLOGY"] = f"{CPUS[0]}=512,{CPUS[1]}=1024"
        library = {"LD_LIBRARY_PATH": f"{OPTIONS.library}/hybrid"}
        run = Run(CPUS[:2], OMP_DISPLAY_ENV="verbose", **library, **values)
        self.clean(run)
        self.assertEqual(run.display["LIBGOMP_AMP_FOLD"] != "off", "GOMP_AMP_FOLD" in values)
        return int(run.display["GOMP_SPINCOUNT"])

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")

    def test_unfolded_as_upstream(self):
        self.assertEqual(self.spins(), 1)

    def test_folded_as_elsewhere(self):
        for fold in ("auto", "1", "2"):
            self.assertEqual(self.spins(GOMP_AMP_FOLD=fold), self.ELSEWHERE, fold)

    def test_what_the_user_sets(self):
        for fold in ({}, {"GOMP_AMP_FOLD": "auto"}):
            self.assertEqual(self.spins(GOMP_SPINCOUNT="77", **fold), 77)
            self.assertEqual(self.spins(OMP_WAIT_POLICY="passive", **fold), 0)
