# SPDX-License-Identifier: GPL-3.0-or-later
"""Routed programs under our own libgomp: what an unset OMP_SCHEDULE means there."""

import ctypes

import support
from support import Case


def ours():
    """True if there is a libgomp of ours to test with."""
    try:
        return ctypes.CDLL(str(support.LIB / "libgomp.so.1")).ompx_amp_version() >= 100
    except (OSError, AttributeError):
        return False


class OurLibrary(Case):
    def setUp(self):
        super().setUp()
        if not ours():
            self.skipTest(f"{support.LIB}/libgomp.so.1 is not built, or not ours")
        self.mapping = self.program("mapping.c")

    def loops(self, **env):
        """What mapping tells: {"routed": ["static", run of thread 0, ...], "runtime": ...}."""
        lines = [line.split() for line in self.ok(self.mapping, **env).splitlines()]
        return {line[0]: [line[1], *map(int, line[2:])] for line in lines}

    def test_found_by_runpath(self):
        self.assertIn(str(support.LIB), self.ok("ldd", self.mapping))

    def test_symmetric_team_is_static(self):
        loops = self.loops(GOMP_AMP_TOPOLOGY="off")
        self.assertEqual(loops["routed"][0], "static")
        self.assertEqual(loops["runtime"][0], "other")

    def test_asymmetric_team_is_aid_hybrid(self):
        asymmetric = {
            "GOMP_AMP_TOPOLOGY": "0=512,1=1024",
            "GOMP_AMP_THREAD_CLASSES": "0,1",
            "GOMP_AID_SF": "0:1,1:2",
        }
        self.assertEqual(self.loops(**asymmetric)["routed"][0], "other")
        # With a percent it allots. k = 80 % of 3000 iterations / (2 * 1 + 2 * 2): one removal each
        # of 400 and 800, less the one that a thread takes before all are there.
        _, *runs = self.loops(GOMP_AMP_SCHEDULE="aid_hybrid,,80", **asymmetric)["routed"]
        for thread, run in enumerate(runs):
            self.assertGreaterEqual(run, 799 if thread % 2 else 399, runs)

    def test_environment_rules(self):
        asymmetric = {"GOMP_AMP_TOPOLOGY": "0=512,1=1024", "GOMP_AMP_THREAD_CLASSES": "0,1"}
        self.assertEqual(self.loops(OMP_SCHEDULE="static", **asymmetric)["routed"][0], "static")
        self.assertEqual(
            self.loops(OMP_SCHEDULE="dynamic,1", GOMP_AMP_TOPOLOGY="off")["routed"][0], "other"
        )


if __name__ == "__main__":
    support.main()
