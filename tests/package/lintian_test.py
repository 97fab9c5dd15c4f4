#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""lintian finds no error, no warning and no needless override in the package."""

import unittest

import support


COMMAND = ["lintian", "--allow-root", "--display-info"]


def judge(case, done):
    """Has the test CASE fail unless DONE, a finished lintian, found no error and no warning."""
    tags = [line for line in done.stdout.splitlines() if not line.startswith("N:")]
    bad = [tag for tag in tags if tag.startswith(("E:", "W:")) or "-override " in tag]
    case.assertEqual(bad, [], done.stderr)
    # Without a tag at all the reason may be that nothing was looked at.
    case.assertEqual((done.returncode, done.stderr), (0, ""))
    print("\n".join(tags))


class Lintian(unittest.TestCase):
    def test_no_tag_of_error_or_warning_level(self):
        support.need("lintian")
        judge(self, support.run(*COMMAND, support.package()))


if __name__ == "__main__":
    support.main()
