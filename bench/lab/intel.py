# SPDX-License-Identifier: GPL-3.0-or-later
"""Intel's OpenMP runtime, libiomp5, from the wheel intel-openmp that pip can fetch."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FETCH_SECONDS = 180
_LIBRARY = "libiomp5.so"


def cache_directory() -> Path:
    """Where what was fetched is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "libgomp-amp"


def _unpack(wheel: Path, directory: Path) -> Path | None:
    """Put the library of a wheel into a directory; None if the wheel has none."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            if Path(member).name == _LIBRARY:
                directory.mkdir(parents=True, exist_ok=True)
                # Renamed when whole, so that an interrupted one is not taken for the library.
                partial = directory / f"{_LIBRARY}.partial"
                partial.write_bytes(archive.read(member))
                return partial.rename(directory / _LIBRARY)
    return None


def library() -> tuple[Path | None, str]:
    """The library, fetched if need be, or None and why there is none."""
    directory = cache_directory() / "intel-openmp"
    kept = directory / _LIBRARY
    if kept.exists():
        return kept.resolve(), ""
    with tempfile.TemporaryDirectory(prefix="amp-intel-") as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", scratch, "intel-openmp"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            return None, f"pip could not be run: {error}"
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode != 0 or not wheels:
            lines = done.stderr.strip().splitlines() or ["no wheel was fetched"]
            return None, f"pip download intel-openmp: {lines[-1]}"
        unpacked = _unpack(wheels[0], directory)
    if unpacked is None:
        return None, f"{wheels[0].name} has no {_LIBRARY}"
    return unpacked.resolve(), ""
