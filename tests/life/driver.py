# SPDX-License-Identifier: GPL-3.0-or-later
"""What the drivers share: running a program in a clean environment, and skips."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))
from environment import clean  # noqa: E402


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def environment(**values):
    """Ours without what rules OpenMP, and with VALUES; LD_LIBRARY_PATH leads to the library."""
    settings = {
        "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH"),
        "OMP_WAIT_POLICY": "passive",
        **{name: str(value) for name, value in values.items()},
    }
    return clean(**settings)


def run(command, values=None, **options):
    """Run COMMAND with the variables VALUES; returns what subprocess.run does."""
    return subprocess.run(
        [str(part) for part in command],
        env=environment(**(values or {})),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=900,
        check=False,
        stdin=subprocess.DEVNULL,
        **options,
    )


def check(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")
