# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads libgomp/amp/forward/forward.def, the symbols of later majors that every base exports."""

import pathlib
import re
from typing import NamedTuple

FILE = pathlib.Path(__file__).resolve().parents[2] / "libgomp/amp/forward/forward.def"


class Symbol(NamedTuple):
    name: str
    version: str
    major: int  # the first GCC that has it
    group: str  # a key of Table.groups; None: no base gets it
    reason: str  # why no base gets it


class Group(NamedTuple):
    what: str
    answer: str


class Limit(NamedTuple):
    major: int
    until: int
    what: str
    result: str


def fields(row):
    """The arguments of the macro call ROW, texts without their quotes."""
    return [
        re.sub(r'"\s*"', "", field).strip().strip('"')
        for field in re.findall(r'((?:"[^"]*"\s*)+|[^,"]+),?\s*', row)
    ]


class Table:
    def __init__(self):
        code = re.sub(r"/\*.*?\*/", "", FILE.read_text(), flags=re.S)
        # A text may contain parentheses.
        rows = re.findall(r'^(GOMP_FORWARD\w*) \(((?:"[^"]*"|[^)"])*)\)$', code, re.M)
        calls = {}
        for macro, row in rows:
            calls.setdefault(macro, []).append(fields(row))
        if sum(map(len, calls.values())) != len(re.findall(r"^GOMP_FORWARD", code, re.M)):
            raise ValueError(f"{FILE}: a row that is not understood")
        self.groups = {key: Group(*row) for key, *row in calls["GOMP_FORWARD_GROUP"]}
        self.previous = {name: before for name, before, _ in calls["GOMP_FORWARD_VERSION"]}
        self.majors = {name: int(major) for name, _, major in calls["GOMP_FORWARD_VERSION"]}
        self.symbols = [
            Symbol(name, version, self.majors[version], group, None)
            for name, version, group in calls["GOMP_FORWARD"]
        ]
        self.absent = [
            Symbol(name, version, int(major), None, reason)
            for name, version, major, reason in calls["GOMP_FORWARD_ABSENT"]
        ]
        self.limits = [
            Limit(int(major), int(until), *row)
            for major, until, *row in calls["GOMP_FORWARD_LIMIT"]
        ]

    def lacking(self, base):
        """The symbols that the library of the major BASE does not have by itself."""
        return [symbol for symbol in self.symbols if symbol.major > base]
