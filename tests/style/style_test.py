#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that style.py finds each fault that it is there for, and nothing in what is right."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

import style


class Files(unittest.TestCase):
    """What a rule finds in files that a test makes up."""

    def found(self, rule, **files):
        """The findings of RULE in FILES, whose names have _ for / and __ for a dot."""
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory)
            for name, text in files.items():
                path = source / name.replace("__", ".").replace("_", "/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            here = pathlib.Path(__file__).resolve().parents[2]
            for name in (".clang-format", "ruff.toml"):
                shutil.copy(here / name, source)
            if (here / style.TOOLS).exists():
                (source / style.TOOLS).parent.mkdir()
                (source / style.TOOLS).symlink_to(here / style.TOOLS)
            return list(rule(source))


class Widths(Files):
    def test_tabs_count_up_to_the_next_multiple_of_eight(self):
        line = "\t\t" + "x " * 32 + "\n"
        self.assertEqual(self.found(style.widths, libgomp_amp_a__c=line.replace(" \n", "\n")), [])
        found = self.found(style.widths, libgomp_amp_a__c="\n" + line.replace(" \n", " yy\n"))
        self.assertEqual(found, ["libgomp/amp/a.c:2: 82 columns; expected at most 80"])

    def test_each_language_has_its_width(self):
        for name, most in (
            ("gcc-patch_route_a__cc", 80),
            ("tools_a__cc", 100),
            ("tests_a__py", 100),
            ("docs_a__md", 100),
        ):
            with self.subTest(name):
                self.assertEqual(self.found(style.widths, **{name: "x " * (most // 2) + "\n"}), [])
                (found,) = self.found(style.widths, **{name: "x " * (most // 2) + "x\n"})
                self.assertIn(f"{most + 1} columns; expected at most {most}", found)

    def test_what_cannot_be_wrapped_is_free(self):
        self.assertEqual(self.found(style.widths, tools_a__cc="// " + "x" * 120 + "\n"), [])
        for begin in "|", "    ":
            self.assertEqual(self.found(style.widths, docs_a__md=begin + "x " * 60 + "\n"), [])


class Sizes(Files):
    def test_files(self):
        for name in "tools_a__cc", "tests_a__py", "libgomp_amp_a__h":
            self.assertEqual(self.found(style.sizes, **{name: "x\n" * 700}), [])
            (found,) = self.found(style.sizes, **{name: "x\n" * 701})
            self.assertIn(":1: 701 lines; expected at most 700", found)
        for name in "docs_a__md", "bench_programs_a__c":
            self.assertEqual(self.found(style.sizes, **{name: "x\n" * 701}), [])

    def test_functions(self):
        """Each has a head, a body and an end; a function has 60 lines, or with one more too many."""
        struct = "struct a\n{\n" + "  int x;\n" * 80 + "};\n\n"
        table = "const int kTable[] = {\n" + '    {"row", [](int i) {\n' * 80 + "};\n\n"
        for name, head, end, most in (
            ("libgomp_amp_a__c", struct + "static int\nwork (int x)\n{\n", "}\n", 58),
            ("tools_a__cc", "void work(int a,\n          int b) {\n", "}\n", 57),
            ("tools_b__cc", "class A {\n  int work() const {\n", "  }\n};\n", 58),
            ("tools_c__cc", table + "std::function<int(int)> A<B>::work(int a) {\n", "}\n", 58),
            ("tests_d__cc", "TEST(A, Works) {\n  for (;;) {\n  }\n", "}\n", 56),
            ("tests_a__py", "class A:\n    def work(self):\n", "", 59),
        ):
            line = "        x()\n" if name.endswith("py") else "  x ();\n"
            with self.subTest(name):
                self.assertEqual(self.found(style.sizes, **{name: head + line * most + end}), [])
                longer = head + line * (most + 1) + end
                (found,) = self.found(style.sizes, **{name: longer})
                self.assertRegex(
                    found, r"(work|TEST\(A, Works\)) has 61 lines; expected at most 60"
                )
                number = longer.count("\n") - end.count("\n") + bool(end)
                self.assertIn(f":{number}: ", found)


class Layout(Files):
    def test_blanks_banners_and_blank_lines(self):
        found = self.found(
            style.layout,
            tools_a__cc="int a; \n// ------ more\n\n\n",
            libgomp_amp_a__c="int a;\n\n\nint b;\n",
        )
        self.assertEqual(
            found,
            [
                "libgomp/amp/a.c:3: a second blank line; expected one",
                "tools/a.cc:1: a blank ends the line; expected none",
                "tools/a.cc:2: a banner; expected a sentence, or nothing",
            ],
        )


class Words(Files):
    # A sentence for each row of words.txt, in its order.
    BAD = (
        "It was mended.",
        "Lock it, lest it be freed.",
        "It shall be free.",
        "It looked in vain.",
        "It lets it be.",
        "It foretells that.",
        "Whoever comes is first.",
        "Here nobody may wait.",
        "It sleeps for ever.",
        "It sees to it that all run.",
        "A lock whereby they wait.",
        "It tells the class.",
        "It is said once.",
        "It begins anew.",
        "It lies besides the pool.",
        "Who waits is woken.",
    )

    def test_each_word_is_found_in_a_comment(self):
        table = list(style.rows("words.txt", 3, ";"))
        self.assertEqual(len(self.BAD), len(table))
        for sentence, (_, instead, _) in zip(self.BAD, table, strict=True):
            with self.subTest(sentence):
                (found,) = self.found(style.words, libgomp_amp_a__c=f"\n/* {sentence}  */\n")
                self.assertRegex(found, rf"^libgomp/amp/a\.c:2: '.*' is not used; .*: {instead}$")

    def test_a_phrase_may_go_on_in_the_next_line(self):
        for name, text in (
            ("libgomp_amp_a__c", "/* It looked in\n   vain.  */\n"),
            ("tools_a__cc", "// It looked in\n// vain.\n"),
            ("tests_a__py", "# It looked in\n# vain.\n"),
            ("docs_a__md", "It looked in\nvain.\n"),
            ("tests_a__cmake", "# It looked in\n# vain.\n"),
            ("bench_a__f90", "! It looked in\n! vain.\n"),
        ):
            with self.subTest(name):
                (found,) = self.found(style.words, **{name: text})
                self.assertIn(":1: 'in", found)

    def test_messages_are_searched_and_code_is_not(self):
        for name, text in (
            ("tools_a__cc", 'int shall(int lest); // fine\nauto s = "it shall";\n'),
            ("tests_a__py", 'shall = lest(1)\ns = "it shall"\n'),
            ("docs_a__md", "`lest` and [a](lest.md)\nit shall\n"),
            ("tests_a__cmake", 'lest()\nmessage("it shall")\n'),
        ):
            with self.subTest(name):
                (found,) = self.found(style.words, **{name: text})
                self.assertIn(":2: 'shall'", found)

    def test_parts_of_words_and_other_meanings_are_right(self):
        text = "// shallow, amended, wholesale, the latest: tells two kinds apart, forever\n"
        text += "// It is said to be free, who waits; and it is locked besides.\n"
        self.assertEqual(self.found(style.words, tools_a__cc=text), [])

    def test_a_row_may_be_for_some_files(self):
        self.assertEqual(self.found(style.words, bench_a__py="# It tells the class.\n"), [])


class Commits(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = pathlib.Path(scratch.name)

    def git(self, *arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        command = ["git", *identity, "-C", self.source, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, subject):
        self.git("commit", "--allow-empty", "--quiet", "--message", f"{subject}\n\n{'x' * 80}")
        return self.git("rev-parse", "HEAD")

    def test_subjects_after_a_commit(self):
        self.git("init", "--quiet")
        first = self.commit("x" * 90)
        self.commit("y" * 72)
        self.assertEqual(list(style.commits(self.source, first)), [])
        self.commit("z" * 73)
        (found,) = style.commits(self.source, first)
        self.assertRegex(found, r"^[0-9a-f]{7,}: 'z+': 73 columns; expected at most 72$")

    def test_no_history(self):
        with self.assertRaisesRegex(style.Missing, "whole history"):
            list(style.commits(self.source))


class Formatters(Files):
    def formatted(self, rule, program, **files):
        try:
            style.formatter(pathlib.Path(__file__).resolve().parents[2], program)
        except style.Missing as missing:
            self.skipTest(str(missing))
        return self.found(rule, **files)

    def test_cxx(self):
        found = self.formatted(
            style.cxx,
            "clang-format",
            tools_a__cc="int a;\nint  b;\n",
            tools_b__h="int a;\n",
            gcc_patch__cc="int  gnu;\n",
        )
        expected = "tools/a.cc:2: 'int  b;' is not as formatted; expected 'int b;'"
        self.assertEqual(found, [expected])

    def test_python(self):
        found = self.formatted(
            style.python,
            "ruff",
            tests_a__py="import os\n\na = os\nb = 'x'\n",
            bench_b="#!/usr/bin/env python3\nimport os\n",
            bench_c="import  os\n",
        )
        self.assertEqual(len(found), 2, found)
        self.assertEqual(
            found[0], """tests/a.py:4: 'b = 'x'' is not as formatted; expected 'b = "x"'"""
        )
        self.assertRegex(found[1], r"^bench/b:2:8: F401 .*`os`.*; expected none$")

    def test_another_version_is_missing(self):
        with self.assertRaisesRegex(style.Missing, "ruff-like 1.0 is needed: there is none"):
            table = style.rows
            style.rows = lambda *_: [("ruff-like==1.0",)]
            try:
                style.formatter(pathlib.Path("/nowhere"), "ruff-like")
            finally:
                style.rows = table


if __name__ == "__main__":
    unittest.main()
