# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of built wheels share."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests/common"))
import environment  # noqa: E402

BUILD = Path(os.environ["AMP_TEST_BUILD"])
WORK = BUILD / "wheel"


def skip(reason):
    """End the test as skipped."""
    print("skipped:", reason)
    sys.exit(77)


def output(*command, **variables):
    """What COMMAND, which has to succeed, prints, on both streams."""
    done = subprocess.run(
        list(map(str, command)), env=environment.clean(**variables), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done.stdout


def reaches_pypi():
    """Whether pip finds a package there."""
    command = [sys.executable, "-m", "pip", "--timeout=20", "--retries=1", "download", "--quiet"]
    command += ["--no-deps", "--dest", str(WORK / "probe"), "threadpoolctl"]
    return subprocess.run(command, capture_output=True).returncode == 0


def build(arch):
    """The wheel for ARCH, built now."""
    directory = WORK / "dist" / arch
    for old in directory.glob("*.whl"):
        old.unlink()
    output(
        sys.executable, SOURCE / "packaging/python/build-wheel", "--arch", arch, "--to", directory,
        "--work", WORK,
    )  # fmt: skip
    (wheel,) = directory.glob("*.whl")
    return wheel
