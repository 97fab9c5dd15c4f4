#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""cpack makes one package, and the same one again."""

import shutil
import unittest

import support
from support import OPTIONS


class Build(unittest.TestCase):
    def pack(self, name):
        """The files that cpack makes in the directory NAME."""
        directory = OPTIONS.work / name
        shutil.rmtree(directory, ignore_errors=True)
        # Under Makefiles cpack first builds all, which is built; under Ninja it does not.
        support.output(
            OPTIONS.cpack, "--config", OPTIONS.build / "CPackConfig.cmake", "-B", directory,
            "-D", "CPACK_CMAKE_GENERATOR=Ninja",
        )  # fmt: skip
        shutil.rmtree(directory / "_CPack_Packages")
        return {file.name: file.read_bytes() for file in directory.iterdir()}

    def test_two_builds_are_the_same_single_package(self):
        support.need("dpkg-shlibdeps", "strip")
        first = self.pack("first")
        self.assertEqual(len(first), 1, first.keys())
        self.assertRegex(*first, r"^libgomp-amp_[\d.]+-1_\w+\.deb$")
        self.assertTrue(first == self.pack("second"), "two runs of cpack differ")


if __name__ == "__main__":
    support.main()
