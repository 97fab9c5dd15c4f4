# SPDX-License-Identifier: GPL-3.0-or-later
"""The instructions that each construct takes in libraries, and that the start of a process takes.

costs.py costs.c LIBRARY-DIRECTORY... Those in libgomp.so.1 count, as malloc's depend on what else
it has given out; for the start all count.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "common"))
import environment

FEW, MANY = 1000, 2000


def instructions(program, library, scratch, *arguments, objects="libgomp"):
    out = os.path.join(scratch, "callgrind.out")
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-line=no"]
        + [program, *map(str, arguments)],
        env=environment.clean(LD_LIBRARY_PATH=library, OMP_NUM_THREADS="1"),
        capture_output=True,
        check=True,
    )
    total, counts, names = 0, False, {}
    for line in pathlib.Path(out).read_text().splitlines():
        if match := re.match(r"ob=\((\d+)\)(?: (.*))?", line):
            names[match[1]] = names.get(match[1]) or match[2]
            counts = objects in names[match[1]]
        elif match := re.match(r"cob=\((\d+)\)(?: (.*))?", line):
            names[match[1]] = names.get(match[1]) or match[2]
        elif line.startswith("calls="):
            called = True
            continue
        elif match := re.match(r"[+*\-\d]\S* (\d+)$", line):
            # The line behind "calls=" has what was called in it.
            if counts and not called:
                total += int(match[1])
        called = False
    return total


def main():
    source, *libraries = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "costs")
        subprocess.run(["gcc", "-O2", "-fopenmp", source, "-o", program], check=True)
        names = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        for name in names.split():
            found = []
            for library in libraries:
                few, many = (
                    instructions(program, library, scratch, name, count) for count in (FEW, MANY)
                )
                found.append((many - few) / (MANY - FEW))
            print(f"{name:12}", *(f"{number:9.1f}" for number in found), flush=True)
        found = [
            instructions(program, library, scratch, "none", objects="") for library in libraries
        ]
        print(f"{'start':12}", *(f"{number:9}" for number in found))


main()
