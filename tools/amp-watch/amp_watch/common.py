# SPDX-License-Identifier: GPL-3.0-or-later
"""What both commands need."""

import os
import sys


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def plural(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
