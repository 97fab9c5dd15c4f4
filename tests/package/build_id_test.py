#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that differ by the directory of their build alone are the same in the package."""

import re
import shutil
import subprocess
import unittest

import support
from support import OPTIONS

SOURCE = "int main(void) { return 7; }\n"


class BuildId(unittest.TestCase):
    def built(self, name):
        """A program that is compiled in the directory NAME, as packaging/finish.cmake.in leaves
        it."""
        directory = OPTIONS.work / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        (directory / "one.c").write_text(SOURCE)
        command = [OPTIONS.compiler, "-g", "-O1", "-Wl,--build-id", "one.c", "-o", "one"]
        support.output(*command, cwd=directory)
        support.output("strip", "--strip-unneeded", "one", cwd=directory)
        before = (directory / "one").read_bytes()
        support.output(OPTIONS.source / "packaging/set-build-id", directory / "one")
        return before, (directory / "one").read_bytes(), directory / "one"

    def test_by_content(self):
        support.need("strip", "readelf")
        first, again, program = self.built("here")
        second, other, _ = self.built("in-another-directory")
        self.assertNotEqual(first, second)
        self.assertEqual(again, other)
        self.assertEqual(len(first), len(again))
        self.assertRegex(support.output("readelf", "--notes", program), r"Build ID: [0-9a-f]{40}\n")
        self.assertEqual(subprocess.run([program]).returncode, 7)
        # Another program has another one.
        changed = program.with_name("changed")
        data = again.replace(b"\xb8\x07\x00\x00\x00", b"\xb8\x08\x00\x00\x00")
        changed.write_bytes(data)
        support.output(OPTIONS.source / "packaging/set-build-id", changed)
        ids = [
            re.search(r"Build ID: (\w+)", support.output("readelf", "-n", f))[1]
            for f in (program, changed)
        ]
        self.assertEqual(len(set(ids)), 2 if data != again else 1)


if __name__ == "__main__":
    support.main()
