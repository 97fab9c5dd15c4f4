# SPDX-License-Identifier: GPL-3.0-or-later
"""How the library gets into this process."""

import ctypes
import os
import warnings

from libgomp_amp import _objects
from libgomp_amp._files import FILE
from libgomp_amp._status import status

# omp_pause_hard, of omp.h.
_PAUSE_HARD = 2


def _version_function():
    """The function ompx_amp_version, if the library is where all packages find it."""
    return getattr(ctypes.CDLL(None), "ompx_amp_version", None)


def library() -> str | None:
    """The file of libgomp-amp's library that serves this process; None if there is none. amp-run
    may have preloaded another one than the wheel's."""
    function = _version_function()
    if function is None:
        return None
    objects = _objects.look(_objects.loaded)
    found = _objects.containing(ctypes.cast(function, ctypes.c_void_p).value, objects)
    return found.path if found else None


def version() -> str | None:
    """The version of that library, such as "0.1.0"."""
    function = _version_function()
    if function is None:
        return None
    number = function()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _end_threads() -> None:
    """End the threads of this thread's teams, before a fork. The child would have none of them, and
    would wait for them forever. The next region makes new ones. Inside a region nothing ends."""
    ctypes.CDLL(None).omp_pause_resource_all(_PAUSE_HARD)


def load() -> None:
    """Load the library, unless one is there. The functions of a library that is loaded with
    RTLD_GLOBAL come before those of the copies that packages bring. A failure is a warning, for the
    packages run without this library too."""
    if _version_function() is None:
        try:
            ctypes.CDLL(str(FILE), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
        except OSError as error:
            warnings.warn(
                f"libgomp_amp: '{FILE}' cannot be loaded ({error}); OpenMP code runs without it; "
                "`libgomp-amp run python` may load it",
                RuntimeWarning,
                stacklevel=3,
            )
            return
    os.register_at_fork(before=_end_threads)
    for text in status().warnings:
        warnings.warn(f"libgomp_amp: {text}", RuntimeWarning, stacklevel=3)
