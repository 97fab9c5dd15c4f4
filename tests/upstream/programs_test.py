#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that a program which ran on another library than the one meant is seen."""

import pathlib
import tempfile
import unittest

from programs import prove

OURS = "/ours/libgomp.so.1"
SYSTEM = "/usr/lib/x86_64-linux-gnu/libgomp.so.1"


class Proved(unittest.TestCase):
    def proof(self, *lines):
        """The proof for a file of LINES, lists of fields."""
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "programs"
            path.write_text("".join("\t".join(line) + "\n" for line in lines))
            return prove(path, OURS)

    def test_ours(self):
        proof = self.proof(
            ["a.exe", "pass", "1500", "a.exe", OURS],
            ["b.exe", "fail", "500", "b.exe", OURS, "b.exe", OURS],
        )
        self.assertEqual(proof.failures, [])
        self.assertEqual((proof.programs, proof.processes, proof.seconds), (2, 3, 2.0))

    def test_the_system_s(self):
        proof = self.proof(
            ["a.exe", "pass", "1", "a.exe", SYSTEM], ["b.exe", "pass", "1", "b.exe", OURS]
        )
        self.assertEqual(proof.failures, [f"not on {OURS}: libgomp was '{SYSTEM}' in a.exe"])

    def test_both(self):
        self.assertTrue(self.proof(["a.exe", "pass", "1", "a.exe", f"{OURS}:{SYSTEM}"]).failures)

    def test_none(self):
        proof = self.proof(
            ["a.exe", "pass", "1", "a.exe", ""], ["b.exe", "pass", "1", "b.exe", OURS]
        )
        self.assertEqual((proof.failures, proof.programs, proof.without), ([], 2, 1))
        self.assertTrue(self.proof(["a.exe", "pass", "1", "a.exe", ""]).failures)

    def test_a_child_of_another(self):
        self.assertTrue(self.proof(["a.exe", "pass", "1", "a.exe", OURS, "child", SYSTEM]).failures)

    def test_nothing_told(self):
        self.assertTrue(self.proof(["a.exe", "pass", "1"]).failures)
        self.assertTrue(self.proof(["a.exe", "pass", "1", "child", OURS]).failures)

    def test_nothing_run(self):
        self.assertTrue(self.proof().failures)
        self.assertTrue(prove(pathlib.Path("/nonexistent"), OURS).failures)


if __name__ == "__main__":
    unittest.main()
