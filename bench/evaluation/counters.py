# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's software events of a program and its threads, by perf_event_open."""

import ctypes
import os
import platform
import socket

_NUMBERS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}
_SOFTWARE = 1
# perf_event_attr's first version, which every kernel that has the call accepts.
_SIZE = 64
_DISABLED, _INHERIT, _ENABLE_ON_EXEC = 1 << 0, 1 << 1, 1 << 12
_CLOSE_ON_EXEC = 1 << 3

# Columns, and the events' numbers; the clock counts nanoseconds.
EVENTS = {"task_clock_ns": 1, "page_faults": 2, "context_switches": 3}


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("config", ctypes.c_uint64),
        ("sample_period", ctypes.c_uint64),
        ("sample_type", ctypes.c_uint64),
        ("read_format", ctypes.c_uint64),
        ("flags", ctypes.c_uint64),
        ("wakeup_events", ctypes.c_uint32),
        ("breakpoint_type", ctypes.c_uint32),
        ("breakpoint_address", ctypes.c_uint64),
    ]


def _open(event: int) -> int:
    """A counter of this process, from its next exec on, and of its threads and children."""
    number = _NUMBERS.get(platform.machine())
    if number is None:
        raise OSError(f"the number of perf_event_open is not known on {platform.machine()}")
    attributes = _Attributes(
        type=_SOFTWARE, size=_SIZE, config=event, flags=_DISABLED | _INHERIT | _ENABLE_ON_EXEC
    )
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(
        ctypes.c_long(number),
        ctypes.byref(attributes),
        *(ctypes.c_long(value) for value in (0, -1, -1, _CLOSE_ON_EXEC)),
    )
    if found < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"perf_event_open: {os.strerror(error)}")
    return found


def missing() -> str:
    """Why there are no software events here, or nothing if there are."""
    try:
        os.close(_open(EVENTS["task_clock_ns"]))
    except OSError as error:
        return str(error)
    return ""


class SoftwareEvents:
    """The events of one program: in_child opens them in the new process, before it becomes the
    program, and hands them over; values closes them."""

    def __init__(self):
        self._here, self._there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)

    def in_child(self) -> None:
        opened = [_open(event) for event in EVENTS.values()]
        socket.send_fds(self._there, [b"e"], opened)

    def values(self) -> dict[str, int]:
        """What was counted; nothing if the program was never started."""
        self._there.close()
        with self._here:
            _, received, _, _ = socket.recv_fds(self._here, 1, len(EVENTS))
        counts = {}
        for name, file in zip(EVENTS, received):
            counts[name] = int.from_bytes(os.read(file, 8), "little")
            os.close(file)
        return counts
