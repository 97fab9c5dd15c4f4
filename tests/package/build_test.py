#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""cpack makes one package, and the same one again next year, with another umask, time zone and
language."""

import unittest

import elsewhere
import support


class Build(unittest.TestCase):
    def test_two_builds_are_the_same_single_package(self):
        support.need("dpkg-shlibdeps", "strip")
        first = support.pack("first")
        self.assertRegex(first.name, r"^libgomp-amp_[\d.]+(~\d{8})?-1_\w+\.deb$")
        with elsewhere.circumstances() as variables:
            second = support.pack("second", **variables)
        elsewhere.compare(self, first, second)


if __name__ == "__main__":
    support.main()
