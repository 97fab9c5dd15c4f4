# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks GCC's gomp test suites, and what they need to run, from a GCC source package."""

import pathlib
import shutil
import subprocess

from setup_error import SetupError

# Below gcc/testsuite; shell patterns.
NEEDED = ["lib", "config", "*/gomp"]


def add_arguments(parser):
    """The options that say where the suites come from and go to."""
    parser.add_argument(
        "--gcc-source",
        type=pathlib.Path,
        required=True,
        help="GCC's source, a tarball or a directory",
    )
    parser.add_argument(
        "--work",
        type=pathlib.Path,
        required=True,
        help="directory for the unpacked suites and for results",
    )


def unpack(source, target):
    """Make TARGET anew with the suites of SOURCE, a tarball or a directory; its gcc/testsuite.

    Debian ships later fixes with their tests beside the tarball (git-updates.diff), but does not
    build its compilers with them, so the tests are those of the release.
    """
    if not source.exists():
        raise SetupError(f"--gcc-source is {source}, which does not exist")
    shutil.rmtree(target, ignore_errors=True)
    suites = target / "gcc/testsuite"
    if source.is_dir():
        for pattern in NEEDED:
            for folder in (source / "gcc/testsuite").glob(pattern):
                copy = suites / folder.relative_to(source / "gcc/testsuite")
                shutil.copytree(folder, copy, symlinks=True)
    else:
        target.mkdir(parents=True)
        members = [f"*/gcc/testsuite/{pattern}" for pattern in NEEDED]
        how = ["--strip-components=1", "--no-wildcards-match-slash", "--wildcards"]
        run(["tar", "-x", "-f", source, "-C", target, *how, *members])
    if not (suites / "lib/gcc-dg.exp").is_file():
        raise SetupError(f"--gcc-source is {source}, which lacks gcc/testsuite/lib/gcc-dg.exp")
    return suites


def run(command):
    """Run COMMAND, which must succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"unpacking GCC's test suites: {error}") from None
    if done.returncode:
        raise SetupError(f"unpacking GCC's test suites: {command[0]} failed: {done.stderr.strip()}")
