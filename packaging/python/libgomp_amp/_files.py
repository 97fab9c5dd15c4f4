# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of the wheel are."""

from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent
FILE = DIRECTORY / "lib/libgomp-amp/libgomp.so.1"


def tool(name: str) -> str:
    """The file of the program NAME."""
    return str(DIRECTORY / "bin" / name)
