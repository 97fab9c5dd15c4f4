#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that docs/results/coordinator/report.md has what ampsim prints, and docs/guide/several.md
the table of up.def.

document_test.py <ampsim> <docs/results/coordinator/report.md> policies|tables [--write]

document_test.py <up.def> <docs/guide/several.md> up [--write]

Between the lines `<!-- ampsim WHAT -->` and `<!-- end -->` the document has the output of ampsim
WHAT. --write puts it there. Figures of the host's time are not compared.
"""

import pathlib
import re
import subprocess
import sys

# Rows that are not the same each time.
HOST = re.compile(r"\| (C4|C7 \| (512 cores for 60 s|worst decision))")
COMMANDS = {"policies": ["policies", "--markdown"], "tables": ["tables"]}


def up(path):
    """The rows of the table of counter files."""
    text = pathlib.Path(path).read_text()
    classes = re.search(r"#define UP_CLASSES (\d+)", text)[1]
    lines = ["| bytes | type | name | meaning |", "|--:|---|---|---|"]
    at = 0
    row = r'^UP \((\w+), (\w+), (\w+), "(.*)"\)$'
    for kind, name, count, meaning in re.findall(row, text, re.MULTILINE):
        count = int(classes if count == "UP_CLASSES" else count)
        size = int(re.search(r"\d+", kind)[0]) // 8
        assert at % size == 0, f"{name}: not where the compiler puts it"
        array = f"[{count}]" if count > 1 else ""
        meaning = meaning.replace('\\"', '"')
        lines.append(f"| {at} | `{kind}{array}` | `{name}` | {meaning} |")
        at += size * count
    return "\n".join(lines)


def main():
    ampsim, document, what, *write = sys.argv[1:]
    path = pathlib.Path(document)
    text = path.read_text()
    part = re.search(rf"(?<=<!-- ampsim {what} -->\n\n).*?(?=\n\n<!-- end -->)", text, re.S)
    if not part:
        sys.exit(f"{path}: no line <!-- ampsim {what} -->; expected one, and <!-- end --> below it")
    if what == "up":
        now = up(ampsim)
    else:
        command = [ampsim, *COMMANDS[what]]
        now = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if write == ["--write"]:
        path.write_text(text[: part.start()] + now + text[part.end() :])
        return
    wrong = 0
    before, after = part[0].splitlines(), now.splitlines()
    for old, new in zip(before + [""] * len(after), after + [""] * len(before)):
        if old != new and not HOST.match(old):
            wrong += 1
            print(f"{path}: '{old}'; expected '{new}'")
    if wrong:
        sys.exit(f"{wrong} lines differ; this command and --write writes them")


if __name__ == "__main__":
    main()
