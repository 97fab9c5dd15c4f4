# SPDX-License-Identifier: GPL-3.0-or-later
"""Every figure that bench/figures knows: the speeds that the project promises."""

from functools import partial

from .figure import (
    Case,
    Figure,
    ratio_at_most,
    ratio_shown,
    ratio_within,
    share_at_least,
    value_at_most,
)
from .runtimes import LLVM, OURS, STOCK, VIRTUAL

# A duty cycle takes CPU time away in bites of about 100 us: only a sample of many bites shows how
# slow a core is. The library's own default is for real cores.
_LONG_SAMPLE = (("GOMP_AID_SAMPLE_NS", "1000000"),)

_REFERENCES = (
    Case(STOCK, "static"),
    Case(STOCK, "dynamic"),
    Case(STOCK, "guided"),
    Case(LLVM, "static"),
    Case(LLVM, "static_steal"),
    Case(OURS, "static"),
)

_AID_SCHEDULES = ("aid_static", "aid_hybrid", "aid_dynamic")


def _promised_on_unequal_cores(**shares: float) -> tuple[Case, ...]:
    """Our three schedules, each with the share of the bound that it has to reach, if any."""
    return tuple(
        Case(OURS, schedule, share_at_least(shares[schedule]) if schedule in shares else None)
        for schedule in _AID_SCHEDULES
    )


def _promised_against(other: str, limit: float) -> tuple[Case, ...]:
    """Our three schedules, each at most limit times as long as the case labelled other."""
    return tuple(Case(OURS, name, ratio_at_most(limit, other)) for name in _AID_SCHEDULES)


def _loop_costs() -> tuple[Case, ...]:
    """Static loops, inline and routed, each with its barrier and with nowait."""
    cases = []
    for prefix, nowait, target in (
        ("barrier:", 0, ratio_at_most(1.5, f"barrier: inline {OURS} static")),
        ("nowait:", 1, value_at_most(30)),
    ):
        arguments = (f"--nowait={nowait}",)
        for runtime in (STOCK, OURS):
            cases.append(
                Case(runtime, "static", None, "loopcost-inline", arguments, f"{prefix} inline")
            )
        for runtime in (STOCK, LLVM):
            cases.append(Case(runtime, "static", None, "", arguments, prefix))
        for schedule in ("static", "aid_static", "aid_hybrid"):
            cases.append(Case(OURS, schedule, target, "", arguments, prefix))
    return tuple(cases)


def _sampling_costs() -> tuple[Case, ...]:
    """Loops that sample, against dynamic with the chunk that gives a loop to one thread."""
    cases = []
    for prefix, nowait in (("barrier:", 0), ("nowait:", 1)):
        arguments = (f"--nowait={nowait}",)
        reference = Case(STOCK, "dynamic,64", None, "", arguments, prefix)
        limit = ratio_at_most(1.5, reference.label) if not nowait else None
        cases.append(reference)
        cases.extend(Case(OURS, name, limit, "", arguments, prefix) for name in _AID_SCHEDULES)
    return tuple(cases)


def _routing_costs(programs: dict[str, tuple[str, ...]]) -> tuple[Case, ...]:
    """Programs, with their arguments, compiled inline and routed; neighbours in a round."""
    cases = []
    for program, arguments in programs.items():
        for runtime, target in ((OURS, partial(ratio_at_most, 1.01)), (STOCK, ratio_shown)):
            inline = Case(
                runtime, "static", None, f"{program}-inline", arguments, f"{program} inline:"
            )
            met = target(inline.label)
            routed = Case(runtime, "static", met, program, arguments, f"{program} routed:")
            cases += [inline, routed]
    return tuple(cases)


def _virtual_against_real() -> tuple[Case, ...]:
    """Every schedule on the slowed machine, and in virtual time on the same one."""
    schedules = ("static", "dynamic", "guided", *_AID_SCHEDULES)
    real = tuple(Case(OURS, schedule) for schedule in schedules)
    return real + tuple(
        Case(VIRTUAL, case.schedule, ratio_within(0.07, case.label)) for case in real
    )


FIGURES = (
    Figure(
        "ep-steal",
        "EP class A, one slow core",
        "npb/ep",
        ("A",),
        _REFERENCES
        + _promised_on_unequal_cores(aid_static=0.93, aid_hybrid=0.97, aid_dynamic=0.97),
        bound=True,
        slowed=True,
        baseline="stock static",
    ),
    Figure(
        "ft-steal",
        "FT-like loops, one slow core, GOMP_AID_SAMPLE_NS=1000000",
        "ft",
        ("--log2n=7", "--steps=8"),
        _REFERENCES + _promised_on_unequal_cores(aid_hybrid=0.95),
        bound=True,
        slowed=True,
        environment=_LONG_SAMPLE,
        baseline="stock static",
        rounds=9,
    ),
    Figure(
        "cg-steal",
        "CG-like loops, one slow core, GOMP_AID_SAMPLE_NS=1000000",
        "cg",
        # What a step works on stays in the cores' own caches, so that two threads together are as
        # fast as each alone, which the capacity bound takes for granted.
        ("--rows=2000", "--pairs=400", "--solves=2"),
        _REFERENCES + _promised_on_unequal_cores(aid_hybrid=0.95),
        bound=True,
        slowed=True,
        environment=_LONG_SAMPLE,
        baseline="stock static",
        rounds=9,
    ),
    Figure(
        "cg-memory-steal",
        "CG-like loops that share a cache, one slow core, GOMP_AID_SAMPLE_NS=1000000",
        "cg",
        ("--rows=14000", "--solves=2"),
        _REFERENCES + _promised_on_unequal_cores(),
        bound=True,
        slowed=True,
        environment=_LONG_SAMPLE,
        baseline="stock static",
        rounds=9,
    ),
    Figure(
        "fine-steal",
        "20 000 iterations of 100 ns run 1 000 times, one slow core, offline SF",
        "uniform",
        (),
        (
            Case(STOCK, "static"),
            Case(STOCK, "dynamic"),
            Case(STOCK, "guided"),
            Case(OURS, "static"),
            Case(OURS, "aid_static", share_at_least(0.95)),
            Case(OURS, "aid_hybrid", ratio_at_most(1.05, f"{OURS} aid_static")),
            Case(OURS, "aid_hybrid,1"),
            Case(OURS, "aid_dynamic"),
        ),
        bound=True,
        slowed=True,
        offline_sf=True,
        baseline="stock static",
    ),
    *(
        Figure(
            f"crowded-{program.rpartition('/')[2]}",
            f"{what}, four threads a core, one slow core",
            program,
            arguments,
            (
                Case(STOCK, "static"),
                Case(STOCK, "dynamic"),
                # Two percent are this machine's noise.
                *_promised_against(f"{STOCK} dynamic", 1.02),
            ),
            slowed=True,
            crowding=4,
            baseline="stock dynamic",
            rounds=9,
        )
        for program, what, arguments in (
            ("npb/ep", "EP class W", ("W",)),
            ("uniform", "20 000 iterations of 100 ns run 100 times", ("--repeats=100",)),
        )
    ),
    Figure(
        "symmetric-ep",
        "EP class W, equal cores",
        "npb/ep",
        ("W",),
        _REFERENCES + _promised_against(f"{OURS} static", 1.01),
        baseline="ours static",
        rounds=31,
    ),
    Figure(
        "symmetric-uniform",
        "20 000 iterations of 100 ns run 1 000 times, equal cores",
        "uniform",
        (),
        _REFERENCES + _promised_against(f"{OURS} static", 1.01),
        baseline="ours static",
        rounds=9,
    ),
    Figure(
        "static-cost",
        "64 trivial iterations in a static loop, equal cores",
        "loopcost",
        ("--loops=20000", "--samples=9"),
        _loop_costs(),
        measure="ns_per_loop",
        rounds=9,
    ),
    Figure(
        "routing-cost",
        "EP class W, CG- and IS-like loops, inline and routed, equal cores",
        "npb/ep",
        (),
        _routing_costs(
            {
                "npb/ep": ("W",),
                "cg": ("--rows=2000", "--pairs=400", "--solves=2"),
                "npb/is": ("--class=W", "--repeats=100"),
            }
        ),
        rounds=15,
    ),
    Figure(
        "sampling-cost",
        "64 trivial iterations in a loop that samples, equal cores said to be of two classes",
        "loopcost",
        ("--loops=10000", "--samples=9"),
        _sampling_costs(),
        measure="ns_per_loop",
        two_classes=True,
        rounds=9,
    ),
    Figure(
        "removal-cost",
        "10 000 trivial iterations, dealt out one by one where the schedule does so",
        "loopcost",
        ("--iterations=10000", "--loops=50", "--samples=9"),
        (
            Case(STOCK, "static"),
            Case(STOCK, "dynamic"),
            Case(STOCK, "guided"),
            Case(LLVM, "dynamic"),
            Case(OURS, "dynamic"),
            Case(OURS, "aid_static"),
            Case(OURS, "aid_hybrid,1"),
            Case(OURS, "aid_hybrid"),
            Case(OURS, "aid_dynamic,1,5"),
            Case(OURS, "aid_dynamic"),
        ),
        measure="ns_per_iteration",
        two_classes=True,
        rounds=5,
    ),
    Figure(
        "virtual-real",
        "EP class A, one slow core, in real time and in virtual time",
        "npb/ep",
        ("A",),
        _virtual_against_real(),
        bound=True,
        slowed=True,
        same_order=(OURS, VIRTUAL),
    ),
)

# What scripts/demo shows: short enough to fit into its three minutes with everything else.
DEMO = Figure(
    "demo",
    "EP class W",
    "npb/ep",
    ("W",),
    (
        Case(STOCK, "static"),
        Case(STOCK, "static", prefix="fast cores only:", fast_only=True),
        Case(STOCK, "dynamic"),
        *(Case(OURS, schedule) for schedule in _AID_SCHEDULES),
    ),
    bound=True,
    baseline="stock static",
    rounds=7,
)
