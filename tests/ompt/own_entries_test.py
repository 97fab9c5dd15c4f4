# SPDX-License-Identifier: GPL-3.0-or-later
"""What the entry points of our own tell a tool: about loops, regions, threads and the machine.

own_entries_test.py <loops> <tool>
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
import environment

PROGRAM, TOOL = sys.argv[1:3]
LIBRARY = os.environ.get("LD_LIBRARY_PATH")
THREADS = 4
ROUNDS = 3
FORMS = ("separate", "together", "ordered", "cancelled")
TWO_CLASSES = {"GOMP_AMP_THREAD_CLASSES": "0,1"}
FOLDED = {"GOMP_AMP_TOPOLOGY": "off", "GOMP_AMP_FOLD": "3"}
# By OMP_SCHEDULE, what a loop runs as on two classes of cores, and why (ompx_amp_ran_t, _why_t).
RAN = {
    "static": (0, 0),
    "static,5": (1, 0),
    "auto": (0, 4),
    "dynamic,2": (2, 0),
    "guided": (3, 0),
    "aid_static": (4, 0),
    "aid_hybrid": (5, 0),
    "aid_dynamic,2": (6, 0),
}
UNCOUNTED = (2, 3)


class OwnEntries(unittest.TestCase):
    def run_program(self, *form, trips=1000, threads=THREADS, **variables):
        """What the program printed, by form, and the tool's lines, by their first word."""
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "facts"
            done = subprocess.run(
                [PROGRAM, str(threads), str(trips), str(ROUNDS), *form],
                env=environment.clean(
                    LD_LIBRARY_PATH=LIBRARY,
                    OMP_TOOL_LIBRARIES=TOOL,
                    OMPT_FACTS=str(file),
                    OMP_CANCELLATION="true",
                    OMP_WAIT_POLICY="passive",
                    **variables,
                ),
                capture_output=True,
                text=True,
                timeout=900,
                cwd=directory,
            )
            self.assertEqual((done.returncode, done.stderr), (0, "\nlibgomp: a message\n"))
            facts = collections.defaultdict(list)
            for line in file.read_text().splitlines():
                word, *rest = line.split()
                facts[word].append(rest)
        counted = {
            words[0]: [int(word) for word in words[1:]]
            for words in map(str.split, done.stdout.splitlines())
        }
        self.assertEqual(tuple(counted), () if form else FORMS)
        return counted, facts

    def loops(self, facts, threads=THREADS):
        """By form, its parts of loops. Forms follow each other."""
        parts = [[int(word) for word in row[:6]] for row in facts["loop"]]
        each = ROUNDS * threads
        self.assertEqual(len(parts), len(FORMS) * each)
        return {form: parts[i * each : (i + 1) * each] for i, form in enumerate(FORMS)}

    def check_counts(self, counted, parts):
        said = [0] * len(counted)
        for number, _, _, is_counted, iterations, trips in parts:
            self.assertEqual((is_counted, trips), (1, 1000))
            said[number] += iterations
        self.assertEqual(said, counted)

    def test_loops(self):
        for schedule, (ran, why) in RAN.items():
            for _ in range(3):
                with self.subTest(schedule=schedule):
                    counted, facts = self.run_program(OMP_SCHEDULE=schedule, **TWO_CLASSES)
                    loops = self.loops(facts)
                    for form in ("separate", "together"):
                        self.assertEqual({part[1] for part in loops[form]}, {ran})
                        if form == "separate":
                            self.assertEqual({part[2] for part in loops[form]}, {why})
                        if ran in UNCOUNTED:
                            self.assertEqual({part[3] for part in loops[form]}, {0})
                        else:
                            self.check_counts(counted[form], loops[form])
                    self.assertEqual({part[1] for part in loops["ordered"]}, {1})
                    self.check_counts(counted["ordered"], loops["ordered"])
                    # A thread that has no iterations may end before another one cancels.
                    counted = [part[4] for part in loops["cancelled"] if part[3]]
                    self.assertEqual(set(counted) - {0}, set())
                    self.assertLess(len(counted), len(loops["cancelled"]))

    def test_cores_alike(self):
        counted, facts = self.run_program(OMP_SCHEDULE="aid_dynamic", GOMP_AMP_TOPOLOGY="off")
        loops = self.loops(facts)
        # Timed chunks, because the cores are alike.
        self.assertEqual({tuple(part[1:3]) for part in loops["separate"]}, {(7, 8)})
        self.check_counts(counted["separate"], loops["separate"])

    def test_one_thread(self):
        counted, facts = self.run_program(threads=1, OMP_SCHEDULE="static,7")
        self.check_counts(counted["separate"], self.loops(facts, 1)["separate"])

    def test_factors(self):
        # A thread that has no core for as long as the loop takes leaves it without factors.
        for _ in range(20):
            _, facts = self.run_program(
                "met", trips=20000, OMP_SCHEDULE="aid_static", **TWO_CLASSES
            )
            factors = [row[6:] for row in facts["loop"] if len(row) > 6]
            if factors:
                break
        self.assertEqual({len(row) for row in factors}, {2})
        self.assertEqual({row[0] for row in factors}, {"1.000000"})

    def test_threads(self):
        _, facts = self.run_program(**TWO_CLASSES)
        regions = facts["region"]
        self.assertEqual(len({row[0] for row in regions}), len(FORMS))
        self.assertEqual({tuple(row[1:]) for row in regions}, {("1", "0", str(THREADS), "-", "-")})
        for number, worker, cls in facts["id"]:
            self.assertEqual(worker, "-1")
            self.assertEqual(int(cls), int(number) % 2)
        self.assertEqual(facts["machine"], [["2", "1", "GOMP_AMP_THREAD_CLASSES", "0", "0"]])

    def test_folded(self):
        cpus = len(os.sched_getaffinity(0))
        _, facts = self.run_program(threads=3 * cpus, **FOLDED)
        ran = {tuple(row[2:]) for row in facts["region"]}
        self.assertIn(("1", str(cpus), "-", "-"), ran)
        workers = {row[1] for row in facts["id"]}
        self.assertLessEqual({str(i) for i in range(cpus)}, workers)
        self.assertEqual(facts["machine"][0][:4], ["1", "0", "GOMP_AMP_TOPOLOGY", str(cpus)])

    def test_start(self):
        _, facts = self.run_program()
        ((process, later, unset),) = facts["start"]
        self.assertGreater(int(process), 1)
        self.assertEqual((later, unset), ("1", "1"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
