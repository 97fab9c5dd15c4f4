#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Debian release builds the package, lintian finds nothing in it, and in another system of that
release apt installs it, the demonstration runs, and apt removes it."""

import shutil
import unittest

import install_test
import lintian_test
import releases
import support
from releases import chroot
from support import OPTIONS


class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build = OPTIONS.work / OPTIONS.release
        builder = releases.system(OPTIONS.release, OPTIONS.source, build)
        cls.addClassCleanup(builder.close)
        releases.build(builder)
        cls.lintian = builder.run(*lintian_test.COMMAND, releases.pack(builder))
        (package,) = (build / "packed").glob("*.deb")
        cls.root = chroot.Chroot(OPTIONS.release)
        cls.addClassCleanup(cls.root.close)
        releases.install(cls.root, package)

    def test_1_lintian_finds_nothing(self):
        lintian_test.judge(self, self.lintian)

    def test_2_what_apt_installed_runs(self):
        """The recommended compiler came with it."""
        self.root.path("/tmp/show.c").write_text(install_test.PROGRAM)
        self.root.output("amp-gcc", "-fopenmp", "/tmp/show.c", "-o", "/tmp/show")
        # Routed or not, OMP_SCHEDULE unset is dynamic to this function.
        self.assertEqual(self.root.output("/tmp/show"), f"{install_test.OURS} 2 499500\n")
        self.assertIn("classes", self.root.output("amp-info", "--json"))
        version = self.root.output("amp-gcc", "--amp-version")
        self.assertIn("Loops are routed by the plugin.", version)
        self.assertIn(f" {releases.MAJORS[OPTIONS.release][0]}.", version)

    def test_3_demonstration(self):
        for name in ("bench", "libgomp", "scripts", "tests"):
            shutil.copytree(OPTIONS.source / name, self.root.path(f"/source/{name}"), symlinks=True)
        self.root.output("/source/scripts/install-deps", "--installed")
        demo = ["/source/scripts/demo", "--installed", "/usr", "--rounds", "1"]
        shown = self.root.output(*demo, timeout=1200)
        for schedule in ("aid_static", "aid_hybrid", "aid_dynamic"):
            self.assertIn(schedule, shown)
        # Debian's john as it is.
        self.assertIn("| amp-run ", shown)

    def test_4_nothing_is_left(self):
        self.assertIn("usr/bin/amp-run", releases.installed(self.root))
        self.root.output("apt-get", "purge", "-y", "libgomp-amp")
        self.assertEqual(releases.installed(self.root), [])


if __name__ == "__main__":
    chroot.enter_namespace()
    support.main("release")
