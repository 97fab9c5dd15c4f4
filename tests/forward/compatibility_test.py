#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the tables of docs/guide/compatibility.md are those of forward.def, and forward.awk.

compatibility_test.py <source directory> [--write]

--write writes the tables.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import table

NEWEST = 17


def bases():
    """The majors that the library can be built from."""
    queues = (SOURCE / "libgomp/patches").glob("gcc-*")
    return sorted(int(queue.name.removeprefix("gcc-")) for queue in queues)


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def limits_of(program, base):
    """The numbers of the limits that a program of the major PROGRAM meets on BASE."""
    return [
        number
        for number, limit in enumerate(TABLE.limits, 1)
        if limit.major <= program and base < limit.until
    ]


def programs():
    yield row("Program compiled by", *(f"base {base}" for base in bases()))
    yield "|" + "---|" * (len(bases()) + 1)
    for program in range(bases()[0], NEWEST + 1):
        cells = []
        for base in bases():
            numbers = ", ".join(map(str, limits_of(program, base)))
            cells.append("runs" + (f", but for {numbers}" if numbers else ""))
        yield row(f"GCC {program}" + (" and earlier" if program == bases()[0] else ""), *cells)


def limits():
    for number, limit in enumerate(TABLE.limits, 1):
        yield f"{number}. {limit.what[0].upper()}{limit.what[1:]}"
        yield f"   (GCC {limit.major}). Before base {limit.until}: {limit.result}."


def absent():
    yield row("Function", "Version", "GCC", "For")
    yield "|---|---|--:|---|"
    for symbol in TABLE.absent:
        yield row(f"`{symbol.name}`", f"`{symbol.version}`", symbol.major, symbol.reason)


def groups():
    yield row("For", "GCC", "Functions", "Answer where the base has none")
    yield "|---|--:|--:|---|"
    for key, group in TABLE.groups.items():
        symbols = [symbol for symbol in TABLE.symbols if symbol.group == key]
        majors = sorted({symbol.major for symbol in symbols})
        yield row(group.what, ", ".join(map(str, majors)), len(symbols), group.answer)
    yield row("all", "", len(TABLE.symbols), "")


def filled(text):
    """TEXT with the tables of now between their marks."""
    for make in (programs, limits, absent, groups):
        new = "\n\n" + "\n".join(make()) + "\n\n"
        mark = rf"(<!-- {make.__name__} -->).*?(<!-- end -->)"
        text, count = re.subn(
            mark, lambda match, new=new: match[1] + new + match[2], text, flags=re.S
        )
        if count != 1:
            raise ValueError(f"no mark <!-- {make.__name__} --> in the page")
    return text


class Page(unittest.TestCase):
    maxDiff = None

    def test_tables_are_those_of_now(self):
        text = PAGE.read_text()
        self.assertEqual(text, filled(text), f"run {__file__} with --write")

    def test_every_group_has_symbols(self):
        self.assertEqual({symbol.group for symbol in TABLE.symbols}, set(TABLE.groups))

    def test_versions_form_chains(self):
        for version, before in TABLE.previous.items():
            self.assertEqual(version.split("_")[0], before.split("_")[0])
            if before in TABLE.majors:
                self.assertLessEqual(TABLE.majors[before], TABLE.majors[version])


# What a base may look like: it has one version of the table and a part of another, and names a
# function in a version that later became another's.
BASE = """\
OMP_5.1 {
  global:
 omp_one;
  local:
 *;
};
GOMP_5.1 {
  global:
 GOMP_one;
};
OACC_2.6 {
  global:
 acc_one;
 acc_delete_finalize_async_32_h_;
} ;
GOMP_6.0 {
  global:
 omp_get_uid_from_device;
} GOMP_5.1.3;
"""


class Generator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as directory:
            base = pathlib.Path(directory, "libgomp.ver")
            base.write_text(BASE)
            lacks = pathlib.Path(directory, "lacks.h")
            awk = table.FILE.with_name("forward.awk")
            command = ["awk", "-v", f"lacks={lacks}", "-f", awk, table.FILE, base]
            cls.map = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            cls.lacks = set(re.findall(r"^#define GOMP_LACKS_(\w+) 1$", lacks.read_text(), re.M))

    def node(self, version):
        """The names and the previous version of the node VERSION, of which there is one."""
        ((text, before),) = re.findall(
            rf"^{re.escape(version)} {{\n(.*?)^}} ?(.*?);$", self.map, re.M | re.S
        )
        return re.findall(r"^\s*([\w*]+);", text, re.M), before

    def test_what_the_base_has_is_not_lacking(self):
        expected = {symbol.name for symbol in TABLE.symbols} - {"omp_get_uid_from_device"}
        self.assertEqual(self.lacks, expected)

    def test_new_versions_follow_their_previous_ones(self):
        for version, before in TABLE.previous.items():
            names, found = self.node(version)
            self.assertEqual(found, before)
            expected = [symbol.name for symbol in TABLE.symbols if symbol.version == version]
            self.assertEqual(sorted(names), sorted(expected))

    def test_the_rest_of_the_base_stays(self):
        self.assertEqual(self.node("OMP_5.1"), (["omp_one", "*"], ""))
        self.assertEqual(self.node("GOMP_5.1"), (["GOMP_one"], ""))

    def test_a_function_leaves_the_version_that_it_never_was_in(self):
        self.assertEqual(self.node("OACC_2.6"), (["acc_one"], ""))


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1])
    PAGE = SOURCE / "docs/guide/compatibility.md"
    TABLE = table.Table()
    if sys.argv[2:] == ["--write"]:
        PAGE.write_text(filled(PAGE.read_text()))
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[2:])
