# SPDX-License-Identifier: GPL-3.0-or-later
"""A root directory that is this system's, on which changes are made in memory only."""

import os
import pathlib
import tempfile
import unittest

import support
from releases import chroot
from support import OPTIONS

USER = 65534


class ScratchRoot:
    """Made by the first test that asks for it; its changes are beneath .upper."""

    def __init__(self):
        chroot.need_mounts()
        self.memory = pathlib.Path(tempfile.mkdtemp(prefix="amp-package-"))
        self.mount("tmpfs", "none", self.memory)
        self.upper = self.memory / "upper"
        self.root = self.memory / "root"
        for directory in (self.upper, self.memory / "work", self.root):
            directory.mkdir()
        layers = f"lowerdir=/,upperdir={self.upper},workdir={self.memory / 'work'}"
        done = support.run("mount", "-t", "overlay", "-o", layers, "none", self.root)
        if done.returncode != 0:
            raise unittest.SkipTest(f"no overlay can be mounted here: {done.stderr.strip()}")
        for name in ("dev", "proc", "sys"):
            support.output("mount", "--rbind", f"/{name}", self.root / name)
        # What is installed has to do without what it was built from.
        for path in (OPTIONS.source, OPTIONS.build, pathlib.Path("/tmp")):
            inner = self.root / path.relative_to("/")
            inner.mkdir(parents=True, exist_ok=True)
            self.mount("tmpfs", "none", inner)
        self.home = pathlib.Path("/tmp/home")
        self.path(self.home).mkdir()
        os.chown(self.path(self.home), USER, USER)
        self.before = self.changes()

    @staticmethod
    def mount(kind, source, target):
        support.output("mount", "-t", kind, source, target)

    def path(self, path):
        """Where the PATH of the root is for this program."""
        return self.root / pathlib.Path(path).relative_to("/")

    def run(self, *command, **options):
        return support.run("chroot", self.root, *command, cwd="/", **options)

    def output(self, *command, **options):
        return support.output("chroot", self.root, *command, cwd="/", **options)

    def as_user(self, *command, **options):
        """What COMMAND prints, run as a user without privileges in a directory of its own."""
        become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        inside = [*become, "env", f"--chdir={self.home}", f"HOME={self.home}", *command]
        return self.output(*inside, **options)

    def write(self, name, text):
        self.path(self.home / name).write_text(text)

    def dpkg(self, *words):
        """Runs dpkg, which is to check dependencies."""
        # Small systems leave out documentation. The index of all manual pages of this system
        # takes seconds.
        self.output("dpkg", "--path-include=/usr/share/*", "--no-triggers", *words)

    def install(self):
        self.path("/tmp/package.deb").write_bytes(support.package().read_bytes())
        self.dpkg("--install", "/tmp/package.deb")

    def changes(self):
        """All that this system has not, apart from what dpkg and others note of their work, and
        all that it has otherwise; directories in which something changed are neither."""
        notes = ("var/lib/dpkg", "var/cache", "var/log")
        found = (path.relative_to(self.upper) for path in self.upper.rglob("*"))
        return {
            str(path)
            for path in found
            if not str(path).startswith(notes)
            and not ((self.upper / path).is_dir() and ("/" / path).is_dir())
        }

    def close(self):
        """What is mounted inside goes with it; only its place is left."""
        support.output("umount", "--lazy", self.memory)
        self.memory.rmdir()
