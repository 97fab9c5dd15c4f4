# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/ompt.md has what ompt.def says of each callback.

docs_test.py ompt.def ompt.md [--write]
"""

import pathlib
import re
import sys

BEGIN = re.compile(r"(\| Callback \| \| Events \|\n\|---\|---\|---\|\n)(.*?)(<!-- End)", re.S)


def rows(table):
    text = re.sub(r"/\*.*?\*/", "", table, flags=re.S)
    calls = re.findall(r"^GOMP_OMPT_CALLBACK \((\w+), \w+, (\w+),\s*(.*?)\)$", text, re.M | re.S)
    never = [f"`{name}`" for name, how, _ in calls if how == "never"]
    for name, how, when in calls:
        if how != "never":
            words = "".join(re.findall(r'"(.*?)"', when))
            yield f"| `{name}` | {how.replace('_', ' ')} | {words} |\n"
    yield f"| {', '.join(never)} | never | |\n"


def main():
    table, page = map(pathlib.Path, sys.argv[1:3])
    text = page.read_text()
    found = BEGIN.search(text)
    expected = "".join(rows(table.read_text()))
    if found is None or len(expected.splitlines()) < 15:
        sys.exit(f"{page} has no table, or {table} no callbacks")
    if "--write" in sys.argv:
        page.write_text(BEGIN.sub(lambda match: match[1] + expected + match[3], text))
    elif found[2] != expected:
        sys.exit(f"{page} differs from {table}: run {sys.argv[0]} with --write")


main()
