# SPDX-License-Identifier: GPL-3.0-or-later
"""Hardware counters of chosen CPUs, by PAPI's library if there is one when this runs."""

import ctypes
import ctypes.util

# Columns, and PAPI's names for what they hold, in order of preference.
EVENTS = {
    "instructions": ("PAPI_TOT_INS",),
    "cycles": ("PAPI_TOT_CYC",),
    "llc_misses": ("PAPI_L3_TCM", "PAPI_L2_TCM"),
}
# It accepts no number but that of the header of its own version.
_VERSIONS = ((7, 2), (7, 1), (7, 0), (6, 0), (5, 7))
_NULL, _CPU_ATTACH = -1, 27


class PapiError(Exception):
    """Why there are no hardware counters."""


class _Option(ctypes.Union):
    """PAPI_option_t, with room for its largest member."""

    class Cpu(ctypes.Structure):
        _fields_ = [("event_set", ctypes.c_int), ("cpu", ctypes.c_uint)]

    _fields_ = [("cpu", Cpu), ("room", ctypes.c_uint64 * 64)]


class Counters:
    """Counters of some CPUs, whoever runs there: start them, and stop them for their values."""

    def __init__(self, cpus: tuple[int, ...], path: str | None = None):
        path = path or ctypes.util.find_library("papi")
        if path is None:
            raise PapiError("libpapi is not installed")
        try:
            self._library = ctypes.CDLL(path)
        except OSError as error:
            raise PapiError(str(error)) from error
        numbers = (major << 24 | minor << 16 for major, minor in _VERSIONS)
        if not any(self._library.PAPI_library_init(number) == number for number in numbers):
            raise PapiError("PAPI cannot be initialized, or is of a version that is not known")
        self._sets = {cpu: self._event_set(cpu) for cpu in cpus}

    def _event_set(self, cpu: int) -> tuple[int, list[str]]:
        """An event set bound to a CPU, and the columns that its events are for."""
        library = self._library
        made = ctypes.c_int(_NULL)
        option = _Option()
        failed = library.PAPI_create_eventset(ctypes.byref(made))
        failed = failed or library.PAPI_assign_eventset_component(made, 0)
        option.cpu.event_set, option.cpu.cpu = made.value, cpu
        failed = failed or library.PAPI_set_opt(_CPU_ATTACH, ctypes.byref(option))
        if failed:
            raise PapiError(f"PAPI cannot count on CPU {cpu} (its error {failed})")
        columns = [
            column
            for column, names in EVENTS.items()
            if any(library.PAPI_add_named_event(made, name.encode()) == 0 for name in names)
        ]
        if not columns:
            raise PapiError(f"PAPI has none of the events on CPU {cpu}")
        return made.value, columns

    def start(self) -> None:
        for cpu, (event_set, _) in self._sets.items():
            failed = self._library.PAPI_start(event_set)
            if failed:
                raise PapiError(f"PAPI cannot start on CPU {cpu} (its error {failed})")

    def stop(self) -> dict[int, dict[str, int]]:
        """What was counted since start, by CPU and column."""
        counts = {}
        for cpu, (event_set, columns) in self._sets.items():
            values = (ctypes.c_longlong * len(columns))()
            self._library.PAPI_stop(event_set, values)
            counts[cpu] = dict(zip(columns, values))
        return counts


def by_class(
    counts: dict[int, dict[str, int]], classes: tuple[tuple[int, ...], ...]
) -> dict[str, str]:
    """The sums over each class, the fastest first, joined by slashes, by column."""
    return {
        column: "/".join(
            str(sum(counts[cpu].get(column, 0) for cpu in members)) for members in classes
        )
        for column in EVENTS
        if any(column in values for values in counts.values())
    }
