# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks test suites, and what they need to run, from a GCC source package."""

import pathlib
import shutil
import subprocess

from setup_error import SetupError

# DejaGnu code that GCC's test suites share.
SHARED = ["gcc/testsuite/lib", "gcc/testsuite/config"]


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


def choose(argument, text, known):
    """The comma-separated names in TEXT, each of which must be KNOWN; in the order of KNOWN."""
    names = text.split(",")
    for name in names:
        if name not in known:
            raise SetupError(f"{argument} has {name!r}; it accepts {','.join(known)}")
    return [name for name in known if name in names]


def unpack(source, target, needed):
    """Make TARGET of what the shell patterns NEEDED match in SOURCE, tarball or directory; of a
    tarball that was unpacked there before it is left as it is.

    Debian ships later fixes with their tests beside the tarball (git-updates.diff), but does not
    build its compilers with them, so the tests are those of the release.
    """
    if not source.exists():
        raise SetupError(f"--gcc-source is {source}, which does not exist")
    stamp = target / "unpacked"
    what = f"{source} {source.stat().st_mtime_ns} {needed}\n"
    if source.is_file() and stamp.exists() and stamp.read_text() == what:
        return
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if source.is_dir():
        for pattern in needed:
            for folder in source.glob(pattern):
                shutil.copytree(folder, target / folder.relative_to(source), symlinks=True)
    else:
        members = [f"*/{pattern}" for pattern in needed]
        how = ["--strip-components=1", "--no-wildcards-match-slash", "--wildcards"]
        run(["tar", "-x", "-f", source, "-C", target, *how, *members])
    if not (target / "gcc/testsuite/lib/gcc-dg.exp").is_file():
        raise SetupError(f"--gcc-source is {source}, which lacks gcc/testsuite/lib/gcc-dg.exp")
    stamp.write_text(what)


def run(command):
    """Run COMMAND, which must succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"unpacking GCC's test suites: {error}") from None
    if done.returncode:
        raise SetupError(f"unpacking GCC's test suites: {command[0]} failed: {done.stderr.strip()}")
