# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel says of a program that has been waited for: wait4's rusage, which every user may
read on every machine."""

import resource


class Usage:
    """Begins where it is made; since() is what the children have used that were waited for since.
    One child at a time is waited for, so it is that program's, with its own children."""

    def __init__(self):
        self._before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def since(self) -> dict[str, int]:
        """By column; the clock is in nanoseconds."""
        before, after = self._before, resource.getrusage(resource.RUSAGE_CHILDREN)

        def more(*names: str) -> float:
            return sum(getattr(after, name) - getattr(before, name) for name in names)

        return {
            "task_clock_ns": round(1e9 * more("ru_utime", "ru_stime")),
            "page_faults": round(more("ru_minflt", "ru_majflt")),
            "context_switches": round(more("ru_nvcsw", "ru_nivcsw")),
        }
