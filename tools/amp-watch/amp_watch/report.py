# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what GOMP_AMP_REPORT=FILE wrote: where a program's time in parallel regions went, what was
lost, and what to try.

Several files are the processes of one run, for example the ranks of an MPI program: their sums are
shown. --diff compares two. Names of functions need debug information and addr2line.
"""

import argparse
import shlex

from amp_watch.common import add_version, fail
from amp_watch.explain import explain
from amp_watch.page import page
from amp_watch.reports import find_files, load
from amp_watch.text import show, show_difference


def main():
    parser = argparse.ArgumentParser(prog="amp-report", description=__doc__)
    add_version(parser)
    parser.add_argument("file", nargs="+", help="what GOMP_AMP_REPORT named")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--html", metavar="PAGE", help="write a page with pictures to the file PAGE instead"
    )
    choice.add_argument(
        "--diff", action="store_true", help="compare two files, that of an earlier run first"
    )
    choice.add_argument(
        "--explain",
        action="store_true",
        help="what the program could reach, what it did, what is left and what to try; FILE may be"
        " a directory of reports; amp-run --explain uses this",
    )
    parser.add_argument(
        "--command",
        nargs=argparse.REMAINDER,
        default=[],
        help="with --explain: how the program was run; all that follows",
    )
    parser.add_argument(
        "--unfolded", metavar="WHY", help="with --explain: why amp-run did not fold it unasked"
    )
    arguments = parser.parse_args()
    if arguments.explain:
        name = shlex.quote(arguments.command[0]) if arguments.command else "it"
        explain(
            list(find_files(arguments.file)),
            shlex.join(arguments.command),
            arguments.unfolded and f"{name} unasked: {arguments.unfolded}",
        )
        return
    if arguments.diff:
        if len(arguments.file) != 2:
            parser.error(f"--diff: {len(arguments.file)} files: expected two; nothing is compared")
        show_difference(*(load([path]) for path in arguments.file))
        return
    report = load(arguments.file)
    if arguments.html is None:
        show(report)
        return
    try:
        with open(arguments.html, "w", encoding="utf-8") as file:
            file.write(page(report))
    except OSError as error:
        fail(f"{arguments.html}: {error.strerror}; the page is not written")
