# SPDX-License-Identifier: GPL-3.0-or-later
"""Precompiled headers: the route of the compilation that uses one holds for the loops in it."""

import itertools
import shutil

import support
from support import GCC, Case

RUNTIME = "GOMP_loop_nonmonotonic_runtime_start"
ROUTES = ["none", "default", "all"]
OTHER = dict(zip(support.FORMS, reversed(support.FORMS)))


class PrecompiledHeader(Case):
    def setUp(self):
        super().setUp()
        for name in "inline_sum.h", "uses_header.c":
            shutil.copy(support.SOURCES / name, self.work)

    def precompile(self, *compiler):
        self.ok(*compiler, "-O2", "-fopenmp", "-x", "c-header", "inline_sum.h")
        self.assertTrue((self.work / "inline_sum.h.gch").exists())

    def check(self, route):
        """Use the header with ROUTE; the messages besides."""
        command = [*support.amp(), f"--amp-route={route}", "-O2", "-fopenmp", "uses_header.c"]
        done = support.run(*command, "-Winvalid-pch", "-o", "program", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(RUNTIME in self.ok("nm", "program"), route != "none")
        for schedule in "static", "dynamic":
            self.ok("./program", OMP_SCHEDULE=schedule)
        return done.stderr

    def test_routes(self):
        for made, used in itertools.product(ROUTES, ROUTES):
            with self.subTest(made=made, used=used):
                self.precompile(*support.amp(), f"--amp-route={made}")
                # Only the precompiled one is left.
                text = (self.work / "inline_sum.h").rename(self.work / "hidden")
                self.assertEqual(self.check(used), "")
                text.rename(self.work / "inline_sum.h")

    def test_made_by_another_compiler(self):
        if reason := support.missing("patched", support.BIN):
            self.skipTest(reason)
        self.precompile(support.BIN / "amp-gcc", f"--amp-compiler={OTHER[support.FORM]}")
        for used in ROUTES:
            self.assertIn(
                "inline_sum.h.gch: created by a different GCC executable", self.check(used)
            )

    def test_made_by_the_stock_compiler(self):
        self.precompile(GCC)
        for used in ROUTES:
            said = self.check(used)
            if support.FORM == "patched":
                self.assertIn("inline_sum.h.gch: created by a different GCC executable", said)


if __name__ == "__main__":
    support.main()
