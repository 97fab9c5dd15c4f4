#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""apt installs the package in a Debian 12 made for it, where the demonstration then runs."""

import os
import pathlib
import shutil
import tempfile
import unittest

import install_test
import scratch_root
import support
from support import OPTIONS

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"


class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.need("debootstrap")
        if not os.environ.get(scratch_root.INSIDE):
            raise unittest.SkipTest("it takes root, and mounts of its own (unshare --mount)")
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="amp-debian-", dir=OPTIONS.work))
        # Not into what is mounted there.
        cls.addClassCleanup(support.output, "rm", "-rf", "--one-file-system", cls.root)
        cls.root.chmod(0o755)
        made = support.run("debootstrap", "--variant=minbase", SUITE, cls.root, MIRROR, timeout=400)
        if made.returncode != 0:
            raise unittest.SkipTest(f"debootstrap made no Debian: {made.stdout[-500:]}")
        for name in ("proc", "sys"):
            support.output("mount", "--bind", f"/{name}", cls.root / name)
            cls.addClassCleanup(support.output, "umount", "--lazy", cls.root / name)
        # The compiler is to be of the version that the package is for, and may be an update.
        for name in ("sources.list", "sources.list.d/debian.sources"):
            if (source := pathlib.Path("/etc/apt") / name).exists():
                shutil.copy(source, cls.root / "etc/apt" / name)
        shutil.copy(support.package(), cls.root / "tmp/package.deb")
        # Nobody needs it after a crash.
        (cls.root / "etc/dpkg/dpkg.cfg.d/fast").write_text("force-unsafe-io\n")
        cls.chroot("apt-get", "update")
        cls.chroot("apt-get", "install", "-y", "/tmp/package.deb")

    @classmethod
    def chroot(cls, *command, **options):
        env = {"DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}
        return support.output(
            "chroot", cls.root, *command, cwd="/", env=env, timeout=400, **options
        )

    def test_1_what_apt_installed_runs(self):
        """The recommended compiler came with it."""
        (self.root / "tmp/show.c").write_text(install_test.PROGRAM)
        self.chroot("amp-gcc", "-fopenmp", "/tmp/show.c", "-o", "/tmp/show")
        # Routed or not, OMP_SCHEDULE unset is dynamic to this function.
        self.assertEqual(self.chroot("/tmp/show"), f"{install_test.OURS} 2 499500\n")
        self.assertIn("classes", self.chroot("amp-info", "--json"))

    def test_2_demonstration(self):
        for name in ("bench", "libgomp", "scripts", "tests"):
            shutil.copytree(OPTIONS.source / name, self.root / "source" / name, symlinks=True)
        self.chroot("/source/scripts/install-deps", "--installed")
        demo = ["/source/scripts/demo", "--installed", "/usr", "--rounds", "1"]
        shown = self.chroot(*demo)
        for schedule in ("aid_static", "aid_hybrid", "aid_dynamic"):
            self.assertIn(schedule, shown)
        # Debian's john as it is.
        self.assertIn("| amp-run --fold", shown)

    def test_3_nothing_is_left(self):
        self.chroot("apt-get", "purge", "-y", "libgomp-amp")
        skipped = ("proc", "sys", "source", "tmp")
        left = [
            path
            for top in self.root.iterdir()
            if top.name not in skipped
            for path in top.rglob("*amp*")
            if "gomp-amp" in path.name or path.name.startswith("amp-")
        ]
        self.assertEqual(left, [])


if __name__ == "__main__":
    scratch_root.enter_namespace()
    support.main()
