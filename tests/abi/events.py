#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that events add nothing to the production library, and that one destructor is ours.

Every source of libgomp with an event is preprocessed, and once more with its events deleted: but
for empty statements the compiler must see the same. What it sees for the lab's library must differ,
or the comparison would say nothing.
"""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HOOK = re.compile(r"^[ \t]*gomp_event_\w+ \(.*\);\n", re.MULTILINE)
NOTHING = re.compile(r"\(\(void\) 0\);")


def printed(build, words):
    """WORDS, in the build's makefile, as words of a shell."""
    text = subprocess.run(
        ["make", "-C", build, "-s", f"--eval=amp-print: ; @echo {words}", "amp-print"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return shlex.split(text)


def preprocess_command(build):
    """How libgomp's own build compiles, without what only libtool understands, and only the first
    part of it."""
    words = printed(build, "$(COMPILE)")
    return [word for word in words if not word.startswith("-Wc,")] + ["-fPIC", "-E", "-P"]


def preprocessed(command, build, source):
    """What the compiler sees of SOURCE by COMMAND in BUILD, without empty statements."""
    text = subprocess.run(
        [*command, str(source)], check=True, cwd=build, capture_output=True, text=True
    ).stdout
    return " ".join(NOTHING.sub("", text).split())


def at_exit(source, build):
    """Of a library's BUILD the fork's objects that have a destructor or call atexit."""
    places = (build / ".libs" / f"{path.stem}.o" for path in (source / "amp").rglob("*.c"))
    targets = {str(place) for place in places if place.exists()}
    headers, symbols = (
        subprocess.run([*command, *targets], check=True, capture_output=True, text=True).stdout
        for command in (["objdump", "-h"], ["nm", "-uA"])
    )
    found = set(re.findall(r"^(\S+):\s+U atexit\b", symbols, re.MULTILINE))
    for part in re.split(r"^(?=\S+:\s+file format)", headers, flags=re.MULTILINE):
        if ".fini_array" in part or ".dtors" in part:
            found.add(part.partition(":")[0])
    return {pathlib.Path(target).stem for target in found}


def without_hooks(original, bare):
    """A copy of the library's source without events, in BARE; the files that had some."""
    # The headers of ../include as well.
    shutil.copytree(original.parent, bare.parent, ignore=lambda *_: ["testsuite"])
    hooked = []
    for path in bare.rglob("*.[chi]*"):
        if "virtual" in path.parts or not path.is_file():
            continue
        text = path.read_text(errors="surrogateescape")
        # An empty line in its place: assert knows its own.
        without = HOOK.sub("\n", text)
        if without != text:
            path.write_text(without, errors="surrogateescape")
            hooked.append(path.relative_to(bare))
    return hooked


def sources_of(hooked):
    """The sources to compare, by those that have events."""
    # taskloop.c is part of task.c.
    sources = sorted(path for path in hooked if path.suffix == ".c" and path.name != "taskloop.c")
    # An include file of both integer types, and a header of nearly all.
    loops = ("loop-runtime-long.c", "loop-runtime-ull.c")
    return sources + [pathlib.Path("amp/loops") / name for name in loops] + [pathlib.Path("team.c")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path, help="the patched libgomp")
    parser.add_argument("build", type=pathlib.Path, help="where it was built")
    arguments = parser.parse_args()
    original = arguments.source.absolute()
    builds = (arguments.build, arguments.build.with_name(arguments.build.name + "-virtual"))
    command = preprocess_command(arguments.build)
    # amp.mk has a flag for each of these.
    entries = printed(arguments.build, "$(amp_hooked)")

    with tempfile.TemporaryDirectory() as scratch:
        bare = pathlib.Path(scratch) / "src" / "libgomp"
        elsewhere = str(original.parent), str(bare.parent)
        hooked = without_hooks(original, bare)
        failures = []
        for source in sources_of(hooked):
            entry = f'-DGOMP_AMP_ENTRIES="ompt/entries/{source.stem}.h"'
            more = [entry] if source.stem in entries else []
            full, lab = (
                preprocessed([*command, *more, *flags], arguments.build, original / source)
                for flags in ([], ["-DGOMP_AMP_VIRTUAL"])
            )
            own = [word.replace(*elsewhere) for word in (*command, *more)]
            none = preprocessed(own, arguments.build, bare / source)
            # An assertion has the file's name.
            if full.replace(*elsewhere) != none:
                failures.append(f"{source}: the events add code")
            if full == lab:
                failures.append(f"{source}: the lab's code is the same")
            print(f"{source}: {len(full)} characters, {len(lab)} for the lab")
    if len(hooked) < 6:
        failures.append(f"only {len(hooked)} files with events found: {hooked}")
    for build in builds:
        enders = at_exit(original, build)
        # A tool ends before libraries that it uses, and so before exit.c.
        if enders != {"exit", "ompt-start"}:
            failures.append(
                f"{build}: only exit.c and ompt-start.c may act at the end, but these do:"
                f" {sorted(enders)}"
            )
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
