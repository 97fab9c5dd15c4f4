# SPDX-License-Identifier: GPL-3.0-or-later
"""Getting programs as others have compiled them: Debian's packages, unpacked beside the system, and
wheels of PyPI in an environment of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .runs import RunError

MULTIARCH = "x86_64-linux-gnu"
# The packages' names of what is already unpacked.
_KNOWN = "unpacked"


def _run(command: list[str | Path], directory: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=directory, capture_output=True, text=True
    )
    if done.returncode != 0:
        words = " ".join(str(word) for word in command[:6])
        raise RunError(f"{words} ...: {done.stdout}{done.stderr}".strip())
    return done.stdout


def lacking(simulation: str) -> list[str]:
    """The packages that `apt-get --simulate install` would install."""
    return [line.split()[1] for line in simulation.splitlines() if line.startswith("Inst ")]


class Debian:
    """Packages unpacked to a directory, with all that they depend on and the system lacks."""

    def __init__(self, directory: Path):
        self.root = directory / "root"
        self._downloads = directory / "debs"
        self._known = directory / _KNOWN

    def unpack(self, packages: Iterable[str]) -> None:
        """Have them and what they need, unless they are there."""
        known = set(self._known.read_text().split()) if self._known.exists() else set()
        wanted = sorted(set(packages) - known)
        if not wanted:
            return
        self.root.mkdir(parents=True, exist_ok=True)
        self._downloads.mkdir(exist_ok=True)
        simulate = ["apt-get", "--simulate", "--no-install-recommends", "install", *wanted]
        new = [name for name in lacking(_run(simulate)) if name not in known]
        if new:
            _run(["apt-get", "--quiet", "download", *new], self._downloads)
        for package in sorted(self._downloads.glob("*.deb")):
            _run(["dpkg-deb", "--extract", package, self.root])
            package.unlink()
        self._known.write_text("\n".join(sorted(known | set(wanted) | set(new))) + "\n")

    def library_path(self) -> str:
        """What LD_LIBRARY_PATH has to be: the directories that have libraries, no plug-ins."""
        return ":".join(str(path) for path in self._library_directories())

    def _library_directories(self) -> Iterator[Path]:
        libraries = self.root / "usr" / "lib"
        several = libraries / MULTIARCH
        # OpenBLAS in place of what update-alternatives would choose.
        first = [several, several / "openblas-openmp", libraries]
        yield from (path for path in first if path.is_dir())
        for above in (libraries, several):
            for path in sorted(above.glob("*/")):
                if path not in first and any(path.glob("lib*.so.*")):
                    yield path

    def program(self, name: str) -> Path:
        """A program's file: the unpacked one, or the system's."""
        for directory in ("usr/bin", "usr/sbin"):
            path = self.root / directory / name
            if path.exists():
                return path
        found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if not found:
            raise RunError(f"there is no program called {name}")
        return Path(found)

    def library(self, name: str) -> Path:
        """A library's file: the unpacked one, or the system's."""
        system = Path("/usr/lib") / MULTIARCH
        for directory in (*self._library_directories(), system, system / "openblas-openmp"):
            if (directory / name).exists():
                return directory / name
        raise RunError(f"there is no library called {name}")


class Wheels:
    """A Python environment with wheels of given versions."""

    def __init__(self, directory: Path):
        self._directory = directory / "venv"
        self.python = self._directory / "bin" / "python"

    def install(self, wheels: Iterable[str]) -> None:
        wanted = sorted(set(wheels))
        if not wanted:
            return
        if not self.python.exists():
            _run([sys.executable, "-m", "venv", self._directory])
        _run([self.python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *wanted])


def compiled(source: Path, directory: Path, libraries: list[Path]) -> Path:
    """The program of one C source, which calls those libraries."""
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / source.stem
    # Their own needs are met when the program is run.
    options = ["-O2", "-fopenmp", "-Wl,--allow-shlib-undefined"]
    _run(["cc", *options, source, "-o", program, *libraries])
    return program
