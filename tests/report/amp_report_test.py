# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what amp-report shows.

amp_report_test.py <shapes> <amp-report>
"""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "life"))
import driver  # noqa: E402

TOOL, PROGRAM = (pathlib.Path(sys.argv.pop()) for _ in range(2))


def region(**values):
    """A region of two places of different classes, of which the fast one waits."""
    run = {"ns": 40_000_000, "ids": []}
    for number, useful in enumerate((40_000_000, 20_000_000)):
        run["ids"].append(
            {"place": number, "class": number, "began": 0, "ended": useful, "useful": useful}
        )
    classes = [
        {"class": number, "ids": 10, "ns": 10 * useful, "ns_per_id": useful, "variance": 0}
        for number, useful in enumerate((40e6, 20e6))
    ]
    return {
        "site": "app+0x100",
        "module": None,
        "address": 256,
        "invocations": 10,
        "elapsed_ns": 400_000_000,
        "capacity_ns": 800_000_000,
        "useful_ns": 600_000_000,
        "imbalance_ns": 200_000_000,
        "scheduling_ns": 0,
        "elsewhere_ns": 0,
        "unfinished": 0,
        "nested": 0,
        "ids": [2, 2],
        "places": 2,
        "ran": {"threads": 10, "turns": 0, "called": 0},
        "why_not": None,
        "folded_ns": 0,
        "even_ns": 0,
        "classes": classes,
        "longest": run,
        **values,
    }


def report(*regions, **values):
    sums = {}
    for name in ("invocations", "elapsed_ns", "capacity_ns", "useful_ns", "imbalance_ns"):
        sums[name] = sum(each[name] for each in regions)
    return {
        "version": 1,
        "pid": 1,
        "program": "/bin/app",
        "wall_ns": 500_000_000,
        "classes_from": "cpu_capacity",
        "capacities": [512, 1024],
        "places": 2,
        "lost": 0,
        "sums": {**sums, "scheduling_ns": 0, "elsewhere_ns": 0},
        "regions": list(regions),
        "loops": [],
        **values,
    }


class Report(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)

    def write(self, name, content):
        path = self.directory / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def tool(self, *arguments, status=0, python=sys.executable):
        done = driver.run([python, "-B", TOOL, *arguments])
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_efficiencies(self):
        text = self.tool(self.write("a", report(region())))
        # 0.6 s useful, 0.1 s by the one thread outside, where another 0.1 s idles, and 0.2 s lost.
        self.assertIn(
            "parallel efficiency 0.70 = load balance 0.80 x scheduling 1.00 x serialization 0.88",
            text,
        )
        self.assertIn("0.100 s were outside of parallel regions", text)
        self.assertIn("lost 0.100 s of 0.400 s: app+0x100", text)
        self.assertIn("efficiency 0.75 = load balance 0.75 x scheduling 1.00", text)
        self.assertIn("class 1 is 2.00 +- 0.00 times as fast as class 0", text)
        self.assertIn("static and compiled in: try amp-run --fold", text)

    def test_the_worst_ten_come_first(self):
        regions = [
            region(site=f"app+{number:#x}", imbalance_ns=number, useful_ns=800_000_000 - number)
            for number in range(1, 15)
        ]
        text = self.tool(self.write("a", report(*regions)))
        self.assertEqual(
            re.findall(r"^lost .*: (app\S+)$", text, re.MULTILINE),
            [f"app+{number:#x}" for number in range(14, 4, -1)],
        )

    def test_advice(self):
        several = [{"class": 0, "ids": 20, "ns": 1, "ns_per_id": 1, "variance": 0}]
        busy = {"useful_ns": 790_000_000, "imbalance_ns": 10_000_000}
        for values, words in (
            (busy, "Nothing to gain"),
            ({"invocations": 100_000}, "put more work into a region"),
            ({"elsewhere_ns": 190_000_000}, "GOMP_TASK_SCHEDULE=fifo"),
            ({"scheduling_ns": 200_000_000, "imbalance_ns": 0}, "All cores wait alike"),
            ({"ran": {"threads": 0, "turns": 10, "called": 0}}, "more threads for each core"),
        ):
            text = self.tool(self.write("a", report(region(**values))))
            self.assertIn(words, text.splitlines()[-1])
        one = report(region(classes=several), capacities=[1024])
        text = self.tool(self.write("a", one))
        self.assertIn("set GOMP_AMP_TOPOLOGY", text)
        self.assertIn("OMP_SCHEDULE=dynamic", text)

    def test_processes_are_merged(self):
        first, second = report(region()), report(region(elapsed_ns=200_000_000))
        second["sums"]["elapsed_ns"] = 200_000_000
        paths = [self.write("a", first), self.write("b", second)]
        text = self.tool(*paths)
        self.assertIn("of 2 processes, of which 0.300 s in 20 runs of 1 regions", text)
        self.assertIn("20 runs, 20 not folded", text)

    def test_difference(self):
        later = report(region(elapsed_ns=300_000_000), region(site="app+0x200"))
        text = self.tool(
            "--diff", self.write("a", report(region())), self.write("b", later)
        ).splitlines()
        self.assertEqual(text[1].split(), ["0.500", "s", "0.500", "s", "1.000", "wall"])
        rows = {line.split()[-1]: line.split()[:-1] for line in text[2:4]}
        self.assertEqual(rows["app+0x100"], ["0.400", "s", "0.300", "s", "0.750"])
        self.assertEqual(rows["app+0x200"], ["0.000", "s", "0.400", "s", "new"])

    def test_page(self):
        pythons = (sys.executable, shutil.which("python3", path="/usr/bin:/bin"))
        for python in filter(None, pythons):
            found = subprocess.run([python, "-c", "import matplotlib"], capture_output=True)
            if found.returncode == 0:
                break
        else:
            self.skipTest("no Python here has matplotlib")
        odd = region(site="app+<0x100>")
        page = self.directory / "page.html"
        self.tool(self.write("a", report(odd)), "--html", page, python=python)
        text = page.read_text()
        self.assertEqual(text.count("<svg"), 3)
        self.assertIn("app+&lt;0x100&gt;", text)
        self.assertNotIn("<0x100>", text)
        self.assertEqual(re.findall(r"(?:src|href)=\"(?!#)[^\"]*", text), [])

    def test_names_of_a_program(self):
        path = self.directory / "report"
        done = driver.run(
            [PROGRAM, 1, 60],
            {"GOMP_AMP_REPORT": path, "OMP_NUM_THREADS": 2, "GOMP_AMP_THREAD_CLASSES": "0,1"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        if shutil.which("addr2line") is None:
            self.skipTest("there is no addr2line")
        text = self.tool(path)
        self.assertRegex(text, r"lost .*: .*\(anonymous namespace\)::\w+\(.*\), shapes\.cc:\d+")
        self.assertRegex(text, r"    loop shapes\.cc:\d+: \d+ times, of ")
        # All loops are in regions but those that are in none, and those of teams of one.
        rest = text.split("loops whose region is not known:")[-1]
        self.assertNotRegex(rest, r"runtime_up|guided\(")

    def test_no_report(self):
        wrong = copy.deepcopy(report(region()))
        wrong["version"] = 2
        for content, words in (
            ("{", "expected a report, as GOMP_AMP_REPORT=FILE writes it"),
            ("[]", "expected a report, as GOMP_AMP_REPORT=FILE writes it"),
            (wrong, "version 2: expected 1"),
        ):
            self.assertIn(words, self.tool(self.write("a", content), status=1))
        said = self.tool(self.directory / "none", status=1)
        self.assertIn("none: No such file or directory; expected a file", said)
        said = self.tool("--diff", self.write("a", report(region())), status=2)
        self.assertIn("--diff: 1 files: expected two; nothing is compared", said)


if __name__ == "__main__":
    unittest.main()
