# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what amp-trace makes of traces.

amp_trace_test.py <scenes> <amp-trace>
"""

import gzip
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "life"))
import driver  # noqa: E402
from picture import Picture  # noqa: E402

TOOL, PROGRAM = (pathlib.Path(sys.argv.pop()) for _ in range(2))
SITES = [
    {"kind": kind, "site": f"app+{at:#x}", "module": None, "address": at}
    for kind, at in (("region", 0x100), ("region", 0x200), ("loop", 0x110), ("task", 0x300))
]


def event(category, name, start, length, **args):
    """A slice on row 1 in microseconds."""
    times = {"ph": "X", "ts": start, "dur": length, "pid": 7, "tid": 1}
    return {**times, "name": name, "cat": category, "args": args}


def run(number, start, length, site=0):
    """An execution of two ids, the second of which is on another row."""
    second = event("id", "id 1", start + 1, length - 2, execution=number, id=1)
    return [
        event("region", f"region {SITES[site]['site']}", start, length, execution=number, ids=2)
        | {"args": {"execution": number, "ids": 2, "site": site, "ran": "folded"}},
        event("id", "id 0", start + 1, length - 2, execution=number, id=0),
        {**second, "tid": 2},
    ]


def trace(*events, **about):
    rows = [
        {"ph": "M", "name": "thread_name", "pid": 7, "tid": row, "args": {"name": f"thread {row}"}}
        for row in (1, 2, 3)
    ]
    process = {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "app"}}
    return {
        "otherData": {
            "format": "libgomp-amp trace",
            "version": 1,
            "pid": 7,
            "program": "/bin/app",
            "began_ns": 1_000_000_000,
            "lost": 0,
            "threads_without": 0,
            "complete_from_us": 0,
            "region_address": "function",
            "sites": SITES,
            **about,
        },
        "traceEvents": [process, *rows, *events],
    }


class Tool(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.out = self.directory / "out.json"

    def write(self, name, content):
        path = self.directory / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def tool(self, *arguments, status=0):
        done = driver.run([sys.executable, "-B", TOOL, *arguments])
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def cut(self, *arguments):
        self.tool(*arguments, "-o", self.out)
        return Picture(self.out)

    def test_summary(self):
        loop = event("loop", "loop app+0x110", 12, 5, site=2, iterations=40, trip_count=100)
        rest = event("loop", "loop app+0x110", 18, 1, site=2, continued=True)
        dynamic = event("loop", "loop app+0x110", 19.5, 0.5, site=2, trip_count=100)
        wait = event("wait", "barrier", 20, 1500000)
        factors = {**event("SF", "SF", 11, 0, SF=[1, 2]), "ph": "i"}
        text = self.tool(
            self.write(
                "a", trace(*run(0, 10, 20), *run(1, 40, 5), loop, rest, dynamic, wait, factors)
            )
        ).splitlines()
        self.assertEqual(
            text,
            [
                "app: 1.500010 s from 0.000010 s on, 11 events on 2 rows of 1 process",
                "region app+0x100: 2 executions, 0.000025 s (longest 0.000020 s); 2 folded",
                "4 ids",
                "2 slices of loops, 1 of them with 40 counted iterations; 0 tasks",
                "waits of all rows: 1.500000 s for barrier",
            ],
        )

    def test_loss_is_said(self):
        path = self.write(
            "a", trace(*run(0, 1, 9), lost=5, complete_from_us=2e6, threads_without=1)
        )
        done = driver.run([sys.executable, "-B", TOOL, path, "-o", self.out])
        for text in (self.tool(path), done.stderr):
            self.assertIn("the oldest 5 events are lost: complete from 2.000000 s on", text)
            self.assertIn("1 thread found no room", text)

    def test_times(self):
        path = self.write("a", trace(*run(0, 0, 100), *run(1, 200, 100)))
        picture = json.loads(
            self.cut(path, "--from", "0.00005", "--to", "0.00021").path.read_text()
        )
        slices = [each for each in picture["traceEvents"] if each["ph"] == "X"]
        self.assertEqual(
            [(each["name"], each["ts"], each["dur"]) for each in slices[:2]],
            [("region app+0x100", 50, 50), ("id 0", 50, 49)],
        )
        self.assertTrue(all(each["args"]["cut"] for each in slices))
        self.assertEqual(max(each["ts"] + each["dur"] for each in slices), 210)
        # The row without events has gone.
        names = [e["args"]["name"] for e in picture["traceEvents"] if e["name"] == "thread_name"]
        self.assertEqual(names, ["thread 1", "thread 2"])

    def test_regions_and_last_runs(self):
        path = self.write(
            "a", trace(*run(0, 0, 10), *run(1, 20, 10, site=1), *run(2, 40, 10), *run(3, 60, 10))
        )
        self.assertEqual(set(self.cut(path, "--region", "0x100").regions), {0, 2, 3})
        self.assertEqual(set(self.cut(path, "--region", "0x100", "--last", "2").regions), {2, 3})
        self.assertEqual(set(self.cut(path, "--last", "1").regions), {3})
        said = self.tool(path, "--region", "none", status=1)
        self.assertIn("--region 'none': nothing matches; regions are region app+0x100, ", said)
        self.assertIn("--from and --to: nothing", self.tool(path, "--from", "100", status=1))

    def test_processes_are_merged(self):
        first = self.write("a", trace(*run(0, 0, 10)))
        second = self.write("b", trace(*run(0, 0, 10), began_ns=1_000_005_000))
        self.tool(first, second, "-o", self.out)
        events = json.loads(self.out.read_text())["traceEvents"]
        regions = [each for each in events if each.get("cat") == "region"]
        self.assertEqual([each["ts"] for each in regions], [0, 5])
        self.assertEqual(len({each["pid"] for each in regions}), 2)
        names = [each["args"]["name"] for each in events if each["name"] == "process_name"]
        self.assertEqual(names, ["app 7", "app 7"])
        self.assertIn("of 2 processes", self.tool(first, second))

    def test_compressed(self):
        path = self.write("a", trace(*run(0, 0, 10)))
        packed = self.directory / "out.json.gz"
        self.tool(path, "-o", packed)
        with gzip.open(packed) as file:
            self.assertEqual(json.load(file)["otherData"]["pid"], 7)
        self.assertIn("1 execution", self.tool(packed))

    def test_names_of_a_program(self):
        path = self.directory / "trace"
        values = {"GOMP_AMP_TRACE": path, "OMP_NUM_THREADS": 2}
        done = driver.run([PROGRAM, "barriers", "loop", "tasks", "loop"], values)
        self.assertEqual(done.returncode, 0, done.stderr)
        if shutil.which("addr2line") is None:
            self.skipTest("there is no addr2line")
        picture = self.cut(path)
        names = {each["name"] for each in picture.slices}
        for pattern in (
            r"region .*barriers\(\), scenes\.cc:\d+",
            r"region .*loop\(\), scenes\.cc:\d+",
            r"loop scenes\.cc:\d+",
            r"task .*tasks\(\), scenes\.cc:\d+",
        ):
            self.assertTrue(any(re.fullmatch(pattern, name) for name in names), names)
        self.assertEqual(len(self.cut(path, "--region", "loop()").regions), 2)

    def test_no_trace(self):
        wrong = trace()
        wrong["otherData"]["version"] = 2
        siteless = trace()
        del siteless["otherData"]["sites"]
        raw = {"format": "libgomp-amp events", "version": 3, "order": "little"}
        raw["rings"] = [{"events": 1, "lost": 0, "since": 0, "waits_for": 0}]
        for content, words in (
            (raw, "expected a trace, as GOMP_AMP_TRACE=FILE writes it"),
            ({**raw, "version": 2}, "version 2: expected 3"),
            ("{", "expected a trace, as GOMP_AMP_TRACE=FILE writes it"),
            ('{"traceEvents":[]}', "expected a trace, as GOMP_AMP_TRACE=FILE writes it"),
            (siteless, "expected a trace, as GOMP_AMP_TRACE=FILE writes it"),
            (wrong, "version 2: expected 1"),
        ):
            self.assertIn(words, self.tool(self.write("a", content), status=1))
        said = self.tool(self.directory / "none", status=1)
        self.assertIn("none: No such file or directory; expected a file", said)
        path = self.write("a", trace(*run(0, 0, 10)))
        self.assertIn("not written", self.tool(path, "-o", self.directory, status=1))
        for arguments in (("--from", "-1"), ("--to", "x"), ("--last", "0")):
            self.tool(path, *arguments, status=2)


if __name__ == "__main__":
    unittest.main()
