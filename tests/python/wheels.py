# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of built wheels share."""

import os
import subprocess
import sys
import venv
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests/common"), str(SOURCE / "bench")]
import environment  # noqa: E402
from lab import inputs  # noqa: E402
from lab.foreign import DRIVERS, STDOUT, Output, table  # noqa: E402

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("AMP_TEST_BUILD", SOURCE / "build"))
WORK = BUILD / "wheel"
BIN = WORK / "venv/bin"
MACHINE = "4x3.0+4x1.0"

_OF_PYPI = [program for program in table() if program.wheels]
_DRIVER = DRIVERS / "wheel.py"
# By name: what Python is given, and how outputs are compared. Each prints `seconds: S` as well.
COMPUTATIONS = {
    program.name: ([_DRIVER, program.command.split()[1], WORK / "inputs"], program.compared)
    for program in _OF_PYPI
} | {"Cython prange": ([HERE / "extension.py"], Output(STDOUT, without="^seconds"))}


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


def install(wheel):
    """A fresh environment with the WHEEL, those of PyPI and the extension of prange.pyx, and the
    inputs of COMPUTATIONS."""
    venv.create(BIN.parent, with_pip=True, clear=True)
    others = sorted({name for program in _OF_PYPI for name in program.wheels})
    output(
        BIN / "pip", "install", "--quiet", "--only-binary", ":all:", wheel, "threadpoolctl",
        "cython==3.3.1", *others,
    )  # fmt: skip
    ask = "import sysconfig; print(sysconfig.get_path('platlib'), sysconfig.get_path('include'))"
    site, include = output(BIN / "python", "-c", ask).split()
    code = WORK / "prange.c"
    output(BIN / "cython", "-3", HERE / "prange.pyx", "-o", code)
    output(
        "gcc", "-O2", "-shared", "-fPIC", "-fopenmp", f"-I{include}", code, "-o",
        f"{site}/prange.so", "-lm",
    )  # fmt: skip
    for name in ("water.xyz", "more-water.xyz"):
        inputs.make(WORK / "inputs", name)


def shown(name, *before, **variables):
    """What the computation NAME prints, with the words of a command BEFORE it."""
    return output(*before, BIN / "python", *COMPUTATIONS[name][0], **variables)


def alike(name, one, other):
    """Whether two outputs of the computation NAME say the same."""
    compared = COMPUTATIONS[name][1]
    return compared.same(compared.normalised(one), compared.normalised(other))
