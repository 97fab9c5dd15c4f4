# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests of the lab share."""

import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCH))
from lab import record  # noqa: E402


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def file(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def script(self, name: str, text: str) -> Path:
        """A program of the shell's."""
        path = self.file(name, f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path


def rows(machine, emulation, program, label, seconds, runtime="virtual", schedule="", **more):
    """Rows of a record, one a round."""
    return [
        dict.fromkeys(record.COLUMNS, "")
        | {
            "machine": machine,
            "emulation": emulation,
            "program": program,
            "label": label,
            "schedule": schedule or label,
            "runtime": runtime,
            "round": str(number),
            "status": record.OK,
            "seconds": str(value),
            "value": str(value),
        }
        | more
        for number, value in enumerate(seconds, 1)
    ]
