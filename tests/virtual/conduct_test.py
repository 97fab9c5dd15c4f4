# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of several programs on one virtual machine: amp-emu virtual --policy.

Takes the build directory and the program of conduct.cc as arguments."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lab import environment

MACHINE = "2x2.0+2x1.0"
REGIONS = 8
# 24 ms of a fast core a region, on cores that are worth three.
ALONE_S = REGIONS * 24e-3 / 3
# Of a time: what starting teams takes.
LIMIT = 0.01


class Conduct(unittest.TestCase):
    build: Path
    program: Path

    def words(self, *options, machine=MACHINE):
        return [str(self.build / "bin/amp-emu"), "virtual", machine, "--quiet", *options]

    def report_of(
        self, *command, policy="equi", options=(), status=0, machine=MACHINE, **variables
    ):
        with tempfile.TemporaryDirectory() as directory:
            report = Path(directory, "report.json")
            done = subprocess.run(
                [
                    *self.words(
                        "--policy", policy, "--json", str(report), *options, machine=machine
                    ),
                    *("--", *command),
                ],
                env=environment.clean(**variables),
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, status, done.stderr)
            return json.loads(report.read_text())

    def run_with(self, *command, **options):
        """The programs of the report, and what each of them had, as (time, cores)."""
        found = self.report_of(*command, **options)
        grants = [[] for _ in found["programs"]]
        for each in found["grants"]:
            grants[each["program"]].append((each["at_s"], each["cores"]))
        return found["programs"], grants

    def one(self, regions=REGIONS):
        return [str(self.program), str(regions)]

    def test_a_program_alone_is_untouched(self):
        (program,), (grants,) = self.run_with(*self.one())
        self.assertEqual(grants, [(0, [0, 1, 2, 3])])
        self.assertAlmostEqual(program["seconds"] / ALONE_S, 1, delta=LIMIT)

    def test_two_alike_take_twice_as_long(self):
        programs, grants = self.run_with(*self.one(), ":", *self.one())
        self.assertEqual([each[0] for each in grants], [(0, [0, 2]), (0, [1, 3])])
        for program in programs:
            self.assertAlmostEqual(program["seconds"] / ALONE_S, 2, delta=LIMIT)

    def test_it_gets_what_others_leave(self):
        (long, short), grants = self.run_with(*self.one(), ":", "@0.04s", *self.one(2))
        self.assertEqual([cores for _, cores in grants[0]], [[0, 1, 2, 3], [0, 2], [0, 1, 2, 3]])
        self.assertEqual([cores for _, cores in grants[1]], [[1, 3]])
        self.assertEqual(grants[1][0][0], 0.04)
        self.assertAlmostEqual(grants[0][2][0], short["end_s"], delta=0.0101)
        # 2 regions on half of the cores, and meanwhile as much of the other program.
        self.assertAlmostEqual(short["seconds"] / (2 * 24e-3 / 1.5), 1, delta=LIMIT)
        # Until its end is noticed nobody has its half.
        unnoticed = grants[0][2][0] - short["end_s"]
        due = ALONE_S + 2 * 24e-3 / 3 + unnoticed / 2
        self.assertAlmostEqual(long["seconds"] / due, 1, delta=LIMIT)

    def test_serial_parts_lend_their_cores(self):
        """From a decision on, until some twentieth of a period after they end."""
        serial_s, period_s = 0.1, 0.02
        (lends, borrows), grants = self.run_with(
            *(*self.one(3), "24", str(1000 * serial_s)),
            *(":", *self.one(40)),
            options=("--period-ms", str(round(1000 * period_s))),
        )
        had = [len(cores) for _, cores in grants[0]]
        # At last there is the other one alone.
        self.assertEqual(had, [2, 1, 2, 1, 2, 1])
        self.assertEqual([len(cores) for _, cores in grants[1]], [2, 3, 2, 3, 2, 3, 4])
        for i in (1, 3):
            lent, back = grants[0][i][0], grants[0][i + 1][0]
            self.assertAlmostEqual(back - lent, serial_s, delta=2 * period_s)
        # Each region has half of the machine, but for the first step.
        due = 3 * (24e-3 / 1.5 + serial_s)
        self.assertGreater(lends["seconds"], due)
        self.assertLess(lends["seconds"], due + 2 * period_s / 20 + period_s)
        self.assertLess(borrows["seconds"], 40 * 24e-3 / 1.5 * 0.8)

    def test_threads_that_are_left_have_a_core_each(self):
        """Of two threads a core those on fast cores end first. The program gives cores back, and
        the others are no slower for that."""
        (program, _), (grants, _) = self.run_with(
            *(*self.one(1), "8"),
            *(":", *self.one(1), "24", "40"),
            options=("--period-ms", "1"),
            machine="4x2.0+4x1.0",
        )
        self.assertEqual([len(cores) for _, cores in grants], [4, 4, 2, 1])
        self.assertLess(program["seconds"], 4 * 24e-3 / 8 * (1 + LIMIT))

    def test_the_order_on_the_command_line_does_not_matter(self):
        late = ["@0.03s", *self.one(4)]
        one, _ = self.run_with(*late, ":", *self.one(), policy="share")
        two, _ = self.run_with(*self.one(), ":", *late, policy="share")
        for a, b in zip(one, reversed(two), strict=True):
            self.assertAlmostEqual(a["seconds"] / b["seconds"], 1, delta=LIMIT)

    def test_it_is_repeatable(self):
        runs = [
            self.run_with(*self.one(), ":", "@0.03s", *self.one(4), policy="share")[0]
            for _ in range(2)
        ]
        self.assertEqual(*runs)

    def test_decisions_come_as_often_as_told(self):
        """A program that has ended is noticed within a twentieth of the period."""
        programs, grants = self.run_with(
            *self.one(), ":", *self.one(1), options=("--period-ms", "4")
        )
        noticed, end = grants[0][1][0], programs[1]["end_s"]
        self.assertGreaterEqual(noticed, end)
        self.assertLess(noticed, end + 0.0003)

    def write_table(self, directory, seconds):
        """A file for --table, and programs of these names. SECONDS: of each, by numbers of big and
        little cores."""
        lines = ["# columns: program big little seconds"]
        for name, of in seconds.items():
            Path(directory, name).symlink_to(self.program.resolve())
            lines += [
                f"{name}\t{big}\t{little}\t{of(big, little)}"
                for big in range(3)
                for little in range(3)
                if big or little
            ]
        table = Path(directory, "table.tsv")
        table.write_text("\n".join(lines) + "\n")
        return [f"{directory}/{name}" for name in seconds], ("--table", str(table))

    def test_a_table_is_believed(self):
        """One that gains nothing by a second core gets a single one, from the beginning."""
        with tempfile.TemporaryDirectory() as directory:
            (narrow, wide), options = self.write_table(
                directory,
                {"narrow": lambda big, _: 1 if big else 2, "wide": lambda b, n: 1 / (2 * b + n)},
            )
            _, grants = self.run_with(
                narrow, "1", ":", wide, "1", policy="a-exact", options=options
            )
            self.assertEqual(grants[0][0], (0, [0]))
            self.assertEqual(grants[1][0], (0, [1, 2, 3]))
            Path(options[1]).write_text("# columns: program core seconds\nnarrow\t1\t1\n")
            done = subprocess.run(
                [*self.words("--policy", "equi", *options), "--", *self.one()],
                env=environment.clean(),
                capture_output=True,
                text=True,
            )
        self.assertIn("'narrow' has 1 classes of cores", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_what_others_had_of_a_core_does_not_move(self):
        """Sixteen threads share a slow core when the other program ends, so that most of them have
        waited for others of them. What they waited is no work that other cores have to do."""
        with tempfile.TemporaryDirectory() as directory:
            (slow, fast), options = self.write_table(
                directory, {"slow": lambda *_: 1, "fast": lambda b, n: 1 / (2 * b + n)}
            )
            found = self.report_of(
                *(slow, "2", "16", ":", fast, "1"),
                policy="a-exact",
                options=(*options, "--period-ms", "20"),
                OMP_NUM_THREADS="16",
            )
        self.assertEqual(found["grants"][0]["cores"], [2])
        freed, end = found["grants"][2]["at_s"], found["programs"][0]["end_s"]
        slow_s = found["processes"][-1]["classes"][1]["busy_ns"] / 1e9
        # Core 2 until then, and later both slow cores.
        self.assertGreater(slow_s, freed + 1.5 * (end - freed))

    def test_idle_power_counts_once(self):
        """By default two classes idle at 0.12 W each."""
        alone = self.report_of(*self.one(2))
        self.assertAlmostEqual(
            alone["energy"]["joules"], alone["processes"][0]["energy"]["joules"], places=6
        )
        both = self.report_of(*self.one(2), ":", *self.one(4))
        ends = [each["end_s"] for each in both["programs"]]
        total = sum(each["energy"]["joules"] for each in both["processes"])
        self.assertAlmostEqual(
            both["energy"]["joules"], total - 0.24 * (sum(ends) - max(ends)), places=6
        )

    def test_every_policy_that_allocates(self):
        for policy in ("a-greedy", "a-exact", "share", "equi", "mts"):
            with self.subTest(policy=policy):
                programs, grants = self.run_with(*self.one(1), ":", *self.one(2), policy=policy)
                self.assertEqual([each["status"] for each in programs], [0, 0])
                self.assertTrue(all(grants))

    def test_folded_teams(self):
        programs, _ = self.run_with(*self.one(2), ":", *self.one(3), GOMP_AMP_FOLD="2")
        self.assertEqual([each["status"] for each in programs], [0, 0])

    def test_a_folded_team_follows_its_masks(self):
        """At the end of the second program its ids are on its own cores, and the first one, which
        then has all cores again, has ids on all."""
        command = [*self.one(50), ":", "@0.15s", *self.one(12)]
        found = self.report_of(*command, GOMP_AMP_FOLD="2")
        used = [
            [each["cpu"] for each in process["folded"][-1]["workers"] if each["ids"]]
            for process in found["processes"]
        ]
        self.assertEqual(used, [[1, 3], [0, 1, 2, 3]])

    def test_programs_that_fail(self):
        programs, _ = self.run_with(*self.one(1), ":", "sh", "-c", "kill -9 $$", status=137)
        self.assertEqual([each["status"] for each in programs], [0, 137])

    def test_bad_command_lines(self):
        for policy, command, why in (
            ("hafs", self.one(), "expected one of"),
            ("equi", [*self.one(), ":"], "a program is missing"),
            ("equi", ["@x", *self.one()], "expected @SECONDS"),
            ("equi", [*self.one(), ":", "@1s", "no-such-program"], "no-such-program"),
        ):
            done = subprocess.run(
                [*self.words("--policy", policy), "--", *command],
                env=environment.clean(),
                capture_output=True,
                text=True,
            )
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    Conduct.build, Conduct.program = (Path(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
