# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests report and trace of a program on LLVM's library, by the same tool.

llvm_test.py <llvm.c> <libamp-watch.so>. AMP_TEST_LIBOMP names the directory of libomp.so if that is
not installed.
"""

import collections
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/common"), str(ROOT / "tools/amp-watch")]
import environment  # noqa: E402
from amp_watch import reports, traces  # noqa: E402

SOURCE, TOOL = sys.argv[1:3]
ROUNDS = 5


def skip(reason):
    print(reason)
    sys.exit(77)


def find_library():
    named = os.environ.get("AMP_TEST_LIBOMP")
    found = (
        [named]
        if named
        else sorted(map(os.path.dirname, glob.glob("/usr/lib/llvm-*/lib/libomp.so")))
    )
    if not found:
        skip("no libomp.so: install libomp-dev, or name its directory in AMP_TEST_LIBOMP")
    return found[-1]


class Llvm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = pathlib.Path(scratch.name)
        program = cls.directory / "program"
        subprocess.run(
            [CLANG, "-g", "-O1", "-fopenmp", f"-L{LIBRARY}", SOURCE, "-o", program], check=True
        )
        cls.report, cls.trace = cls.directory / "report", cls.directory / "trace"
        done = cls.run_watched(cls.report, cls.trace)
        assert (done.returncode, done.stderr) == (0, ""), done

    @classmethod
    def run_watched(cls, report, trace, *arguments):
        return subprocess.run(
            [cls.directory / "program", str(ROUNDS), *arguments],
            env=environment.clean(
                LD_LIBRARY_PATH=LIBRARY,
                OMP_TOOL_LIBRARIES=TOOL,
                GOMP_AMP_REPORT=str(report),
                GOMP_AMP_TRACE=str(trace),
            ),
            capture_output=True,
            text=True,
            timeout=900,
        )

    def test_report(self):
        report = reports.read(self.report)
        self.assertIn("LLVM", report["runtime"])
        self.assertEqual((report["region_address"], report["cpus"]), ("call", []))
        regions = sorted(report["regions"], key=lambda region: -region["ids"][1])
        self.assertEqual([region["ids"] for region in regions], [[4, 4], [3, 3]])
        for region in regions:
            self.assertEqual(region["invocations"], ROUNDS)
            self.assertEqual(region["ran"], {"threads": ROUNDS, "folded": 0, "kernel": 0})
            self.assertIsNone(region["why_not_key"])
            self.assertGreater(region["useful_ns"], 0)
            self.assertEqual(
                region["useful_ns"] + region["imbalance_ns"] + region["scheduling_ns"],
                region["capacity_ns"],
            )
        self.assertEqual(
            sorted((loop["invocations"], loop["iterations"]) for loop in report["loops"]),
            [(ROUNDS, ROUNDS * 400), (ROUNDS, ROUNDS * 500)],
        )
        # Nothing counts the iterations of each thread.
        self.assertEqual({loop["even_ns"] for loop in report["loops"]}, {None})

    def test_trace(self):
        trace = traces.read(self.trace)
        kinds = collections.Counter(
            event["cat"]
            for event in trace["traceEvents"]
            if event["ph"] == "X" and not event["args"].get("continued")
        )
        self.assertEqual(kinds["region"], 2 * ROUNDS)
        self.assertEqual(kinds["id"], 7 * ROUNDS)
        self.assertEqual(kinds["loop"], 2 * 4 * ROUNDS)
        self.assertEqual(kinds["task"], 20 * ROUNDS)
        self.assertFalse(
            any(event.get("args", {}).get("unfinished") for event in trace["traceEvents"])
        )

    def test_the_process_ends_in_a_region(self):
        report, trace = self.directory / "ended", self.directory / "ended-trace"
        done = self.run_watched(report, trace, "exit")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        invocations = [region["invocations"] for region in reports.read(report)["regions"]]
        self.assertEqual(invocations.count(ROUNDS), 2)
        self.assertTrue(
            any(
                event.get("args", {}).get("unfinished")
                for event in traces.read(trace)["traceEvents"]
            )
        )

    def test_another_tool_of_the_same_file(self):
        """Without the variables it is no tool."""
        done = subprocess.run(
            [self.directory / "program"],
            env=environment.clean(LD_LIBRARY_PATH=LIBRARY, OMP_TOOL_LIBRARIES=TOOL),
            capture_output=True,
            text=True,
            cwd=self.directory,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    LIBRARY = find_library()
    CLANG = shutil.which("clang", path=f"{LIBRARY}/../bin:{os.environ['PATH']}")
    if CLANG is None:
        skip("no clang: install it")
    unittest.main(argv=sys.argv[:1])
