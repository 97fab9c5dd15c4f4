# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenMP runtimes that a benchmark program can be run under, found on this machine."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The last one is ours in virtual time, which amp-emu runs programs under.
STOCK, OURS, LLVM, INTEL, VIRTUAL = "stock", "ours", "llvm", "intel", "virtual"
# Those that a program can be run under in real time.
RUNTIMES = (OURS, STOCK, LLVM, INTEL)
OUR_LIBRARIES = (OURS, VIRTUAL)


@dataclass(frozen=True)
class Runtime:
    """An OpenMP runtime: its file, and a directory that holds it under the name libgomp.so.1."""

    name: str
    library: Path
    directory: Path


def _stock_library() -> Path | None:
    """The libgomp that the system's compiler links to."""
    for compiler in ("gcc-12", "gcc"):
        try:
            answer = subprocess.run(
                [compiler, "-print-file-name=libgomp.so.1"],
                capture_output=True,
                text=True,
                check=True,
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        path = Path(answer.stdout.strip())
        if path.is_absolute():
            return path.resolve()
    return None


def _llvm_library() -> Path | None:
    """The libomp of the newest LLVM installed."""
    found = Path("/usr/lib").glob("llvm-*/lib/libomp.so*")
    version = re.compile(r"/llvm-(\d+)/")
    newest = max(found, key=lambda path: int(version.search(str(path))[1]), default=None)
    return newest.resolve() if newest else None


def find(build: Path, scratch: Path) -> dict[str, Runtime]:
    """The runtimes of this machine by name; ours is that of the build directory.

    Each is given a directory of its own in scratch for LD_LIBRARY_PATH, which goes before the
    RUNPATH that amp-gcc writes; a preload would load a second runtime instead of the other one.
    """
    ours = build / "lib" / "libgomp.so.1"
    virtual = build / "lib" / "virtual" / "libgomp.so.1"
    libraries = {
        STOCK: _stock_library(),
        OURS: ours.resolve() if ours.exists() else None,
        LLVM: _llvm_library(),
        VIRTUAL: virtual.resolve() if virtual.exists() else None,
    }
    runtimes = {}
    for name, library in libraries.items():
        if library is not None:
            runtimes[name] = linked(name, library, scratch)
    return runtimes


def linked(name: str, library: Path, scratch: Path) -> Runtime:
    """A runtime of that file, with a directory of its own made in scratch."""
    directory = scratch / name
    directory.mkdir()
    (directory / "libgomp.so.1").symlink_to(library)
    return Runtime(name, library, directory)
