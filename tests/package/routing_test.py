#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The library and the plugins for all compilers of a Debian release, built there, pass the tests of
routing."""

import re
import unittest

import releases
import support
from releases import chroot
from support import OPTIONS


class Routing(unittest.TestCase):
    def test_each_compiler(self):
        build = OPTIONS.work / f"{OPTIONS.release}-routing"
        root = releases.system(OPTIONS.release, OPTIONS.source, build)
        self.addCleanup(root.close)
        releases.build(root, targets=["libgomp_amp", "amproute", "topologies"])
        first, *others = releases.MAJORS[OPTIONS.release]
        forms = ["plugin", *(f"gcc-{major}" for major in others)]
        shown = releases.test(root, rf"^route\.({'|'.join(forms)})\.", "-E", r"\.many$")
        for form in forms:
            passed = re.findall(rf"route\.{form}\.\S+ \.* +Passed", shown)
            self.assertGreater(len(passed), 15, form)
        print(shown)


if __name__ == "__main__":
    chroot.enter_namespace()
    support.main("release")
