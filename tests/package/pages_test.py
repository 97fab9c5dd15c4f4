#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual pages: well formed, with the options that --help has, and the library's tables."""

import re
import unittest

import support
from support import OPTIONS, output

PAGES = [
    "amp-run.1",
    "amp-gcc.1",
    "amp-emu.1",
    "amp-info.1",
    "ampctl.1",
    "ampd.1",
    "ampsim.1",
    "libgomp-amp.7",
]
OPTION = r"--?[a-z][\w-]*"


def page(name):
    return OPTIONS.build / "docs/man" / name


def options_of_page(text):
    """The options that the tags of paragraphs (.TP) in TEXT name."""
    tags = "\n".join(re.findall(r"^\.TP\n(.*)$", text, re.MULTILINE)).replace("\\-", "-")
    return sorted(re.findall(rf"(?<![\w-]){OPTION}", tags))


def options_of_help(text):
    """The options at the beginning of the lines of a --help."""
    lines = re.findall(rf"^  ({OPTION}(?:,{OPTION})*)", text, re.MULTILINE)
    return sorted(option for line in lines for option in line.split(","))


def rows(file):
    """The texts of each row of a table of options: name, what is expected, help."""
    text = (OPTIONS.source / "libgomp/amp" / file).read_text()
    text = re.sub(r'"\s*\n\s*"', "", text)  # a long text is several strings
    return [
        re.findall(r'"([^"]*)"', row)
        for row in re.findall(r"^GOMP_AMP_OPTION \(.*?\)$", text, re.M | re.S)
    ]


class Pages(unittest.TestCase):
    def test_mandoc_finds_nothing(self):
        support.need("mandoc")
        for name in PAGES:
            done = support.run("mandoc", "-T", "lint", "-W", "warning", page(name))
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""), name)

    def test_man_warns_of_nothing(self):
        support.need("man", "groff")
        for name in PAGES:
            command = ("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page(name))
            self.assertEqual(support.run(*command, env={"MANWIDTH": "80"}).stderr, "", name)

    def test_options_are_those_of_help(self):
        tools = OPTIONS.build / "bin"
        for tool, option in (
            ("amp-run", "--help"),
            ("amp-info", "--help"),
            ("ampd", "--help"),
            ("amp-gcc", "--amp-help"),
        ):
            with self.subTest(tool):
                options = options_of_help(output(tools / tool, option))
                self.assertGreater(len(options), 4)
                self.assertEqual(options_of_page(page(f"{tool}.1").read_text()), options)

    def test_options_of_tools_with_commands_are_those_of_help(self):
        for tool in ("amp-emu", "ampctl", "ampsim"):
            first, *sections = re.split(
                r"^\.S[SH] (.*)\n", page(f"{tool}.1").read_text(), flags=re.MULTILINE
            )
            sections = dict(zip(sections[::2], sections[1::2], strict=True))
            program = OPTIONS.build / "bin" / tool
            main = output(program, "--help")
            self.assertEqual(options_of_page(sections["OPTIONS"]), options_of_help(main))
            listed = re.split(r"\n\n", main[main.index("Subcommands:") :])[0]
            commands = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
            self.assertGreater(len(commands), 1)
            for command in commands:
                with self.subTest(tool=tool, command=command):
                    options = options_of_help(output(program, command, "--help"))
                    self.assertEqual(options_of_page(sections[command]), options)

    def test_wrappers_have_the_same_options(self):
        gcc, *others = (
            options_of_help(output(OPTIONS.build / "bin" / name, "--amp-help"))
            for name in ("amp-gcc", "amp-g++", "amp-gfortran")
        )
        self.assertEqual(others, [gcc, gcc])

    def test_tables_are_all_there_to_read(self):
        """No word is lost between the library's tables and what a reader sees."""
        support.need("mandoc")
        shown = output("mandoc", "-T", "utf8", "-O", "width=200", page("libgomp-amp.7"))
        shown = " ".join(re.sub(r".\x08", "", shown).split())
        options = rows("options/options.def") + rows("virtual/options.def")
        self.assertGreater(len(options), 15)
        for name, expected, text in options:
            self.assertIn(f"{name} {text} Expected: {expected}. Default: ", shown)
        schedules = (OPTIONS.source / "libgomp/amp/options/schedules.def").read_text()
        found = re.findall(
            r'\(AID_\w+, "(\w+)", .*?"(\w+)", "(\w*)",.*?"([^"]+)"\)', schedules, re.S
        )
        self.assertEqual(len(found), 3)
        for name, chunk, argument, text in found:
            arguments = f"[,{chunk}[,{argument}]]" if argument else f"[,{chunk}]"
            self.assertIn(f"{name}{arguments} {text}.", shown)


if __name__ == "__main__":
    support.main()
