# SPDX-License-Identifier: GPL-3.0-or-later
"""What is the matter with a region, and what to do about it."""

from amp_watch.common import plural
from amp_watch.sums import (
    ALIKE,
    GOOD,
    cores_by_class,
    efficiencies,
    factors,
    folded_runs,
    gain_of_all,
    gained,
    left,
    mean_iteration,
    speeds,
)
from amp_watch.words import STATIC, TIMED, ran_as

# The key of libgomp/amp/fold/fold-why.def that advice goes by.
UNFOLDED = "unfolded"
SHORT_NS = 20e3
SHORT_ITERATION_NS = 1e3
# Below these, what a run measured is the start of threads, or too little to say much.
START_NS = 50e6

ADVICE = {
    "busy": "Nothing to gain here: its cores were busy.",
    "start": "It was executed only {times} and for {milliseconds:.0f} ms, a large part of which is"
    " the start of its threads.",
    "short": "An execution takes {mean_us:.1f} us, of which starting and ending it is a large part:"
    " put more work into a region.",
    "waits": "Its threads wait for locks, tasks or ordered parts, not at barriers: with tasks try"
    " GOMP_TASK_SCHEDULE=fifo.",
    "alike": "All cores wait alike: for memory, other programs or serial parts of the region.",
    "crowded": "It has {ids} threads on {cores} cores, so that threads wait for a core: give it no"
    " more threads than cores.",
    "equal": "Its cores are of one class and are loaded unevenly: schedule(dynamic) in its loops"
    " may help; folding and AID do not.",
    "equal, runtime": "Its cores are of one class and are loaded unevenly: try"
    " OMP_SCHEDULE=dynamic.",
    "unknown": "Its cores are loaded unevenly: schedule(dynamic) in its loops may help. Whether"
    " folding or AID do can be seen on libgomp-amp alone.",
    "unequal": "Its threads have unequal work, on fast cores and on slow ones: schedule(dynamic) in"
    " its loops may help.",
    "compiled in": "Its loops are static and compiled in: amp-run --tune tries how to run it, or"
    " rebuild it with amp-gcc.",
    "unfolded": "It cannot be folded, and its loops are static and compiled in: rebuild it with"
    " amp-gcc.",
    "costs": "Folded it takes longer than it should with as many threads on each core: run it with"
    " amp-run --fold=0.",
    "folded": "Try more threads for each core: amp-run --fold={more}.",
    "kernel": "The kernel folds its threads, which takes long where they wait: rebuild it with"
    " amp-gcc, whose loops need no folding.",
    "fine": "Iterations take {iteration_ns:.0f} ns, less than it costs to hand one out: a larger"
    " chunk, or no schedule clause and amp-gcc.",
    "even": "A loop of it is cut evenly: try OMP_SCHEDULE=aid_hybrid.",
    "coarse": "The last chunks of its dynamic loop end late: a smaller chunk, or no schedule clause"
    " and amp-gcc.",
    "changing": "Costs change along its loops: try aid_dynamic, or aid_hybrid,1,50.",
}
# What helps only if the classes are not equally fast.
FOR_CLASSES = ("compiled in", "unfolded", "folded", "kernel", "even")
# Folding costs if a region takes longer than an even cut should, by more than this part.
COSTS = 0.05
# More threads for each core than these gain nothing.
MOST_THREADS = 8


def diagnose_folded(region):
    """What is the matter with a REGION that is folded and whose cores are loaded unevenly."""
    if region["ran"]["kernel"] > region["ran"]["folded"]:
        return "kernel"
    return "folded" if region["ids"][1] < MOST_THREADS * region["places"] else "alike"


def diagnose(report, region, loops):
    """The key of ADVICE for REGION."""
    balance, scheduling, _, _ = efficiencies(region)
    cores = sum(cores_by_class(report))
    if left(report, region) <= (1 - GOOD) * region["elapsed_ns"] / 1e9:
        return "busy"
    if (gained(region) or 0) < -COSTS * region["folded_ns"] / 1e9:
        return "costs"
    if region["elapsed_ns"] / max(1, region["invocations"]) < SHORT_NS:
        return "short"
    if region["invocations"] <= 3 and region["elapsed_ns"] < START_NS and balance > scheduling:
        return "start"
    if region["elsewhere_ns"] > 0.5 * (region["imbalance_ns"] + region["scheduling_ns"]):
        return "waits"
    if not folded_runs(region) and cores and region["ids"][1] > cores:
        return "crowded"
    if balance > scheduling:
        return "alike"
    if not report["capacities"]:
        return "unknown"
    if len(report["capacities"]) == 1:
        return "equal, runtime" if ran_as(loops, *STATIC) else "equal"
    if folded_runs(region):
        return diagnose_folded(region)
    if not loops:
        measured = factors(region)
        if measured and all(factor < ALIKE for _, factor, _ in measured):
            return "unequal"
        return "unfolded" if region["why_not_key"] == UNFOLDED else "compiled in"
    if any(0 < mean_iteration(loop) < SHORT_ITERATION_NS for loop in loops) and ran_as(
        loops, "dynamic"
    ):
        return "fine"
    if ran_as(loops, *STATIC):
        return "even"
    return "changing" if ran_as(loops, *TIMED) else "coarse"


def advise(report, region, loops):
    """A sentence about REGION. More is in docs/guide, why.md and folding.md."""
    return ADVICE[diagnose(report, region, loops)].format(
        mean_us=region["elapsed_ns"] / max(1, region["invocations"]) / 1e3,
        ids=region["ids"][1],
        cores=sum(cores_by_class(report)),
        more=more_threads(region),
        times=plural(region["invocations"], "time"),
        milliseconds=region["elapsed_ns"] / 1e6,
        iteration_ns=min((mean_iteration(loop) for loop in loops), default=0.0),
    )


def more_threads(region):
    """Twice as many threads for each core as REGION has."""
    return min(MOST_THREADS, max(2, 2 * region["ids"][1] // max(1, region["places"])))


def attempts(report, key, regions, command):
    """Commands to try for REGIONS, whose advice is KEY."""
    environment = report.get("environment", {})
    if key == "compiled in":
        yield f"amp-run --tune {command}"
    elif key == "costs":
        yield f"amp-run --fold=0 {command}"
    elif key == "folded":
        yield f"amp-run --fold={max(map(more_threads, regions))} {command}"
    elif key == "even":
        yield f"OMP_SCHEDULE=aid_hybrid amp-run {command}"
    elif key == "equal, runtime":
        yield f"OMP_SCHEDULE=dynamic amp-run {command}"
    elif key == "changing":
        yield f"OMP_SCHEDULE=aid_dynamic amp-run {command}"
    elif key == "waits" and environment.get("GOMP_TASK_SCHEDULE") != "fifo":
        yield f"GOMP_TASK_SCHEDULE=fifo amp-run {command}"
    elif key == "crowded":
        yield f"OMP_NUM_THREADS={sum(cores_by_class(report))} amp-run {command}"
    elif key == "short":
        if any(map(folded_runs, regions)):
            yield f"amp-run --fold=0 {command}"
        elif environment.get("OMP_WAIT_POLICY", "").lower() != "active":
            yield f"OMP_WAIT_POLICY=active amp-run {command}"
    if key in ("kernel", "unfolded"):
        yield from fast_cores_alone(report, regions, command)


def fast_cores_alone(report, regions, command):
    """The command that uses the fastest class only, if all cores with equal parts take longer."""
    over_even, over_fast, fastest = gain_of_all(report, speeds(report))
    if over_fast < over_even and not any(folded_runs(region) for region in regions):
        count = cores_by_class(report)[fastest]
        yield (
            f"OMP_NUM_THREADS={count} taskset -c {report['cpus'][fastest]} amp-run --fold=0"
            f" {command}"
        )
