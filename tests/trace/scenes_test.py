# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what a trace shows of regions that run in all ways.

scenes_test.py <scenes>
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "life"))
import driver  # noqa: E402
from picture import Picture  # noqa: E402

from amp_watch import reports  # noqa: E402

THREADS = {"GOMP_AMP_TOPOLOGY": "off", "OMP_NUM_THREADS": 4}
CLASSES = {"GOMP_AMP_THREAD_CLASSES": "0,1", "OMP_NUM_THREADS": 4}
FOLDED = {**THREADS, "GOMP_AMP_FOLD": 3}
WAYS = (THREADS, CLASSES, FOLDED)
SCENES = ("plain", "barriers", "loop", "sampled", "spins", "nested", "tasks", "plain")


class Scenes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.file = self.directory / "trace.json"

    def trace(self, way, *scenes, **values):
        done = driver.run([PROGRAM, *scenes], {**way, "GOMP_AMP_TRACE": self.file, **values})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return Picture(self.file)

    def test_all_scenes_in_all_ways(self):
        for way in WAYS:
            with self.subTest(way=way):
                picture = self.trace(way, *SCENES, *SCENES, OMP_SCHEDULE="aid_hybrid")
                # The inner regions of two threads are two more.
                self.assertEqual(len(picture.regions), 2 * (len(SCENES) + 2))
                self.assertEqual(sum(picture.iterations().values()), 2 * 20000)
                self.assertEqual(
                    sum(not task["args"].get("continued") for task in picture.kind("task")), 100
                )
                self.assertFalse(any(event["args"].get("unfinished") for event in picture.slices))

    def test_threads(self):
        picture = self.trace(THREADS, "barriers", "barriers")
        self.assertEqual(picture.ran(), {"threads": 2})
        self.assertEqual(sorted(picture.rows.values()), [f"thread {i}" for i in range(4)])
        self.assertTrue(all(not wait["args"]["idle"] for wait in picture.kind("wait")))
        # Each id is on the row of its thread, in one piece, whatever it waits for.
        for event in picture.kind("id"):
            self.assertEqual(picture.rows[event["pid"], event["tid"]][-1], str(event["args"]["id"]))
            self.assertNotIn("slices", event["args"])

    def test_classes(self):
        # A thread that has no core for as long as the loop takes leaves it without factors.
        for _ in range(20):
            picture = self.trace(CLASSES, "plain", "factors", OMP_SCHEDULE="aid_static")
            factors = [event for event in picture.instants if event["name"] == "SF"]
            if factors:
                break
        for event in picture.kind("id"):
            number = event["args"]["id"]
            self.assertEqual(event["args"]["class"], number % 2)
            self.assertEqual(event["name"], f"id {number} ({'fast' if number % 2 else 'slow'})")
            self.assertEqual(event["cname"], "rail_response" if number % 2 else "rail_idle")
        self.assertEqual(
            set(picture.rows.values()),
            {"thread 0, slow", "thread 1, fast", "thread 2, slow", "thread 3, fast"},
        )
        self.assertEqual([event["args"]["SF"][0] for event in factors], [1])
        loops = picture.kind("loop")
        self.assertEqual({loop["args"]["ran"] for loop in loops}, {"aid_static"})
        self.assertEqual({loop["args"]["trip_count"] for loop in loops}, {20000})
        self.assertEqual(factors[0]["args"]["site"], loops[0]["args"]["site"])

    def test_folded(self):
        picture = self.trace(FOLDED, "barriers", "barriers")
        self.assertEqual(picture.ran(), {"folded": 2})
        cores = {name.split(",")[0].split(" =")[0] for name in picture.rows.values()}
        self.assertEqual(cores, {f"core {i}" for i in range(4)})
        # Twelve ids, each of which is put down at the barriers.
        last = max(picture.regions)
        pieces = [len(slices) for slices in picture.runs()[last].values()]
        self.assertEqual(len(pieces), 12)
        self.assertGreater(max(pieces), 1)

    def test_tasks_in_waits_for_them(self):
        for way in WAYS:
            with self.subTest(way=way):
                picture = self.trace(way, "awaited")
                tasks = [task for task in picture.kind("task") if "continued" not in task["args"]]
                self.assertEqual(len(tasks), 60)
        # The other thread of the region never waits for tasks.
        picture = self.trace(THREADS, "alone")
        tasks = picture.kind("task")
        self.assertEqual(len(tasks), 20)
        (region,) = picture.regions.values()
        rows = {(task["pid"], task["tid"]) for task in tasks}
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows, {(region["pid"], region["tid"])})
        for task in tasks:
            self.assertIn("id", task["inside"])

    def test_nested(self):
        picture = self.trace(THREADS, "nested")
        sizes = sorted(region["args"]["ids"] for region in picture.regions.values())
        self.assertEqual(sizes, [2, 3, 3])
        inner = [region for region in picture.regions.values() if region["args"]["ids"] == 3]
        for region in inner:
            self.assertIn("id", region["inside"])
        # A thread of the second team may take over the row of any thread of the first one.
        inner = [name for name in picture.rows.values() if "inner" in name]
        self.assertIn(len(inner), (2, 3, 4))
        for name in inner:
            self.assertRegex(name, "^inner thread")

    def test_loss(self):
        for way in WAYS:
            with self.subTest(way=way):
                picture = self.trace(
                    way,
                    "many",
                    AMP_WATCH_TEST_EVENTS=100,
                    GOMP_AMP_REPORT=self.directory / "r",
                )
                # What is left is the end.
                self.assertGreater(picture.about["lost"], 100)
                self.assertIn(299, picture.regions)
                self.assertGreater(picture.regions[299]["start"], picture.about["complete_from_us"])

    def test_report_beside_it(self):
        report = self.directory / "report.json"
        for way in WAYS:
            with self.subTest(way=way):
                picture = self.trace(
                    way,
                    "loop",
                    "sampled",
                    "barriers",
                    GOMP_AMP_REPORT=report,
                    OMP_SCHEDULE="aid_dynamic",
                )
                said = reports.read(report)
                # The first one is dynamic, so that its threads do not count.
                self.assertEqual(
                    sorted(loop["iterations"] for loop in said["loops"]), [1000, 20000]
                )
                self.assertEqual(
                    sorted(
                        sum(row["iterations"] for row in loop["classes"]) for loop in said["loops"]
                    ),
                    sorted(picture.iterations().values()),
                )
                ran = picture.ran()
                for how in ("threads", "folded"):
                    self.assertEqual(
                        sum(region["ran"][how] for region in said["regions"]), ran[how]
                    )

    def test_no_trace(self):
        done = driver.run([PROGRAM, "plain"], {"GOMP_AMP_TRACE": self.directory / "none" / "file"})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "GOMP_AMP_TRACE: cannot write .*; the trace is lost")
        self.assertEqual(list(self.directory.iterdir()), [])


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1))
    unittest.main()
