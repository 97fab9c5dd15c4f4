#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that docs/coordinator.md has what ampsim prints.

document_test.py <ampsim> <docs/coordinator.md> policies|tables [--write]

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


def main():
    ampsim, document, what, *write = sys.argv[1:]
    path = pathlib.Path(document)
    text = path.read_text()
    part = re.search(rf"(?<=<!-- ampsim {what} -->\n\n).*?(?=\n\n<!-- end -->)", text, re.S)
    if not part:
        sys.exit(f"{path}: no line <!-- ampsim {what} -->; expected one, and <!-- end --> below it")
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
