#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that events add no instruction to the production library, and that one destructor is ours.

Every source of libgomp with an event is compiled with its events deleted: the machine code must be
that of the built library. That of the lab's library must differ, or the comparison would say
nothing.
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


def printed(build, words):
    """WORDS, in the build's makefile, as words of a shell."""
    text = subprocess.run(
        ["make", "-C", build, "-s", f"--eval=amp-print: ; @echo {words}", "amp-print"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return shlex.split(text)


def compile_command(build):
    """How libgomp's own build compiles, without what only libtool understands."""
    words = printed(build, "$(COMPILE)")
    return [word for word in words if not word.startswith("-Wc,")] + ["-fPIC", "-g0"]


def code(target):
    """The code of the object TARGET, disassembled."""
    text = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", target],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return text.split("\n", 3)[3]


def compiled(command, build, source):
    """The code of SOURCE as COMMAND compiles it in BUILD."""
    with tempfile.NamedTemporaryFile(suffix=".o") as target:
        subprocess.run([*command, "-c", str(source), "-o", target.name], check=True, cwd=build)
        return code(target.name)


def at_exit(source, build):
    """Of a library's BUILD the fork's objects that have a destructor or call atexit."""
    found = set()
    for path in (source / "amp").rglob("*.c"):
        target = build / ".libs" / f"{path.stem}.o"
        if not target.exists():
            continue
        headers, symbols = (
            subprocess.run(
                [*command, str(target)], check=True, capture_output=True, text=True
            ).stdout
            for command in (["objdump", "-h"], ["nm", "-u"])
        )
        if ".fini_array" in headers or ".dtors" in headers or re.search(r"\batexit\b", symbols):
            found.add(path.stem)
    return found


def without_hooks(original, bare):
    """A copy of the library's source without events, in BARE; the files that had some."""
    # The headers of ../include as well.
    shutil.copytree(original.parent, bare.parent, symlinks=False)
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
    command = compile_command(arguments.build)
    # amp.mk has a flag for each of these.
    entries = printed(arguments.build, "$(amp_hooked)")

    with tempfile.TemporaryDirectory() as scratch:
        bare = pathlib.Path(scratch) / "src" / "libgomp"
        elsewhere = [word.replace(str(original.parent), str(bare.parent)) for word in command]
        hooked = without_hooks(original, bare)
        failures = []
        for source in sources_of(hooked):
            full, lab = (code(build / ".libs" / f"{source.stem}.o") for build in builds)
            flags = [f'-DGOMP_AMP_ENTRIES="ompt/entries/{source.stem}.h"']
            own = elsewhere + (flags if source.stem in entries else [])
            none = compiled(own, arguments.build, bare / source)
            if full != none:
                failures.append(f"{source}: the events add code")
            if full == lab:
                failures.append(f"{source}: the lab's code is the same")
            lengths = [text.count("\n") for text in (full, none, lab)]
            print(
                "{}: {} lines of code with events, {} without, {} for the lab".format(
                    source, *lengths
                )
            )
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
