# SPDX-License-Identifier: GPL-3.0-or-later
"""Running a program in virtual time, and what amp-emu then reports."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))
import environment  # noqa: E402

RUNTIME = "virtual/libgomp.so.1"


class LabError(Exception):
    """A run that failed, or was not in virtual time."""


def run(
    build: Path,
    machine: str,
    command: list[str | Path],
    *options: str,
    **variables: str,
) -> tuple[str, dict]:
    """Run a command on a virtual machine: what it printed on stdout, and amp-emu's report of the
    one process of it that ran a parallel region; LabError unless all went well."""
    with tempfile.TemporaryDirectory(prefix="amp-virtual-") as scratch:
        report = Path(scratch) / "report.json"
        words = [build / "bin" / "amp-emu", "virtual", machine, "--quiet", "--json", report]
        words += [*options, "--", *command]
        done = subprocess.run(
            words,
            env=environment.clean(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise LabError(
                f"{' '.join(map(str, words))} ended with status {done.returncode}; it printed:\n"
                f"{done.stdout}{done.stderr}"
            )
        processes = json.loads(report.read_text())["processes"]
    if len(processes) != 1:
        raise LabError(f"{len(processes)} processes ran in virtual time instead of one")
    return done.stdout, processes[0]
