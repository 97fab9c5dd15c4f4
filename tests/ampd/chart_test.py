#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ampsim-chart --live writes and draws of programs under ampd.

chart_test.py <ampd> <ampctl> <load> <ampsim-chart>
"""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import daemon

FAST, SLOW = daemon.CPUS[0], daemon.CPUS[1]


def find_python():
    """A Python that this user may run and that has matplotlib, or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            subprocess.run([python, "-c", "import matplotlib"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    return None


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def program(pid, name, cpus, cpu_s, factors=()):
    return {"pid": pid, "name": name, "cpus": cpus, "cpu_s": cpu_s, "factors": list(factors)}


class Chart(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.out = self.directory / "out"

    def start(self, variables, tools):
        path = f"{tools}:{variables['PATH']}"
        return subprocess.Popen(
            [PYTHON, "-B", CHART, "--live", self.out],
            env={**variables, "PATH": path},
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, chart, status=0):
        said = chart.communicate(timeout=900)[1]
        self.assertEqual(chart.returncode, status, said)

    def test_answers(self):
        """CPU 0 is twice as fast as the others, and 1.5 times for b, which moves there. a ends."""
        first = [program(7, "a", "0", [0, 0]), program(8, "b", "1-2", [3, 0], [1, 1.5])]
        second = [program(7, "a", "0", [0, 1]), program(8, "b", "1-2", [4, 0], [1, 1.5])]
        third = [program(8, "b", "0", [5, 0.5], [1, 1.5])]
        # The second one comes again before ampd has looked again.
        answers = [(9, []), (10, first), (11, second), (11, second), (13, third), (14, [])]
        classes = [{"cpus": "1-2", "speed": 1}, {"cpus": "0", "speed": 2}]
        for number, (at, programs) in enumerate(answers):
            answer = {"looked_s": at, "classes": classes, "programs": programs}
            (self.directory / f"{number}").write_text(json.dumps(answer))
        fake = self.directory / "ampctl"
        fake.write_text(
            f"#!/bin/sh\ncd {self.directory}\nfor i in 0 1 2 3 4 5; do test -e $i && break; done\n"
            f"cat $i && rm $i\n"
        )
        fake.chmod(0o755)
        self.finish(self.start({"PATH": os.environ["PATH"]}, self.directory))
        found = [
            (each["program"], each["core"], each["class"], *map(float, list(each.values())[-3:]))
            for each in rows(self.out / "cores.csv")
        ]
        self.assertEqual(
            found,
            [
                ("a 7", "0", "1", 1, 1, 2),
                ("b 8", "1", "0", 0.5, 1, 2),
                ("b 8", "2", "0", 0.5, 1, 2),
                ("b 8", "1", "0", 0.25, 2, 4),
                ("b 8", "2", "0", 0.25, 2, 4),
                ("b 8", "0", "1", 0.25, 2, 4),
            ],
        )
        speeds = [
            (each["program"], float(each["at_s"]), float(each["rate"]))
            for each in rows(self.out / "speed.csv")
        ]
        self.assertEqual(
            speeds,
            [
                ("a 7", 1, 2),
                ("b 8", 1, 1),
                ("a 7", 2, 0),
                ("a 7", 4, 0),
                ("b 8", 2, 0.875),
                ("b 8", 4, 0),
                ("b 8", 5, 0),
            ],
        )
        for name in ("cores.svg", "speed.svg"):
            self.assertIn("<svg", (self.out / name).read_text())

    def test_programs(self):
        classes = ",".join("1" if cpu == FAST else "0" for cpu in range(max(daemon.CPUS) + 1))
        with daemon.Daemon(AMPD, AMPCTL, "hass-s") as ampd:
            programs = [ampd.run(LOAD, classes) for _ in range(2)]
            daemon.wait_for("cores", lambda: list(ampd.reasons().values()) == ["policy"] * 2)
            for program in programs:
                program.send_signal(signal.SIGUSR1)
            chart = self.start(ampd.environment, AMPCTL.parent)
            daemon.wait_for("its start", self.out.exists)
            before = ampd.status()["looked_s"]
            daemon.wait_for("two seconds", lambda: ampd.status()["looked_s"] > before + 2)
            chart.terminate()
            self.finish(chart)
            counted = [daemon.end(each)["cpu_s"] for each in programs]
        found = rows(self.out / "cores.csv")
        self.assertEqual(
            {(each["core"], each["class"]) for each in found}, {(str(FAST), "1"), (str(SLOW), "0")}
        )
        drawn = sum(
            float(each["share"]) * (float(each["to_s"]) - float(each["from_s"])) for each in found
        )
        self.assertGreater(drawn, 0)
        self.assertLess(drawn, sum(map(sum, counted)) + 0.7)
        self.assertEqual({int(each["arrival"]) for each in found}, {each.pid for each in programs})

    def test_no_daemon(self):
        chart = self.start(
            {"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(self.directory)}, AMPCTL.parent
        )
        self.finish(chart, status=1)


if __name__ == "__main__":
    CHART, LOAD, AMPCTL, AMPD = (pathlib.Path(sys.argv.pop()).resolve() for _ in range(4))
    daemon.become_nobody()
    PYTHON = find_python()
    if PYTHON is None:
        print("skipped: no Python here has matplotlib")
        sys.exit(77)
    unittest.main()
