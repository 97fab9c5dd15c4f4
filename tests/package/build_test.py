#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""cpack makes one package, and the same one again next year, with another umask, time zone and
language."""

import unittest

import elsewhere
import support


class Build(unittest.TestCase):
    def setUp(self):
        support.need("dpkg-shlibdeps", "strip")

    def test_first(self):
        self.assertRegex(support.pack("first").name, r"^libgomp-amp_[\d.]+(~\d{8})?-1_\w+\.deb$")

    def test_second(self):
        with elsewhere.circumstances() as variables:
            second = support.pack("second", **variables)
        elsewhere.compare(self, support.package(), second)


if __name__ == "__main__":
    support.main()
