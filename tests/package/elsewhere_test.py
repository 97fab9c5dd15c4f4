#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package is the same to the byte if a copy of the source is built in another directory, next
year, with another umask, time zone and language."""

import gzip
import os
import re
import shutil
import unittest

import elsewhere
import releases
import support
from support import OPTIONS

# What both builds are told.
SAME = re.compile(
    r"^((?:CMAKE_(?:BUILD_TYPE|INSTALL_PREFIX|\w+_COMPILER)|AMP_GCC_SOURCE|AMP_LIBGOMP_\w+)"
    r":\w+=.+)$",
    re.MULTILINE,
)


class Elsewhere(unittest.TestCase):
    def copy(self, target):
        """Copies the files of the source, with modes as the umask has it."""
        listed = support.run(
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            cwd=OPTIONS.source,
        )
        if listed.returncode != 0:
            self.skipTest("the source is not a git repository")
        for name in filter(None, listed.stdout.split("\0")):
            path, to = OPTIONS.source / name, target / name
            if path.is_symlink() or path.exists():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, to, follow_symlinks=False)
                if os.access(path, os.X_OK):
                    to.chmod(0o700)

    def date(self, package):
        """The date of PACKAGE, in seconds."""
        tree = self.directory / "tree"
        support.output("dpkg-deb", "--extract", package, tree)
        changes = (tree / "usr/share/doc/libgomp-amp/changelog.Debian.gz").read_bytes()
        text = gzip.decompress(changes).decode()
        return support.output("dpkg-parsechangelog", "-l", "-", "-S", "Timestamp", input=text)

    def test_the_same_package(self):
        self.directory = OPTIONS.work / "in-a-directory-with-another-name"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        source, build = self.directory / "copy", self.directory / "there"
        same = SAME.findall((OPTIONS.build / "CMakeCache.txt").read_text())
        date = self.date(support.package()).strip()
        with elsewhere.circumstances() as variables:
            self.copy(source)
            # A compiler cache would hand out what the first build compiled.
            variables["CCACHE_DISABLE"] = "1"
            options = [f"-D{word}" for word in same]
            for words in (
                ["-G", "Ninja", "-S", source, "-B", build, *options],
                ["--build", build, "--target", *releases.INSTALLED],
            ):
                support.output("cmake", *words, env=variables, timeout=5000)
            second = support.pack("elsewhere", build=build, SOURCE_DATE_EPOCH=date, **variables)
        elsewhere.compare(self, support.package(), second)
        shutil.rmtree(self.directory)


if __name__ == "__main__":
    support.main()
