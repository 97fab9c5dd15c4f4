# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what starts the ranks of MPI programs."""

import unittest
from pathlib import Path

from support import rows

from lab import machines, ranks, results, specs
from lab.runs import Result, RunError


class Ranks(unittest.TestCase):
    """What starts the ranks of an MPI program."""

    def words(self, how: dict, where: dict, cpus=((0,), (1,)), topology=None) -> list[list[str]]:
        """Those of each rank, without its launcher's and env's."""
        machine = machines.Machine(specs.machine(where), cpus, topology)
        schedule = specs.schedule({"is": "static"} | how)
        words = ranks.command(("/b/zones-mpich",), machine, schedule, Path("/b"))
        self.assertEqual(words[:3], ("mpiexec.hydra", "-bind-to", "none"))
        text = " ".join(words[3:]).replace("-n 1 env -u OMP_NUM_THREADS -u OMP_PLACES ", "")
        return [part.split()[2:] for part in text.split(" : ")]

    def test_virtual(self):
        where = {"is": "virtual 2x3.0+2x1.0", "ranks": 2}
        fast, slow = self.words({"split": "even", "by_capacity": True}, where)
        self.assertIn("2x3.0", fast)
        self.assertEqual(fast[-2:], ["/b/zones-mpich", "--capacity=6000"])
        # The fastest class of a virtual machine is as fast as the real one.
        self.assertEqual(slow[:2], ["GOMP_AMP_AFFINITY=SB", "OMP_NUM_THREADS=2"])
        self.assertIn("1x3.0+2x1.0", slow)
        self.assertEqual(slow[-1], "--capacity=2000")
        for one in self.words({"fast_only": True}, where):
            self.assertIn("1x3.0", one)
        (alone,) = self.words({"alone": 0}, where)
        self.assertEqual((alone[0], "1x1.0" in alone), ("OMP_NUM_THREADS=1", True))
        with self.assertRaisesRegex(RunError, "among 8 ranks"):
            self.words({"split": "even"}, where | {"ranks": 8})

    def test_real(self):
        where = {"is": "steal 1x2+1x1", "ranks": 2}
        told = {"topology": "0=1024,1=512"}
        for how, expected in (
            ({}, "/b/bin/amp-run --ranks -- /b/zones-mpich --capacity=1"),
            ({"fold": "auto"}, "/b/bin/amp-run --ranks --fold -- /b/zones-mpich --capacity=1"),
        ):
            for one in self.words(how, where, **told):
                self.assertEqual(" ".join(one[1:]), expected)
                self.assertEqual(one[0], "GOMP_AMP_TOPOLOGY=0=1024,1=512")
        parts = [one[-1] for one in self.words({"by_capacity": True}, where, **told)]
        self.assertEqual(parts, ["--capacity=1024", "--capacity=512"])
        (slow,) = self.words({"alone": 1}, where, **told)
        self.assertIn("taskset -c 1", " ".join(slow))

    def test_as_many_as_there_should_be(self):
        schedule, good = specs.schedule("static"), {"ranks": 2.0, "amp": 100.0}
        ranks.check(Result(good, ""), 2, schedule)
        for fields in ({}, good | {"ranks": 1.0}, good | {"amp": 0.0}):
            with self.subTest(fields), self.assertRaises(RunError):
                ranks.check(Result(fields, ""), 2, schedule)

    def test_bound(self):
        where = ("B", "virtual 2x3.0+2x1.0")
        alone = rows(*where, "p", "one thread", (4,), threads="1", pinning="in turn")
        found = rows(*where, "p", "static", (2,), threads="4", pinning="in turn")
        (machine,) = results.machines([*found, *alone])
        self.assertEqual(machine.bounds("p"), {"1": 1.5})


if __name__ == "__main__":
    unittest.main()
