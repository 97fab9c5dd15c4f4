# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts programs on the library, by amp-run."""

import os
import subprocess
import sys
from collections.abc import Sequence

from libgomp_amp._files import tool

# The process that restart has started once more.
_RESTARTED = "LIBGOMP_AMP_RESTARTED"

Fold = int | str | bool | None


def variables(fold: Fold = None, schedule: str | None = None, report: str | None = None) -> dict:
    """The variables that the arguments of run and restart stand for. An argument that is None has
    none: what the environment has stays."""
    found = {}
    if fold is not None:
        value = {True: "auto", False: "0"}[fold] if isinstance(fold, bool) else str(fold)
        found["GOMP_AMP_FOLD"] = value
    if schedule is not None:
        found["OMP_SCHEDULE"] = schedule
    if report is not None:
        found["GOMP_AMP_FOLD_REPORT"] = os.path.abspath(report)
    return found


def run(
    command: Sequence[str],
    *,
    fold: Fold = None,
    schedule: str | None = None,
    report: str | None = None,
    **options,
) -> subprocess.CompletedProcess:
    """Run COMMAND on the library, as subprocess.run does, which has the OPTIONS.

    fold: the threads of a team for each core: a number, or "auto" or True for as few as balance the
    cores; 0 or False: teams are not folded.
    schedule: OMP_SCHEDULE, of loops with schedule(runtime), such as "aid_hybrid".
    report: a file to which each process with folded teams adds a line of JSON.

    amp-run says on standard error what is wrong with a value, and has status 125 or 2 then.
    """
    environment = dict(options.pop("env", None) or os.environ)
    environment.update(variables(fold, schedule, report))
    return subprocess.run([tool("amp-run"), "--", *command], env=environment, **options)


def restart(*, fold: Fold = None, schedule: str | None = None, report: str | None = None) -> None:
    """Start this Python program once more, on the library with the settings of run, unless it runs
    so already. For the first lines of a script: all that it did before is done again.

    Raises RuntimeError in an interactive Python, whose state would be lost.
    """
    wanted = variables(fold, schedule, report)
    preloaded = "/libgomp-amp/libgomp.so.1" in os.environ.get("LD_PRELOAD", "")
    if preloaded and all(os.environ.get(name) == wanted[name] for name in wanted):
        return
    # Never a second time, whatever came of the first: exec keeps the number of the process.
    if os.environ.get(_RESTARTED) == str(os.getpid()):
        return
    if hasattr(sys, "ps1") or "ipykernel" in sys.modules:
        raise RuntimeError(
            "libgomp_amp.restart: this Python is interactive, and its state would be lost; "
            "expected a script; set "
            + (", ".join(wanted) or "GOMP_AMP_FOLD")
            + " in os.environ before "
            "`import libgomp_amp` instead; nothing is restarted"
        )
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    command = [tool("amp-run"), "--", sys.executable, *sys.orig_argv[1:]]
    os.execve(command[0], command, {**os.environ, **wanted, _RESTARTED: str(os.getpid())})
