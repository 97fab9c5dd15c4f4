# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/design/ompt.md has what ompt.def says of each callback, and of each entry point of our own.

docs_test.py ompt.def ompt.md [--write]
"""

import pathlib
import re
import sys

CALLBACKS = re.compile(r"(\| Callback \| \| Events \|\n\|---\|---\|---\|\n)(.*?)(<!-- End)", re.S)
OWN = re.compile(r"(\| Entry point \| Where \| \|\n\|---\|---\|---\|\n)(.*?)(<!-- End)", re.S)


def own_rows(table):
    for name, rest in re.findall(r"^GOMP_OMPT_OWN \((\w+),(.*?)\)$", table, re.M | re.S):
        where, *words = re.findall(r'"(.*?)"', rest)
        yield f"| `ompx_amp_{name}` | {where} | {''.join(words)} |\n"


def rows(table):
    calls = re.findall(r"^GOMP_OMPT_CALLBACK \((\w+), \w+, (\w+),\s*(.*?)\)$", table, re.M | re.S)
    never = [f"`{name}`" for name, how, _ in calls if how == "never"]
    for name, how, when in calls:
        if how != "never":
            words = "".join(re.findall(r'"(.*?)"', when))
            yield f"| `{name}` | {how.replace('_', ' ')} | {words} |\n"
    yield f"| {', '.join(never)} | never | |\n"


def main():
    table, page = map(pathlib.Path, sys.argv[1:3])
    definitions = re.sub(r"/\*.*?\*/", "", table.read_text(), flags=re.S)
    for pattern, make, least in ((CALLBACKS, rows, 15), (OWN, own_rows, 5)):
        text = page.read_text()
        found = pattern.search(text)
        expected = "".join(make(definitions))
        if found is None or len(expected.splitlines()) < least:
            sys.exit(f"{page} has no table, or {table} no rows for it")
        if "--write" in sys.argv:
            page.write_text(pattern.sub(lambda match: match[1] + expected + match[3], text))
        elif found[2] != expected:
            sys.exit(f"{page} differs from {table}: run {sys.argv[0]} with --write")


main()
