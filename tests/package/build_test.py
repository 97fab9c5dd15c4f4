#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""cpack makes one package, and the same one again."""

import unittest

import support


class Build(unittest.TestCase):
    def test_two_builds_are_the_same_single_package(self):
        support.need("dpkg-shlibdeps", "strip")
        first = support.pack("first")
        self.assertRegex(first.name, r"^libgomp-amp_[\d.]+(~\d{8})?-1_\w+\.deb$")
        second = support.pack("second")
        self.assertEqual(first.name, second.name)
        self.assertTrue(first.read_bytes() == second.read_bytes(), "two runs of cpack differ")


if __name__ == "__main__":
    support.main()
