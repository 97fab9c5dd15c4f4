# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to run the suites: on which library, compiled by what, under which variables."""

import os
from dataclasses import dataclass, field

from setup_error import Skip

# Folded teams: so many thread numbers a worker, and so many workers.
FOLDS = [(ids, workers) for ids in (1, 2, 4) for workers in (1, 2, 3)]

SCHEDULES = "static dynamic guided aid_static aid_hybrid aid_dynamic".split()


@dataclass(frozen=True)
class Mode:
    """One way; `compiler` names one of COMPILERS."""

    library: str = "ours"
    compiler: str = "gcc"
    variables: dict = field(default_factory=dict)


# Without a path to our library in the programs: which one they run on is the mode's choice.
COMPILERS = {
    "gcc": "{cc}",
    "amp-gcc": "{amp_gcc} --amp-compiler=plugin --amp-route=default --amp-no-rpath",
}

REFERENCE = "upstream"

# In every mode. Waiting threads spin a little and then sleep: by default they spin for so long that
# on few or busy cores most of the time goes there.
COMMON = {"GOMP_SPINCOUNT": "200"}

# They are written, and take no room.
WATCHES = {
    "report": {"GOMP_AMP_REPORT": "/dev/null"},
    "trace": {"GOMP_AMP_TRACE": "/dev/null"},
}


def all_modes():
    """The modes by name; the first is the one that the others are held against."""
    topology = half_small(sorted(os.sched_getaffinity(0)))
    modes = {
        REFERENCE: Mode(library="stock", variables=COMMON),
        "unset": Mode(variables=COMMON),
        "fifo": Mode(variables={**COMMON, "GOMP_TASK_SCHEDULE": "fifo"}),
    }
    for watch, variables in WATCHES.items():
        modes[watch] = Mode(variables={**COMMON, **variables})
        folded = {"GOMP_AMP_FOLD": 2, "OMP_NUM_THREADS": 2}
        modes[f"{watch}-fold-2-2"] = Mode(variables={**COMMON, **variables, **folded})
    for schedule in SCHEDULES:
        variables = {**COMMON, "OMP_SCHEDULE": schedule, "GOMP_AMP_TOPOLOGY": topology}
        modes[schedule] = Mode(compiler="amp-gcc", variables=variables)
    for ids, workers in FOLDS:
        variables = {**COMMON, "GOMP_AMP_FOLD": ids, "OMP_NUM_THREADS": workers}
        modes[f"fold-{ids}-{workers}"] = Mode(variables=variables)
    # Under a tool (tests/ompt) that ends a program with an error if it has seen events that OpenMP
    # does not allow. Some programs end within a region.
    if checker := os.environ.get("AMP_OMPT_CHECKER"):
        for name in ("unset", "fifo", "fold-2-2"):
            tool = {"OMP_TOOL_LIBRARIES": checker, "OMPT_UNFINISHED": "1"}
            modes[f"tool-{name}"] = Mode(variables={**modes[name].variables, **tool})
    # While another process changes the masks of all threads.
    if masks := os.environ.get("AMP_MASKS"):
        for name in ("unset", "fold-2-2"):
            preload = {"LD_PRELOAD": masks}
            modes[f"masks-{name}"] = Mode(variables={**modes[name].variables, **preload})
    return modes


def half_small(cpus):
    """A topology in which the lower half of CPUS is of a slower class."""
    if len(cpus) < 2:
        raise Skip(f"there is one CPU, {cpus[0]}, which cannot be of two classes")
    half = len(cpus) // 2
    return ",".join(
        f"{cpu}={capacity}"
        for group, capacity in ((cpus[:half], 446), (cpus[half:], 1024))
        for cpu in group
    )
