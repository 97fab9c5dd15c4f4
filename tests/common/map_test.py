#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that what the documents name exists, that it is no path of the machine that they were
written on, and that CONTRIBUTING.md's map is complete.

map_test.py <source directory>
"""

import fnmatch
import os
import pathlib
import re
import sys
import unittest

CODE = re.compile(r"(?<!`)`([^`\s]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
FILE = re.compile(r"[\w*+.-]+\.(c|h|cc|py|def|inc|mk|md|f90|cmake|conf|toml|patch|in|txt|xml)$")
# Directories of GCC's source.
UPSTREAM = ("libgomp/testsuite",)
# Where people work, and where measurements run. A path in a report is never the reader's.
PRIVATE = r"(?<![\w.*/<>)~$-])/(?:work|root|home|tmp|mnt|srv|media|Users|var/tmp)\b\S*"
# Every machine has the null device.
ABSOLUTE = r"(?<![\w.*/<>)~$-])(?!/dev/null\b)/[\w.-]+/\S*"
# The most that all pages may have.
WORDS = 40000
# What a build or an installation makes, and placeholders, are no files of the repository.
MADE = ("build/", "lib/", "bin/", "share/", "include/", "usr/", "/", "~", "<", "$", "-", "@")


def names_of(path):
    """The names of files and directories in the text of PATH: bare, in `code` or in a link."""
    text = re.sub(r"^    .*$", "", path.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for name in CODE.findall(text):
        if not name.startswith(MADE + UPSTREAM) and (FILE.search(name) or "/" in name):
            yield re.sub(r"^\w+=", "", name).rstrip(".,:")


def links_of(path):
    for name, heading in LINK.findall(path.read_text()):
        if "://" not in name:
            yield name, heading[1:]


def headings_of(path):
    """The anchors of PATH's headings."""
    for heading in re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")


class Repository:
    """The files and directories below SOURCE, but for builds."""

    def __init__(self):
        self.names = set()
        for directory, below, files in os.walk(SOURCE):
            here = pathlib.Path(directory).relative_to(SOURCE)
            if here == pathlib.Path("."):
                below[:] = [name for name in below if name in (".ci",) or self.is_source(name)]
            below[:] = [name for name in below if name != "__pycache__"]
            self.names.update((here / name).as_posix() for name in below + files)

    @staticmethod
    def is_source(name):
        return not name.startswith((".", "build", "install"))

    def upstream(self):
        """The files of upstream that the queues hook."""
        found = set()
        for path in self.names:
            if path.endswith(".patch"):
                text = (SOURCE / path).read_text(errors="replace")
                found.update(re.findall(r"^\+\+\+ b/(?:\S*/)?(\S+)", text, re.MULTILINE))
        return found

    def has(self, name, beside):
        """Whether NAME, which may have wildcards, is a file's or directory's, from the top, from
        the directory BESIDE, or the end of its path."""
        pattern = re.sub(r"\b(WHAT|NAME|TARGET|N)(?=\b|_)", "*", name).rstrip("/")
        beside = os.path.normpath((beside / pattern).as_posix())
        patterns = (pattern, beside, "*/" + pattern)
        return any(fnmatch.filter(self.names, each) for each in patterns)


class Map(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.repository = Repository()
        cls.upstream = cls.repository.upstream()

    def documents(self):
        for name in sorted(self.repository.names):
            if name.endswith(".md") and name != "CHANGELOG.md":
                yield SOURCE / name

    def test_map_names_files_that_there_are(self):
        names = list(names_of(SOURCE / "CONTRIBUTING.md"))
        self.assertGreater(len(names), 100)
        for name in names:
            with self.subTest(name):
                self.assertTrue(
                    self.repository.has(name, pathlib.Path(".")) or name in self.upstream,
                    f"CONTRIBUTING.md: '{name}': expected a file or directory of the repository",
                )

    def test_rooms_are_all_on_the_map(self):
        text = (SOURCE / "CONTRIBUTING.md").read_text()
        for room in [SOURCE / "libgomp/amp", *sorted((SOURCE / "libgomp/amp").iterdir())]:
            name = room.relative_to(SOURCE).as_posix()
            if not room.is_dir() or name == "libgomp/amp/virtual":
                continue
            with self.subTest(name):
                self.assertEqual(text.count(f"\n- `{name}`:"), 1)
            entry = text.split(f"\n- `{name}`:", 1)[-1].split("\n- ", 1)[0]
            patterns = CODE.findall(entry)
            for path in sorted(room.iterdir()):
                if path.is_file():
                    with self.subTest(path.name):
                        self.assertTrue(
                            any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns),
                            f"{name}/{path.name}: expected in its room's entry in CONTRIBUTING.md",
                        )
        for room in ("tests", "gcc-patch"):
            for path in sorted((SOURCE / room).iterdir()):
                if (path / "CMakeLists.txt").is_file():
                    with self.subTest(path.name):
                        self.assertTrue(
                            f"`{room}/{path.name}`" in text,
                            f"{room}/{path.name}: expected its room in CONTRIBUTING.md",
                        )

    def test_documents_name_files_that_there_are(self):
        tops = {name.split("/")[0] for name in self.repository.names if "/" in name}
        held = 0
        for document in self.documents():
            here = document.parent.relative_to(SOURCE)
            for name in names_of(document):
                if name.split("/")[0] not in tops or "/" not in name:
                    continue
                held += 1
                with self.subTest(document=document.name, name=name):
                    self.assertTrue(
                        self.repository.has(name, here),
                        f"{here}/{document.name}: '{name}': expected a file of the repository",
                    )
        self.assertGreater(held, 50)

    def test_documents_name_no_path_of_a_machine(self):
        reports = 0
        pages = [path for path in (SOURCE / "docs").rglob("*") if path.suffix in (".def", ".in")]
        for document in (*self.documents(), SOURCE / "CHANGELOG.md", *pages):
            report = SOURCE / "docs/results" == document.parent.parent
            reports += report
            found = re.findall(ABSOLUTE if report else PRIVATE, document.read_text())
            with self.subTest(document=document.relative_to(SOURCE)):
                self.assertEqual(found, [], "expected a version, or a path below the source")
        self.assertGreater(reports, 10)

    def test_comments_name_what_there_is(self):
        """A comment's "NAME.c's thing" is a word of that file."""
        sources = {path.name: path for path in sorted((SOURCE / "libgomp/amp").rglob("*.*"))}
        for path in sources.values():
            for name, thing in re.findall(r"([\w-]+\.(?:c|h|inc))'s\s+(\w+)", path.read_text()):
                if name in sources:
                    with self.subTest(path=path.name, name=name):
                        words = re.findall(r"\w+", sources[name].read_text())
                        self.assertTrue(thing in words, f"{name} has no {thing}")

    def test_headers_include_each_other_in_no_circle(self):
        room = SOURCE / "libgomp/amp"
        left = {
            path.relative_to(room).as_posix(): re.findall(
                r'^# *include "([^"]+)"', path.read_text(), re.MULTILINE
            )
            for path in room.rglob("*.h")
        }
        self.assertGreater(len(left), 50)
        # Headers without one that is left can't be part of a circle.
        while free := [name for name, used in left.items() if not any(u in left for u in used)]:
            for name in free:
                del left[name]
        self.assertEqual(left, {}, "expected no circle of includes")

    def test_links_lead_somewhere(self):
        held = 0
        for document in self.documents():
            for name, heading in links_of(document):
                target = document.parent / name if name else document
                held += 1
                with self.subTest(document=document.name, link=name, heading=heading):
                    self.assertTrue(target.exists(), f"{document}: {name}")
                    if heading:
                        self.assertIn(heading, list(headings_of(target)))
        self.assertGreater(held, 100)

    def test_pages_are_few_words(self):
        """Those of docs that people write, and README.md: a reader's afternoon."""
        rooms = (SOURCE / "docs" / room for room in ("", "guide", "design", "results"))
        pages = [SOURCE / "README.md", *(page for room in rooms for page in room.glob("*.md"))]
        text = " ".join(re.sub("<!--.*?-->", "", page.read_text(), flags=re.S) for page in pages)
        self.assertLessEqual(len(text.split()), WORDS)
        self.assertGreater(len(pages), 25)

    def test_links_of_installed_pages_lead_to_installed_ones(self):
        docs = SOURCE / "docs"
        rooms = ("guide", "design", "results")
        self.assertIn(f"foreach(room {' '.join(rooms)})", (docs / "CMakeLists.txt").read_text())
        pages = [
            docs / "README.md",
            *(page for room in rooms for page in (docs / room).glob("*.md")),
        ]
        self.assertGreater(len(pages), 25)
        for page in pages:
            for name, _ in links_of(page):
                target = (page.parent / name).resolve() if name else page
                # The charts of reports are in the source only.
                if target.suffix != ".svg":
                    with self.subTest(page=page, link=name):
                        self.assertIn(target, pages)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
