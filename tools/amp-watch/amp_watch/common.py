# SPDX-License-Identifier: GPL-3.0-or-later
"""What both commands need."""

import os
import sys

# How regions are executed, by the keys of both files.
WAYS = {"called": "called", "turns": "by turns", "threads": "not folded"}


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def plural(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
