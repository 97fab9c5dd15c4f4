# SPDX-License-Identifier: GPL-3.0-or-later
"""A tool that samples (sampler.cc): whenever it interrupts a thread, what it asks is answered.

sampler_test.py <constructs> <sampler>
"""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
import environment

CONSTRUCTS, SAMPLER = sys.argv[1:3]
WAYS = {
    "plain": {},
    "folded": {"GOMP_AMP_FOLD": "2", "GOMP_AMP_TOPOLOGY": "off"},
    "fifo": {"GOMP_TASK_SCHEDULE": "fifo", "GOMP_TASK_QUEUE_NS": "0"},
}


class Sampler(unittest.TestCase):
    def sample(self, kind, seconds="0.3", status=0):
        for way, variables in WAYS.items():
            with self.subTest(way=way):
                done = subprocess.run(
                    [CONSTRUCTS, kind, "4", seconds],
                    env=environment.clean(
                        LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH"),
                        OMP_TOOL_LIBRARIES=SAMPLER,
                        OMP_WAIT_POLICY="passive",
                        # What is freed is overwritten.
                        MALLOC_PERTURB_="165",
                        **variables,
                    ),
                    capture_output=True,
                    text=True,
                    timeout=900,
                )
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertRegex(done.stderr, r"\A(\d+ samples\n)+\Z")

    def test_regions(self):
        self.sample("regions")

    def test_nested_regions(self):
        self.sample("nested")

    def test_tasks(self):
        self.sample("tasks")

    def test_regions_in_tasks(self):
        self.sample("mixed")

    def test_threads_that_end(self):
        self.sample("others")

    def test_cancelled_tasks(self):
        self.sample("cancelled")

    def test_detached_tasks(self):
        self.sample("detached", seconds="0")

    def test_a_fork(self):
        self.sample("forks", seconds="0")

    def test_the_end_within_a_region(self):
        self.sample("ends", seconds="0")

    def test_threads_that_end_the_process_together(self):
        for _ in range(5):
            self.sample("together", seconds="0")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
