# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which teams and loops the library takes for symmetric, and speedup factors."""

import os
import pathlib
import tempfile

from support import CPUS, OPTIONS, Blocks, EnvironmentTest, Run


class TeamsOfOneClass(Blocks):
    """Which teams are taken for teams of one class, whose routed loops are static."""

    SIZES = (2, 3, 4, 5, 8, 11)
    LISTS = {
        "big first": 4 * ["{1}"] + 4 * ["{0}"],
        "small first": 3 * ["{0}"] + 5 * ["{1}"],
        "in turns": 4 * ["{1}", "{0}"],
        "pairs": 2 * ["{0}", "{0}", "{1}", "{1}"],
        "three and five": ["{1}", "{0}", "{0}", "{1}", "{1}", "{0}", "{1}", "{1}"],
        "one class": 6 * ["{1}"],
    }

    def setUp(self):
        if CPUS[:2] != [0, 1]:
            self.skipTest("needs CPUs 0 and 1")
        self.topology = ",".join(f"{cpu}={512 if cpu == 0 else 1024}" for cpu in CPUS)

    def teams(self, *cases, **values):
        return self.regions(
            *cases,
            trips=200,
            GOMP_AMP_TOPOLOGY=self.topology,
            OMP_MAX_ACTIVE_LEVELS="3",
            # Teams are larger than the machine.
            OMP_WAIT_POLICY="passive",
            **values,
        )

    def static(self, region):
        """Whether REGION's loop ran as static; what the library tells of it is true."""
        static = len(region["blocks"]) == len(region["cpus"])
        # A combined loop ends in the region's barrier: all of them have the blocks of static.
        self.assertEqual(region["schedule"][0], 1 if static else 0x40000002, region)
        return static

    def hold(self, regions):
        """Each team's loop is static if, and only if, its threads are bound to one class."""
        self.assertTrue(regions)
        for region in regions:
            self.assertNotIn(-1, region["cpus"])
            with self.subTest(case=region["case"], cpus=region["cpus"]):
                one_class = len({cpu != 0 for cpu in region["cpus"]}) == 1
                self.assertEqual(self.static(region), one_class)

    def test_the_construct_moves_the_team(self):
        cases = [
            f"{entry}/{clause}/{threads}"
            for clause in ("false", "close", "spread", "primary")
            for threads in self.SIZES
            for entry in ("routed", "combined")
        ]
        for name, places in self.LISTS.items():
            for bind in ("close", "spread", "primary"):
                with self.subTest(list=name, bind=bind):
                    self.hold(self.teams(*cases, OMP_PLACES=",".join(places), OMP_PROC_BIND=bind))

    def test_inner_teams_and_their_partitions(self):
        cases = [
            f"routed/{outer}/{threads}+{entry}/{inner}/{count}"
            for outer in ("close", "spread", "primary")
            for threads in (2, 4)
            for inner in ("close", "spread", "primary")
            for entry, count in (("routed", 2), ("combined", 3))
        ]
        for name, places in self.LISTS.items():
            with self.subTest(list=name):
                self.hold(self.teams(*cases, OMP_PLACES=",".join(places), OMP_PROC_BIND="close"))

    def test_threads_that_true_leaves_where_they_are(self):
        """OMP_PLACES alone means proc_bind(true), which moves no thread."""
        for name, places in self.LISTS.items():
            for cases in (
                [f"routed/false/{n}" for n in (2, 4, 8, 3, 11, 8, 2)],
                ["routed/spread/2", "routed/false/2", "combined/false/2", "routed/close/2"],
                ["routed/spread/4", "routed/false/3", "routed/primary/4", "combined/close/4"],
                ["routed/close/11", "routed/false/4", "combined/close/4", "routed/false/2"],
            ):
                with self.subTest(list=name, cases=cases):
                    for region in self.teams(*cases, OMP_PLACES=",".join(places)):
                        # Time is lost where a team of two classes is taken for one of one.
                        if len({cpu != 0 for cpu in region["cpus"]}) > 1:
                            self.assertFalse(self.static(region), region)

    def test_order_of_cores(self):
        # One thread a place and a class.
        (big, both) = self.teams("routed/primary/2", "routed/close/2", GOMP_AMP_AFFINITY="BS")
        self.assertTrue(self.static(big))
        self.assertFalse(self.static(both))

    def test_unbound_teams_may_be_of_both(self):
        for region in self.teams(
            "routed//2", "combined//2", "mask=1", "routed//2", "mask=0,1", "combined//2"
        ):
            self.assertFalse(self.static(region))

    def test_masks_that_the_program_changes(self):
        places = "{1},{1},{1},{0}"
        before, after = self.teams(
            "routed//3", "mask=0", "routed//3", OMP_PLACES=places, OMP_PROC_BIND="close"
        )
        self.assertTrue(self.static(before))
        self.assertEqual(after["cpus"], [0, 1, 1])
        self.assertFalse(self.static(after))


class LabTeams(TeamsOfOneClass):
    """The same on a virtual machine, whose CPUs are as many as its places: 0-3 big, 4-7 small."""

    # More meet for longer.
    SIZES = (3, 5, 8)
    LISTS = {
        "big first": [f"{{{cpu}}}" for cpu in range(8)],
        "small first": [f"{{{cpu}}}" for cpu in (4, 5, 6, 0, 1, 2, 3, 7)],
        "in turns": [f"{{{cpu}}}" for cpu in (0, 4, 1, 5, 2, 6, 3, 7)],
    }

    def setUp(self):
        pass

    def teams(self, *cases, **values):
        regions = self.regions(
            *cases,
            trips=200,
            GOMP_AMP_VIRTUAL="4x3.0+4x1.0",
            # The program's threads wait for each other by spinning.
            GOMP_AMP_VIRTUAL_PATIENCE_MS="1",
            LD_LIBRARY_PATH=f"{OPTIONS.library}/virtual",
            OMP_MAX_ACTIVE_LEVELS="3",
            **values,
        )
        places = values.get("OMP_PLACES", "").split(",")
        for region in regions:
            if places[0]:
                # 0 is a small one above.
                cpus = [int(places[place].strip("{}")) for place in region["places"]]
                region["cpus"] = [int(cpu < 4) for cpu in cpus]
        return regions

    def test_threads_that_true_leaves_where_they_are(self):
        self.skipTest("the lab's threads are where libgomp notes that they are")

    def test_unbound_teams_may_be_of_both(self):
        for region in self.teams("routed//2", "combined//8"):
            self.assertFalse(self.static(region))

    def test_masks_that_the_program_changes(self):
        self.skipTest("virtual CPUs have no masks")

    def test_first_routed_loop_of_the_process(self):
        run = {
            "GOMP_AMP_VIRTUAL": "4x3.0+4x1.0",
            "GOMP_AMP_VIRTUAL_PATIENCE_MS": "1",
            "LD_LIBRARY_PATH": f"{OPTIONS.library}/virtual",
            "OMP_PROC_BIND": "close",
            "OMP_PLACES": ",".join(self.LISTS["big first"]),
        }
        for entry in ("routed", "combined"):
            for rest, static in (("close/4", True), ("close/5", False), ("spread/2", False)):
                (region,) = self.regions(f"{entry}/{rest}", trips=200, **run)
                self.assertEqual(len(region["blocks"]) == len(region["places"]), static, region)

    def test_order_of_cores(self):
        cases = [
            f"{entry}/close/{threads}" for threads in (4, 5) for entry in ("routed", "combined")
        ]
        static = [self.static(region) for region in self.teams(*cases, GOMP_AMP_AFFINITY="BS")]
        self.assertEqual(static, [True, True, False, False])


class SpeedupFactors(EnvironmentTest):
    """GOMP_AID_SF_FILE and GOMP_AID_SF_SAVE."""

    AID = {
        "OMP_SCHEDULE": "aid_static",
        "OMP_NUM_THREADS": "2",
        "GOMP_AMP_THREAD_CLASSES": "0,1",
        "GOMP_AID_SAMPLE_NS": "0",
    }

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name) / "factors"

    def test_saved_and_read_back(self):
        self.clean(Run(GOMP_AID_SF_SAVE=str(self.file), **self.AID))
        lines = self.file.read_text().splitlines()
        self.assertEqual(lines[0], "# libgomp-amp speedup factors, format 2")
        self.assertRegex(lines[1], r"^# machine [0-9a-f]{16}$")
        self.assertEqual(len(lines), 3)
        number = r"\d+\.\d{6}"
        self.assertRegex(lines[2], rf"^\S+\+0x[0-9a-f]+ 0:{number},1:{number} # 1$")
        self.assertTrue(lines[2].startswith(pathlib.Path(OPTIONS.probe).name + "+0x"))

        # With all its loops given, a run samples none and so saves none.
        again = self.file.with_name("again")
        self.clean(Run(GOMP_AID_SF_FILE=str(self.file), GOMP_AID_SF_SAVE=str(again), **self.AID))
        self.assertFalse(again.exists())
        self.assertEqual(os.listdir(self.file.parent), ["factors"])

    def test_bad_line_and_missing_file_are_reported(self):
        self.file.write_text("# libgomp-amp speedup factors, format 2\n# machine any\nx 1:2\ny\n")
        run = Run(GOMP_AID_SF_FILE=str(self.file), **self.AID)
        self.ran(run)
        self.assertEqual(len(run.messages), 1)
        self.assertTrue(run.messages[0].startswith(f"{self.file}:4: Invalid line 'y'"))
        self.file.unlink()
        run = Run(GOMP_AID_SF_FILE=str(self.file), **self.AID)
        self.ran(run)
        self.assertEqual(len(run.messages), 1)
        self.assertIn(f"Cannot use the speedup factors in {self.file}", run.messages[0])

    def test_file_of_another_machine_is_refused_once(self):
        if len(CPUS) < 2:
            self.skipTest("needs two CPUs")
        aid = {**self.AID, "OMP_PROC_BIND": "true"}
        del aid["GOMP_AMP_THREAD_CLASSES"]
        this, other = (f"{CPUS[0]}={capacity},{CPUS[1]}=1024" for capacity in (512, 256))
        save = {"GOMP_AID_SF_SAVE": str(self.file), **aid}
        self.clean(Run(CPUS[:2], GOMP_AMP_TOPOLOGY=this, **save))
        again = self.file.with_name("again")
        read = {"GOMP_AID_SF_FILE": str(self.file), "GOMP_AID_SF_SAVE": str(again), **aid}
        self.clean(Run(CPUS[:2], GOMP_AMP_TOPOLOGY=this, **read))
        self.assertFalse(again.exists())
        run = Run(CPUS[:2], GOMP_AMP_TOPOLOGY=other, **read)
        self.ran(run)
        self.assertEqual(len(run.messages), 1)
        self.assertIn(
            f"Cannot use the speedup factors in {self.file}: they are of machine", run.messages[0]
        )
        # The loop was sampled instead, here.
        machines = [file.read_text().splitlines()[1] for file in (self.file, again)]
        self.assertNotEqual(*machines)

    def test_application_wide_factors_leave_nothing_to_sample(self):
        self.clean(Run(GOMP_AID_SF="1:3", GOMP_AID_SF_SAVE=str(self.file), **self.AID))
        self.assertFalse(self.file.exists())
