#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""lintian finds no error, no warning and no needless override in the package."""

import unittest

import support


class Lintian(unittest.TestCase):
    def test_no_tag_of_error_or_warning_level(self):
        support.need("lintian")
        done = support.run("lintian", "--allow-root", "--display-info", support.package())
        tags = [line for line in done.stdout.splitlines() if not line.startswith("N:")]
        bad = [tag for tag in tags if tag.startswith(("E:", "W:")) or "-override " in tag]
        self.assertEqual(bad, [], done.stderr)
        # Without a tag at all the reason may be that nothing was looked at.
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        print("\n".join(tags))


if __name__ == "__main__":
    support.main()
