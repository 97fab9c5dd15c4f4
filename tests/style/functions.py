# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the functions of a file are, by how the formats of C, C++ and Python write them."""

import ast
import re

# What a line that ends in ") {" is if it begins with one of these: no function.
_OTHERS = re.compile(r"\s*((if|for|while|switch|do|return|case)\b|[\[{}])|.*= [\[{]")
_HEAD = re.compile(r"\)[\w\s:&>*,<-]*\{$|^\S.*\) :.*\{$")
_NAME = re.compile(r"(?:^|[\s*&])(TEST\w*\([^)]*\)|(?:[\w~]+(?:<[\w, ]+>)?::)*[\w~]+(?=\())")
_CONTINUED = re.compile(r"\s{4,}\S")


def _head(lines, last):
    """The index of the line in which the head of a function begins that ends in the line LAST."""
    first = last
    while first and _CONTINUED.match(lines[first]):
        before = lines[first - 1].rstrip()
        if not before or before.endswith((";", "{", "}", ":")):
            break
        first -= 1
    return first


def of_c(lines):
    """The number of the last line, the name and the length of each function in C or C++, from the
    line that the body, or in the format of C++ the head, begins in. A lambda is part of its
    function, a row of a table is none."""
    end, begin, name = "", 0, ""
    for number, line in enumerate(lines, 1):
        if end:
            if line == end:
                yield number, name, number - begin + 1
                end = ""
        elif line.strip() == "{" and lines[number - 2].endswith(")"):
            heads = (re.search(r"([\w:~]+) \(", one) for one in reversed(lines[: number - 1]))
            begin, name, end = number, next(filter(None, heads), [""] * 2)[1], line[:-1] + "}"
        elif line.endswith("{") and _HEAD.search(line):
            first = _head(lines, number - 1)
            found = _NAME.search(lines[first])
            if found and not _OTHERS.match(lines[first]):
                begin, name, end = first + 1, found[1], re.match(r"\s*", lines[first])[0] + "}"


def of_python(text):
    """The same of Python; a function in another one is part of it, and counts on its own too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.end_lineno, node.name, node.end_lineno - node.lineno + 1
