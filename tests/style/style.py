#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks how the project's own files are written.

style.py RULE SOURCE [--fix]

RULE is one of
  widths   no line is longer than widths.txt allows
  layout   no banners, no blanks at the end of a line, no two blank lines in C of GNU style
  sizes    no file of code has more than 700 lines, no function more than 60
  words    no word of words.txt
  commits  no subject of a commit is longer than 72 columns
  cxx      C++ is as clang-format writes it; --fix formats it
  python   Python is as ruff writes it, and ruff finds no fault in it; --fix formats it

Each finding is a line FILE:LINE: what is wrong; what is expected. The exit code is 1 if there is
one, and 77, with the reason, if the formatter is missing in the version of tools.txt, or the
history of commits.
"""

import argparse
import concurrent.futures
import difflib
import fnmatch
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tokenize

import functions

HERE = pathlib.Path(__file__).resolve().parent
# What is looked at; not the build directory, which may be anywhere.
ROOMS = "bench cmake coordinator docs gcc-patch libgomp packaging scripts tests tools .ci".split()
# Inputs of fuzzers, texts of machines, reports of measurements, a list of upstream's tests.
DATA = (
    "tests/fuzz/corpus/*",
    "tests/fuzz/dictionaries/*",
    "tests/fuzz/regressions/*",
    "tests/topologies/machines/*",
    "docs/results/*/*",
    "bench/*/expected/*",
    "LICENSE",
    "packaging/copyright.in",
    # The rules themselves, and what breaks them on purpose.
    "tests/style/words.txt",
    "tests/style/style_test.py",
)
GNU = (
    "libgomp/amp/*.[ch]",
    "libgomp/amp/*.inc",
    "libgomp/include/*",
    "gcc-patch/*.cc",
    "gcc-patch/*.h",
)
# Headers of C++ are those beside it.
CXX = (
    "*.cc",
    "coordinator/*.h",
    "tools/*.h",
    "tests/fuzz/*.h",
    "tests/life/*.h",
    "tests/model/*.h",
    "tests/omp/*.h",
    "tests/tsan/*.h",
    "tests/unit/*.h",
    "tests/virtual/*.h",
)
CODE = (".c", ".cc", ".h", ".inc", ".def", ".py")
# Programs of others, as they are known.
PORTED = ("bench/npb/*", "bench/programs/*", "bench/rodinia/*")
FILE_LINES, FUNCTION_LINES = 700, 60
TOOLS = "build/style"
# The last commit before the rule for subjects.
LAST_FREE_COMMIT = "7e26d87cf79390c3bfc104d5510da0774adbdf2e"
SUBJECT_COLUMNS = 72


def fits(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def names(source):
    """The files of the project in SOURCE, by name, but for data."""
    found = [path for path in source.iterdir() if path.is_file()]
    for room in ROOMS:
        found += (path for path in (source / room).rglob("*") if path.is_file())
    for path in sorted(found):
        name = path.relative_to(source).as_posix()
        if "__pycache__" not in name and name != ".git" and not fits(name, DATA):
            yield name


def read(source, name):
    """The text of the file NAME; None if it is none."""
    try:
        return (source / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def rows(table, columns, separator=None):
    """The rows of the file TABLE, each as long as COLUMNS says."""
    for number, line in enumerate((HERE / table).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if separator:
            row = [cell.strip() for cell in re.split(separator, line)]
        else:
            row = line.split()
        if len(row) != columns:
            sys.exit(f"{table}:{number}: {len(row)} columns; expected {columns}")
        yield row


def width_of(name, table):
    """How many columns lines of the file NAME may have; None for any number."""
    for pattern, columns in table:
        if fnmatch.fnmatchcase(name, pattern) or (
            "/" not in pattern and fnmatch.fnmatchcase(name.rpartition("/")[2], pattern)
        ):
            return None if columns == "free" else int(columns)
    return None


def widths(source):
    table = list(rows("widths.txt", 2))
    for name in names(source):
        most = width_of(name, table)
        text = read(source, name) if most else None
        for number, line in enumerate((text or "").splitlines(), 1):
            length = len(line.expandtabs(8))
            # What has no blank to wrap at, or is a table, or what a program prints.
            unbreakable = len(max(line.split() or [""], key=len)) > most - 20 or (
                name.endswith(".md") and line.startswith(("|", "    "))
            )
            if length > most and not unbreakable:
                yield f"{name}:{number}: {length} columns; expected at most {most}"


def layout(source):
    banner = re.compile(r"^\s*(/\*|//|#|!)\s*[-=*#~_]{4,}")
    for name in names(source):
        if name.endswith((".patch", ".diff")):
            continue
        gnu = fits(name, GNU)
        before = "x"
        for number, line in enumerate((read(source, name) or "").split("\n"), 1):
            if line != line.rstrip(" \t"):
                yield f"{name}:{number}: a blank ends the line; expected none"
            if banner.match(line) and not name.endswith(".md"):
                yield f"{name}:{number}: a banner; expected a sentence, or nothing"
            if gnu and line == before == "":
                yield f"{name}:{number}: a second blank line; expected one"
            before = line


def sizes(source):
    for name in names(source):
        text = read(source, name)
        if text is None:
            continue
        lines = text.splitlines()
        if name.endswith(CODE) and not fits(name, PORTED) and len(lines) > FILE_LINES:
            yield f"{name}:1: {len(lines)} lines; expected at most {FILE_LINES}"
        found = ()
        if name.endswith((".c", ".cc", ".h", ".inc")):
            found = functions.of_c(lines)
        elif is_python(source, name):
            found = functions.of_python(text)
        for line, function, size in found:
            if size > FUNCTION_LINES:
                yield (
                    f"{name}:{line}: {function} has {size} lines; expected at most {FUNCTION_LINES}"
                )


def blanked(text):
    """TEXT with blanks for all characters but ends of lines."""
    return re.sub(r"[^\n]", " ", text)


def prose_of_c(text):
    """Comments and strings of C, C++; everything else is blanked."""
    token = re.compile(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|[^/\"']+|.", re.DOTALL
    )
    return "".join(
        found if found.startswith(("//", "/*", '"')) else blanked(found)
        for found in token.findall(text)
    )


def prose_of_python(text):
    lines = text.splitlines(keepends=True)
    kept = [list(blanked(line)) for line in lines]
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", None)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in kinds:
            continue
        for row in range(token.start[0], token.end[0] + 1):
            first = token.start[1] if row == token.start[0] else 0
            last = token.end[1] if row == token.end[0] else len(lines[row - 1])
            kept[row - 1][first:last] = lines[row - 1][first:last]
    return "".join("".join(line) for line in kept)


def prose_of_lines(text, mark):
    """Comments from MARK to the end of a line, and strings in double quotes."""
    token = re.compile(mark + r"[^\n]*|\"(?:\\.|[^\"\\])*\"|[^\"]", re.DOTALL)
    return "".join(found if len(found) > 1 else blanked(found) for found in token.findall(text))


def prose_of_markdown(text):
    text = re.sub(r"^( *)```.*?^ *```", lambda found: blanked(found[0]), text, flags=re.M | re.S)
    text = re.sub(r"^ {4}.*`.*$|^    [^\s*-].*$", lambda found: blanked(found[0]), text, flags=re.M)
    return re.sub(r"`[^`\n]*`|\]\([^)\n]*\)", lambda found: blanked(found[0]), text)


def prose(name, text):
    """What of TEXT, of the file NAME, is written for people, at its place."""
    first = text.partition("\n")[0]
    suffix = pathlib.PurePath(name).suffix
    if suffix == ".py" or ("python" in first and first.startswith("#!")):
        return prose_of_python(text)
    if suffix in (".c", ".cc", ".h", ".inc", ".def"):
        return prose_of_c(text)
    if suffix == ".md":
        return prose_of_markdown(text)
    if suffix == ".f90":
        return prose_of_lines(text, "!")
    if suffix == ".patch":
        return re.split(r"^--- ", text, maxsplit=1, flags=re.M)[0]
    if suffix in (".cmake", ".mk") or name.endswith("CMakeLists.txt") or first.startswith("#!"):
        return prose_of_lines(text, "#")
    return text


def words(source):
    # Between two words a line may end, and a comment or a string go on.
    gap = r"""\s[\s*#/!"]*"""
    table = []
    for wrong, instead, files in rows("words.txt", 3, ";"):
        pattern = re.compile(rf"(?<![\w-])({wrong.replace(' ', gap)})(?![\w-])", re.I)
        table.append((pattern, instead, files.split()))
    for name in names(source):
        text = read(source, name)
        if text is None:
            continue
        written = prose(name, text)
        for pattern, instead, files in table:
            if not fits(name, files):
                continue
            for found in pattern.finditer(written):
                line = written.count("\n", 0, found.start()) + 1
                word = " ".join(found[0].split())
                yield f"{name}:{line}: '{word}' is not used; expected: {instead}"


class Missing(Exception):
    """A formatter, or the history, is missing."""


def commits(source, after=LAST_FREE_COMMIT):
    command = ["git", "-C", source, "log", "--no-merges", "--format=%h %s", f"{after}..HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"a clone with its whole history is needed: {error}") from error
    for line in done.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT_COLUMNS:
            yield (
                f"{commit}: '{subject}': {len(subject)} columns; expected at most {SUBJECT_COLUMNS}"
            )


def formatter(source, program):
    """The path of PROGRAM, in the version of tools.txt."""
    wanted = dict(line.split("==") for (line,) in rows("tools.txt", 1))[program]
    # Of clang-format's package bin/ has a script that does not run from there.
    places = (source / TOOLS / "clang_format/data/bin", source / TOOLS / "bin", os.environ["PATH"])
    there = shutil.which(program, path=os.pathsep.join(map(str, places)))
    said = there and subprocess.run([there, "--version"], capture_output=True, text=True).stdout
    if wanted not in (said or "").split():
        has = f"'{said.strip()}' is another" if said else "there is none"
        raise Missing(f"{program} {wanted} is needed: {has}; scripts/install-deps installs it")
    return there


def first_difference(name, text, expected):
    """Where TEXT of the file NAME is not as EXPECTED."""
    differences = difflib.unified_diff(text.splitlines(), expected.splitlines(), n=0, lineterm="")
    hunk = [line for line in differences if not line.startswith(("---", "+++"))]
    line = re.match(r"@@ -(\d+)", hunk[0])[1]
    wrong = next((found[1:].strip() for found in hunk if found.startswith("-")), "")
    right = next((found[1:].strip() for found in hunk if found.startswith("+")), "")
    return f"{name}:{line}: '{wrong}' is not as formatted; expected '{right}'"


def cxx(source, fix=False):
    program = formatter(source, "clang-format")
    files = [name for name in names(source) if fits(name, CXX) and not fits(name, GNU)]

    def check(name):
        command = [program, "--style=file", name]
        done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
        text = read(source, name)
        if done.stdout == text:
            return None
        if fix:
            (source / name).write_text(done.stdout)
        return first_difference(name, text, done.stdout)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(check, files))


def is_python(source, name):
    if name.endswith(".py"):
        return True
    with open(source / name, "rb") as file:
        first = file.readline(80)
    return first.startswith(b"#!") and b"python" in first


def run_ruff(source, program, *arguments):
    """What the formatter says; it ends with 1 if it has something to say."""
    command, *rest = arguments
    done = subprocess.run(
        [program, command, "--no-cache", *rest],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout


def python(source, fix=False):
    program = formatter(source, "ruff")
    files = [name for name in names(source) if is_python(source, name)]
    if not files:
        return
    if fix:
        for step in (["check", "--fix", "--exit-zero"], ["format"]):
            subprocess.run(
                [program, *step, "--no-cache", "--quiet", *files], cwd=source, check=True
            )
    # One file at a time would take a second each.
    differences = run_ruff(source, program, "format", "--diff", *files)
    for part in re.split(r"^(?=--- )", differences, flags=re.M):
        found = re.match(r"--- (\S+)\n\+\+\+ .*\n@@ -(\d+).*\n(?s:(.*))", part)
        if found:
            lines = found[3].splitlines()
            line = int(found[2]) + next(n for n, text in enumerate(lines) if text[:1] in "-+")
            wrong = next((text[1:].strip() for text in lines if text.startswith("-")), "")
            right = next((text[1:].strip() for text in lines if text.startswith("+")), "")
            yield f"{found[1]}:{line}: '{wrong}' is not as formatted; expected '{right}'"
    faults = run_ruff(source, program, "check", "--output-format", "concise", "--quiet", *files)
    for line in faults.splitlines():
        yield f"{line}; expected none"


RULES = {rule.__name__: rule for rule in (widths, layout, sizes, words, commits, cxx, python)}


def main():
    parser = argparse.ArgumentParser(description="Checks how files are written.")
    parser.add_argument("rule", choices=RULES)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true", help="format (cxx and python)")
    arguments = parser.parse_args()
    options = {"fix": True} if arguments.fix and arguments.rule in ("cxx", "python") else {}
    try:
        found = list(RULES[arguments.rule](arguments.source.resolve(), **options))
    except Missing as missing:
        print(missing)
        return 77
    for line in found:
        print(line)
    looked_at = sum(1 for _ in names(arguments.source.resolve()))
    print(f"{looked_at} files, {len(found)} findings")
    if looked_at < 100:
        print(f"'{arguments.source}' is not the source directory; expected hundreds of files")
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
