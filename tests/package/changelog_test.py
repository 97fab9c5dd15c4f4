#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package's version and its changelog, between releases too."""

import gzip
import unittest

import support
from support import OPTIONS

RELEASED = "## 1.2.0 (2026-01-02)\n\n- Second\n  line.\n\n## 1.1.0 (2025-01-02)\n\n- First.\n"
PENDING = "## 1.3.0 (unreleased)\n\n- Third.\n\n"
DATE = "1796000000"  # 2026-11-30


class Changelog(unittest.TestCase):
    def printed(self, text, *options):
        """What packaging/changelog makes of TEXT if 1.2.0 is CMake's version."""
        OPTIONS.work.mkdir(parents=True, exist_ok=True)
        path = OPTIONS.work / "CHANGELOG.md"
        path.write_text(f"# Changes\n\n{text}")
        return support.run(
            OPTIONS.source / "packaging/changelog", path, "--released", "1.2.0", "--date", DATE,
            *options,
        )  # fmt: skip

    def version(self, text):
        done = self.printed(text, "--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_unreleased_changes_come_between_the_releases(self):
        support.need("dpkg")
        self.assertEqual(self.version(RELEASED), "1.2.0")
        between = self.version(PENDING + RELEASED)
        self.assertEqual(between, "1.3.0~20261130")
        for less, more in (("1.2.0-1", f"{between}-1"), (f"{between}-1", "1.3.0-1")):
            support.output("dpkg", "--compare-versions", less, "lt", more)

    def test_form(self):
        done = self.printed(
            PENDING + RELEASED, "--package=p", "--release=1", "--maintainer=A <a@example.org>"
        )
        # What is released has its own date: no two entries have the same.
        entries = (
            ("p (1.3.0~20261130-1)", "Third.", "Mon, 30 Nov 2026 00:53:20"),
            ("p (1.2.0-1)", "Second line.", "Fri, 02 Jan 2026 00:00:00"),
            ("p (1.1.0-1)", "First.", "Thu, 02 Jan 2025 00:00:00"),
        )
        due = "\n".join(
            f"{name} stable; urgency=medium\n\n  * {change}\n\n"
            f" -- A <a@example.org>  {date} +0000\n"
            for name, change, date in entries
        )
        self.assertEqual(done.stdout.strip(), due.strip())

    def test_refusals(self):
        older = "## 1.1.0 (2025-01-02)\n\n- First.\n"
        for text, why in (
            ("", "no version"),
            ("## 1.2.0 (2026-01-02)\n\n" + older, "without changes"),
            (older, "expected 1.2.0, CMake's version"),
            (PENDING, "expected 1.2.0, CMake's version"),
            (PENDING.replace("1.3", "1.2") + RELEASED, "each version once"),
            (RELEASED.replace("1.1", "1.4"), "the newest first"),
            (PENDING + RELEASED.replace("2026-01-02", "unreleased"), "at most one unreleased"),
        ):
            done = self.printed(text, "--version")
            self.assertEqual((done.returncode, done.stdout), (1, ""), text)
            self.assertIn(why, done.stderr)

    def test_cpack_takes_the_version(self):
        support.need("dpkg-shlibdeps", "strip")
        text = (OPTIONS.source / "CHANGELOG.md").read_text()
        before = "# Changes\n\n## 99.0.0 (unreleased)\n\n- A change.\n"
        path = OPTIONS.work / "CHANGELOG.md"
        if "(unreleased)" in text:
            self.skipTest("package.contents looks at a package of unreleased changes")
        path.write_text(text.replace("# Changes\n", before, 1))
        package = support.pack("unreleased", f"CPACK_AMP_CHANGELOG={path}", SOURCE_DATE_EPOCH=DATE)
        self.assertRegex(package.name, r"^libgomp-amp_99\.0\.0~20261130-1_\w+\.deb$")
        version = support.output("dpkg-deb", "--field", package, "Version").strip()
        self.assertEqual(version, "99.0.0~20261130-1")
        tree = OPTIONS.work / "unreleased/tree"
        support.output("dpkg-deb", "--extract", package, tree)
        changes = gzip.decompress(
            (tree / "usr/share/doc/libgomp-amp/changelog.Debian.gz").read_bytes()
        ).decode()
        self.assertTrue(changes.startswith(f"libgomp-amp ({version}) stable"), changes[:80])


if __name__ == "__main__":
    support.main()
