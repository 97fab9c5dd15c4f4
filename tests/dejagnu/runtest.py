# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one test suite of GCC's under DejaGnu, with a limit of time, and reads its results."""

import os
import re
import shutil
import signal
import subprocess

from results import read_sum
from setup_error import SetupError, Skip


def require():
    """Skip without DejaGnu."""
    if not shutil.which("runtest"):
        raise Skip("DejaGnu's runtest is not here (package dejagnu)")


def require_plain(option, *texts):
    """Stop if TEXTS, of which OPTION is the first, have characters that Tcl reads as its own."""
    for text in texts:
        if re.search(r"[^\w./+=,-]", str(text)):
            raise SetupError(
                f"{option} is {texts[0]}, in use is {text}; "
                "DejaGnu accepts no spaces or special characters in paths"
            )


def run(arguments, directory, site, environment, timeout):
    """The failure, if any, of runtest with ARGUMENTS in DIRECTORY, remade with the file SITE."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    (directory / "site.exp").write_text(site)
    with open(directory / "output", "w") as output:
        process = subprocess.Popen(
            ["runtest", *arguments],
            cwd=directory,
            env={**environment, "HOME": str(directory)},  # no ~/.dejagnurc
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            return f"stopped after {timeout} seconds; see {directory}/output"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return None


def read(tool, directory):
    """The states of the tests of a run of TOOL in DIRECTORY that has ended, and its failures."""
    summary = directory / f"{tool}.sum"
    text = summary.read_text(errors="surrogateescape") if summary.exists() else ""
    if f"=== {tool} Summary ===" not in text:
        return {}, [f"DejaGnu did not reach the end; see {directory}/output"]
    tests = read_sum(text)
    return tests, [] if tests else [f"no test was run; see {directory}/output"]
