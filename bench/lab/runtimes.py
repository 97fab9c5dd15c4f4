# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenMP runtimes that a benchmark program can be run under, found on this machine."""

import functools
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The last one is ours in virtual time, which amp-emu runs programs under.
STOCK, OURS, LLVM, INTEL, VIRTUAL = "stock", "ours", "llvm", "intel", "virtual"
# Those that a program can be run under in real time.
RUNTIMES = (OURS, STOCK, LLVM, INTEL)
OUR_LIBRARIES = (OURS, VIRTUAL)
_LLVM = re.compile(r"/llvm-(\d+)/")


@dataclass(frozen=True)
class Runtime:
    """An OpenMP runtime: its file, and a directory that holds it under the name libgomp.so.1."""

    name: str
    library: Path
    directory: Path


def _answer(*command: str | Path) -> str:
    """What a command writes; nothing where it fails or is missing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _stock_library() -> Path | None:
    """The libgomp that the system's compiler links to."""
    for compiler in ("gcc-12", "gcc"):
        path = Path(_answer(compiler, "-print-file-name=libgomp.so.1"))
        if path.is_absolute():
            return path.resolve()
    return None


def _llvm_library() -> Path | None:
    """The libomp of the newest LLVM installed."""
    found = Path("/usr/lib").glob("llvm-*/lib/libomp.so*")
    newest = max(found, key=lambda path: int(_LLVM.search(str(path))[1]), default=None)
    return newest.resolve() if newest else None


def _our_version() -> str:
    header = (ROOT / "libgomp" / "amp").rglob("version.h")
    numbers = re.findall(r"#define GOMP_AMP_(?:MAJOR|MINOR|PATCH) (\d+)", next(header).read_text())
    commit = _answer("git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*")
    return f"libgomp-amp {'.'.join(numbers)}" + (f", commit {commit}" if commit else "")


@functools.cache
def version(name: str, library: Path) -> str:
    """What a report calls the library of a runtime: its version, and no path of this machine."""
    if name in OUR_LIBRARIES:
        return _our_version()
    if name == STOCK:
        return f"GCC {_answer('gcc-12', '-dumpfullversion') or _answer('gcc', '-dumpfullversion')}"
    if name == LLVM:
        return f"LLVM {_LLVM.search(str(library))[1]}"
    found = re.search(rb"Intel\(R\) OMP version: ([\d.]+)", library.read_bytes())
    return f"Intel OpenMP {found[1].decode()}" if found else "Intel OpenMP"


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
