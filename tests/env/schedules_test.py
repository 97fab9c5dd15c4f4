# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which schedules loops have by the variables."""

from support import DEFAULT, GARBAGE, Blocks, EnvironmentTest, Run


class Schedule(EnvironmentTest):
    """OMP_SCHEDULE."""

    GOOD = {
        "aid_static": ("40000001 0", "AID_STATIC"),
        "AID-Static,7": ("40000001 7", "AID_STATIC,7"),
        " aid_hybrid , 4 , 70 ": ("40000002 4", "AID_HYBRID,4,70"),
        "aid_hybrid,,70": ("40000002 0", "AID_HYBRID,,70"),
        "aid_hybrid,4": ("40000002 4", "AID_HYBRID,4"),
        "nonmonotonic:aid_dynamic,2,9": ("40000003 2", "AID_DYNAMIC,2,9"),
        "aid_dynamic,9": ("40000003 9", "AID_DYNAMIC,9"),
        "monotonic : aid_hybrid": ("c0000002 0", "MONOTONIC:AID_HYBRID"),
        "static": ("80000001 0", "STATIC"),
        "guided,3": ("3 3", "GUIDED,3"),
        "nonmonotonic:dynamic": ("2 1", "DYNAMIC"),
    }
    BAD = [
        "",
        "aid",
        "aid_",
        "aid_foo",
        "aid_staticx",
        "aid_static,",
        "aid_static,0",
        "aid_static,-1",
        "aid_static,1,2",
        "aid_static,99999999999999999999",
        "aid_hybrid,1,0",
        "aid_hybrid,1,101",
        "aid_hybrid,1,abc",
        "aid_hybrid,,",
        "aid_dynamic,,5",
        "aid_dynamic,9,5",
        "static_aid",
        "monotonic aid_static",
        GARBAGE,
    ]

    def test_good(self):
        for value, (schedule, shown) in self.GOOD.items():
            with self.subTest(value):
                run = Run(OMP_SCHEDULE=value, OMP_DISPLAY_ENV="true")
                self.clean(run)
                self.assertEqual(run.schedule(), "schedule " + schedule)
                self.assertEqual(run.display["OMP_SCHEDULE"], shown)

    def test_bad(self):
        for value in self.BAD:
            with self.subTest(value[:80]):
                run = self.refused("OMP_SCHEDULE", value, "aid_static[,chunk], aid_hybrid")
                self.assertEqual(run.schedule(), DEFAULT)
                self.assertEqual(run.display["OMP_SCHEDULE"], "DYNAMIC")

    def test_variables_of_devices(self):
        """Each has a value of its own; the host has OMP_SCHEDULE_ALL's if OMP_SCHEDULE is unset."""
        values = {
            "OMP_SCHEDULE": "aid_hybrid,,50",
            "OMP_SCHEDULE_ALL": "aid_hybrid,6,60",
            "OMP_SCHEDULE_DEV": "aid_dynamic,2,8",
            "OMP_SCHEDULE_DEV_3": "monotonic:aid_static",
        }
        run = Run(OMP_DISPLAY_ENV="true", **values)
        self.clean(run)
        self.assertEqual(run.schedule(), "schedule 40000002 0")
        for device, shown in {
            "host": "AID_HYBRID,,50",
            "all": "AID_HYBRID,6,60",
            "device": "AID_DYNAMIC,2,8",
            "3": "MONOTONIC:AID_STATIC",
        }.items():
            self.assertEqual(run.devices["OMP_SCHEDULE", device], shown)
        del values["OMP_SCHEDULE"]
        run = Run(**values)
        self.clean(run)
        self.assertEqual(run.schedule(), "schedule 40000002 6")
        for name in values:
            self.refused(name, "static_aid", "aid_static[,chunk], aid_hybrid")

    def test_every_schedule_runs_every_iteration_once(self):
        for value in ("aid_static", "aid_hybrid", "aid_dynamic", "aid_hybrid,3,10"):
            for classes in ("0", "0,1", "0,1,2"):
                with self.subTest(value=value, classes=classes):
                    self.clean(
                        Run(
                            OMP_SCHEDULE=value,
                            OMP_NUM_THREADS="4",
                            GOMP_AMP_THREAD_CLASSES=classes,
                        )
                    )


class RoutedSchedule(Blocks):
    """GOMP_AMP_SCHEDULE: the schedule of loops that the compiler routed."""

    GOOD = {
        "static": "STATIC",
        "STATIC,0": "STATIC",
        " static , 10 ": "STATIC,10",
        "nonmonotonic:static,4": "NONMONOTONIC:STATIC,4",
        "dynamic": "DYNAMIC",
        "dynamic,1": "DYNAMIC",
        "monotonic : dynamic,7": "MONOTONIC:DYNAMIC,7",
        "guided,20": "GUIDED,20",
        "auto": "AUTO",
        "auto,5": "AUTO",
        "aid-static,3": "AID_STATIC,3",
        "aid_hybrid,,50": "AID_HYBRID,,50",
        "aid_hybrid,,80": "AID_HYBRID,,80",
        "monotonic:aid_dynamic,2,9": "MONOTONIC:AID_DYNAMIC,2,9",
    }
    AID = {"OMP_NUM_THREADS": "2", "GOMP_AMP_THREAD_CLASSES": "0,1", "GOMP_AID_SF": "1:3"}
    ALIKE = {"OMP_NUM_THREADS": "2", "GOMP_AMP_THREAD_CLASSES": "0"}

    def test_display_shows_both_variables_and_what_routed_loops_run_as(self):
        for value, shown in self.GOOD.items():
            with self.subTest(value):
                run = Run(GOMP_AMP_SCHEDULE=value, OMP_DISPLAY_ENV="verbose")
                self.clean(run)
                self.assertEqual(run.schedule(), DEFAULT)
                self.assertEqual(run.display["OMP_SCHEDULE"], "DYNAMIC")
                self.assertEqual(run.display["GOMP_AMP_SCHEDULE"], shown)
                self.assertEqual(run.display["LIBGOMP_AMP_ROUTED_SCHEDULE"], shown)
        for values, shown in (
            ({}, "AID_HYBRID"),
            ({"OMP_SCHEDULE": "static"}, "STATIC"),
            ({"OMP_SCHEDULE": "nonmonotonic:static"}, "NONMONOTONIC:STATIC"),
            ({"OMP_SCHEDULE": "auto,4"}, "AUTO"),
            ({"OMP_SCHEDULE": "monotonic:guided,4"}, "MONOTONIC:GUIDED,4"),
            ({"OMP_SCHEDULE": "aid_hybrid,,50"}, "AID_HYBRID,,50"),
            ({"OMP_SCHEDULE": "guided", "GOMP_AMP_SCHEDULE": "aid_hybrid,4"}, "AID_HYBRID,4"),
        ):
            with self.subTest(values):
                run = Run(OMP_DISPLAY_ENV="verbose", **values)
                self.clean(run)
                self.assertEqual(
                    run.display["GOMP_AMP_SCHEDULE"], shown if "GOMP_AMP_SCHEDULE" in values else ""
                )
                self.assertEqual(run.display["LIBGOMP_AMP_ROUTED_SCHEDULE"], shown)

    def test_bad_ones_are_refused_in_its_name(self):
        for value in [
            *Schedule.BAD,
            "static,",
            "static,x",
            "dynamic,-1",
            "guided,1,2",
            "auto,,",
            "static,4294967296",
            "runtime",
            "staticx",
        ]:
            with self.subTest(value[:80]):
                run = self.refused(
                    "GOMP_AMP_SCHEDULE",
                    value,
                    "aid_static[,chunk], aid_hybrid",
                    OMP_SCHEDULE="guided",
                )
                self.assertEqual(run.display["GOMP_AMP_SCHEDULE"], "")
                self.assertEqual(run.display["LIBGOMP_AMP_ROUTED_SCHEDULE"], "GUIDED")

    def test_every_entry_of_a_routed_loop_runs_it(self):
        # What the library says of a team of two classes, and of one class; and the blocks' size.
        expected = {
            "static,10": ([1, 10, 0], [1, 10, 0], 10),
            "static": ([1, 0, 0], [1, 0, 0], 500),
            "auto": ([1, 0, 0], [1, 0, 0], 500),
            "dynamic,40": ([2, 40, 0], [2, 40, 0], 40),
            "aid_dynamic,3,9": ([0x40000003, 3, 9], [2, 3, 0], 3),
        }
        for value, (two, one, size) in expected.items():
            for entry in self.ENTRIES:
                for classes, schedule in ((self.AID, two), (self.ALIKE, one)):
                    with self.subTest(value=value, entry=entry, classes=classes):
                        (region,) = self.regions(entry, GOMP_AMP_SCHEDULE=value, **classes)
                        self.assertEqual(region["schedule"], schedule)
                        sizes = self.sizes(region)
                        self.assertEqual(sizes[0], size)
                        if schedule[0] in (1, 2):
                            self.assertEqual(set(sizes[:-1]), {size})
        for entry in self.ENTRIES:
            (region,) = self.regions(entry, GOMP_AMP_SCHEDULE="guided,20", **self.AID)
            self.assertEqual(region["schedule"], [3, 20, 0])
            self.assertEqual(self.sizes(region)[:3], [500, 250, 125])

    def test_it_beats_omp_schedule_and_keeps_its_own_second_argument(self):
        for percent, least, most in ((50, 150, 375), (80, 375, 600)):
            for entry in self.ENTRIES:
                with self.subTest(percent=percent, entry=entry):
                    (region,) = self.regions(
                        "meetings=2",
                        entry,
                        OMP_SCHEDULE="aid_hybrid,1,20",
                        GOMP_AMP_SCHEDULE=f"aid_hybrid,1,{percent}",
                        **self.AID,
                    )
                    self.assertEqual(region["schedule"], [0x40000002, 1, percent])
                    greatest = max(self.sizes(region))
                    self.assertLessEqual(greatest, most)
                    self.assertGreater(greatest, least)

    def test_omp_schedule_keeps_loops_of_the_programs_own(self):
        for values in ({}, {"OMP_SCHEDULE": "dynamic,30"}, {"OMP_SCHEDULE": "static,30"}):
            own, routed = self.regions(
                "runtime", "routed", GOMP_AMP_SCHEDULE="static,10", **values, **self.AID
            )
            self.assertEqual(set(self.sizes(own)[:-1]), {30 if values else 1})
            self.assertEqual(set(self.sizes(routed)), {10})
        regions = self.regions(
            "runtime",
            "set=1,20",
            "runtime",
            *self.ENTRIES,
            GOMP_AMP_SCHEDULE="static,10",
            **self.AID,
        )
        self.assertEqual([self.sizes(region)[0] for region in regions], [1, 20, 10, 10, 10, 10])
        # Without it OMP_SCHEDULE counts for both.
        for region in self.regions("runtime", *self.ENTRIES, OMP_SCHEDULE="static,10", **self.AID):
            self.assertEqual(set(self.sizes(region)), {10})
