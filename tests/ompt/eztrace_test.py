# SPDX-License-Identifier: GPL-3.0-or-later
"""EZTrace's tool for OMPT records NPB's BT on this library and on LLVM's runtime: as many events of
each kind.

eztrace_test.py BT. AMP_TEST_EZTRACE names a directory that stands for /, if eztrace, otf2-tools and
LLVM's runtime are not installed.
"""

import collections
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
import environment

BT = sys.argv[1]
ROOT = os.environ.get("AMP_TEST_EZTRACE", "")
THREADS = 2


def skip(reason):
    print(reason)
    sys.exit(77)


def find(pattern, package):
    found = sorted(glob.glob(ROOT + pattern))
    if not found:
        skip(f"no {pattern}: install {package}")
    return found[-1]


class EZTrace(unittest.TestCase):
    def record(self, directory, **variables):
        """How often each event came, by its kind and region."""
        libraries = os.path.dirname(TOOL)
        result = subprocess.run(
            [BT, "S"],
            env=environment.clean(
                LD_LIBRARY_PATH=f"{directory}:{libraries}:{os.path.dirname(LLVM)}",
                LD_PRELOAD=f"{libraries}/libeztrace-lib.so:{TOOL}",
                EZTRACE_LIBRARY_PATH=libraries,
                EZTRACE_TRACE="ompt",
                EZTRACE_TRACE_DIR=self.traces,
                OMP_NUM_THREADS=str(THREADS),
                **variables,
            ),
            capture_output=True,
            text=True,
            timeout=900,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("verified=1", result.stdout)
        # It says this of events that a runtime does not have.
        self.assertNotIn("Could not register", result.stdout + result.stderr)
        (anchor,) = pathlib.Path(self.traces).rglob("eztrace_log.otf2")
        printed = subprocess.run(
            [PRINT, str(anchor)],
            env=environment.clean(LD_LIBRARY_PATH=libraries),
            capture_output=True,
            text=True,
            check=True,
        )
        events = re.findall(r'^([A-Z_]+) +\d+ +\d+  (?:Region: "(.*?)")?', printed.stdout, re.M)
        return collections.Counter(f"{kind} {region}".strip() for kind, region in events)

    def run_both(self, **variables):
        found = []
        with tempfile.TemporaryDirectory() as llvm:
            os.symlink(LLVM, f"{llvm}/libgomp.so.1")
            for directory in (llvm, os.environ["LD_LIBRARY_PATH"]):
                with tempfile.TemporaryDirectory() as self.traces:
                    given = variables if directory != llvm else {}
                    found.append(self.record(directory, **given))
        return found

    def compare(self, threads, **variables):
        theirs, ours = self.run_both(**variables)
        print("   LLVM   ours", variables)
        for event in sorted(theirs | ours):
            print(f"{theirs[event]:7}{ours[event]:7} {event}")
        for event in theirs | ours:
            if not event.startswith(("ENTER OpenMP", "THREAD_TEAM")):
                continue
            # Threads of LLVM's team have no others to take their place.
            expected = theirs[event]
            if threads != THREADS and event in PER_THREAD:
                initial = event.endswith("implicit task")
                expected = (expected - initial) // THREADS * threads + initial
            self.assertEqual(ours[event], expected, event)
        # What begins ends. LLVM's runtime leaves open what threads are in when the process ends.
        for event in ours:
            if event.startswith("ENTER OpenMP"):
                self.assertEqual(ours["LEAVE" + event[5:]], ours[event], event)

    def test_each_thread_for_itself(self):
        self.compare(THREADS)

    def test_folded(self):
        self.compare(2 * THREADS, GOMP_AMP_FOLD="2", GOMP_AMP_TOPOLOGY="off")


PER_THREAD = (
    "ENTER OpenMP implicit task",
    "ENTER OpenMP implicit barrier",
    "ENTER OpenMP barrier",
)

if __name__ == "__main__":
    TOOL = find("/usr/lib/*/libeztrace-ompt.so", "eztrace")
    PRINT = find("/usr/bin/otf2-print", "otf2-tools")
    LLVM = find("/usr/lib/llvm-*/lib/libomp.so.5", "libomp5-19 or another LLVM's")
    if not os.path.exists(BT):
        skip(f"{BT} is not built")
    unittest.main(argv=sys.argv[:1])
