# SPDX-License-Identifier: GPL-3.0-or-later
"""What both commands need."""

import os
import sys

from amp_watch import words

# A test holds it against the project's.
VERSION = "0.3.0"

# How regions are executed, by the keys of both files; kernel is of reports alone.
WAYS = {**words.WAY, "kernel": "folded by the kernel"}


def add_version(parser):
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def plural(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
