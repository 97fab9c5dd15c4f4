# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs could reach, what the library did, what is left and what to try."""

import collections
import shlex

from amp_watch import words
from amp_watch.advice import FOR_CLASSES, advise, attempts, diagnose
from amp_watch.common import WAYS, fail, plural
from amp_watch.reports import prepare, read, read_cpus
from amp_watch.sums import (
    alike,
    all_left,
    capacities_of,
    cores_by_class,
    efficiencies,
    folded_runs,
    gain_of_all,
    gained,
    left,
    loops_of,
    measured_factors,
    process_efficiencies,
    speeds,
)

# How many regions and programs an explanation has.
TOP = 3
SHORT_WALL_NS = 200e6
# What takes a smaller part of the program's time is not worth an attempt.
WORTH = 0.02


def list_classes(report):
    for number, cpus in enumerate(report["cpus"]):
        if cpus:
            yield f"CPU{'s' * (len(read_cpus(cpus)) > 1)} {cpus} (class {number})"


def say_reach(report):
    if not cores_by_class(report):
        return
    yield f"It may use {', '.join(list_classes(report))}; classes by {report['classes_from']}."
    if len(capacities_of(report)) < 2:
        yield "All of these cores count as equally fast: equal parts are the right ones for them."
        return
    capacities, measured = report["capacities"], measured_factors(report)
    for number in range(1, len(capacities)):
        said = []
        if capacities[0] and capacities[number]:
            ratio_said = capacities[number] / capacities[0]
            said.append(f"is said to be {ratio_said:.2f} times as fast as class 0")
        if number in measured:
            said.append(f"was {measured[number]:.2f} times as fast in this program")
        if said:
            yield f"Class {number} {', and '.join(said)}."
    known = speeds(report)
    over_even, over_fast, fastest = gain_of_all(report, known)
    yield (
        f"All of them could do a parallel region {over_even:.2f} times as fast as with equal parts,"
        f" and {over_fast:.2f} times as fast as class {fastest} alone."
    )


def say_done(report, unfolded):
    ran = collections.Counter()
    reasons = collections.Counter()
    for region in report["regions"]:
        ran.update(region["ran"])
        if region["why_not"]:
            reasons[region["why_not"]] += region["invocations"]
    said = ", ".join(f"{ran[how]} {name}" for how, name in WAYS.items() if ran[how])
    yield f"Of {plural(sum(ran.values()), 'execution')} of regions: {said or 'none ended'}."
    for reason, count in reasons.most_common(3):
        yield f"Why ({plural(count, 'execution')}): {reason}."
    if unfolded and not any(map(folded_runs, report["regions"])):
        yield f"amp-run does not fold {unfolded}."
    ways = count_ways(report)
    if ways:
        said = ", ".join(f"{count} as {way}" for way, count in ways.most_common())
        yield f"Executions of loops that call the library: {said}."
    else:
        yield "No loop called the library: its loops are static and compiled in, or it has none."
    gains = [gained(site) for site in report["regions"] + report["loops"]]
    total = sum(each for each in gains if each is not None) / report["processes"]
    if any(each is not None for each in gains):
        yield f"Estimated gain over equal parts: {total:.3f} s."


def count_ways(report):
    ways = collections.Counter()
    for loop in report["loops"]:
        for way in loop["ran"]:
            ways[words.say_ran(way)] += way["invocations"]
    return ways


def say_where(report):
    balance, scheduling, serialization, product = process_efficiencies(report)
    sums, processes = report["sums"], report["processes"]
    yield (
        f"In {plural(len(report['regions']), 'region')}: {sums['elapsed_ns'] / processes / 1e9:.3f}"
        f" s. Outside, where one core works: {report['serial_ns'] / processes / 1e9:.3f} s."
    )
    yield (
        f"Parallel efficiency {product:.2f} = load balance {balance:.2f} x scheduling"
        f" {scheduling:.2f} x serialization {serialization:.2f}."
    )
    for region in sorted(report["regions"], key=lambda each: -each["elapsed_ns"])[:TOP]:
        balance, scheduling, _, _ = efficiencies(region)
        yield (
            f"{region['elapsed_ns'] / processes / 1e9:.3f} s: {region['name']}: load balance"
            f" {balance:.2f}, scheduling {scheduling:.2f}"
        )


def say_left(report):
    seconds = all_left(report) / report["processes"]
    wall = report["wall_ns"] / 1e9
    if seconds < WORTH * wall:
        yield f"Nearly nothing: {seconds:.3f} s of {wall:.3f} s."
    else:
        yield (
            f"If no core had to wait in a region it would take {max(0.0, wall - seconds):.3f} s"
            f" instead of {wall:.3f} s."
        )


def ranks_share_cores(report, threads):
    """Whether the processes of REPORT are ranks of MPI that have more threads than CPUs."""
    names = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")
    cores = sum(cores_by_class(report))
    return (
        report["processes"] > 1
        and report["same_cpus"]
        and 0 < cores < report["processes"] * threads
        and any(name in report.get("environment", {}) for name in names)
    )


def say_attempts(report, command):
    wall, processes = report["wall_ns"] / 1e9, report["processes"]
    by_key = collections.defaultdict(list)
    for region in report["regions"]:
        by_key[diagnose(report, region, loops_of(report, region))].append(region)
    by_key.pop("busy", None)
    worth = {
        key: sum(left(report, region) for region in regions if not region["nested"]) / processes
        for key, regions in by_key.items()
    }
    any_said = False
    cores = sum(cores_by_class(report))
    threads = max((region["ids"][1] for region in report["regions"]), default=0)
    if report["wall_ns"] < SHORT_WALL_NS:
        any_said = True
        yield "It ran for so short a time that this says little: give it more to do."
    if ranks_share_cores(report, threads):
        any_said = True
        yield (
            f"Its {report['processes']} ranks have {threads} threads each and share"
            f" {plural(cores, 'CPU')}: give each its own."
        )
        yield f"    mpirun --bind-to none -n {report['processes']} amp-run --ranks ..."
    if len(capacities_of(report)) > 1 and alike(report):
        any_said = True
        yield (
            "Its classes were equally fast in this program, so that equal parts are right; a"
            " program that waits for memory is like that."
        )
    if 0 < threads < cores and report["processes"] == 1:
        any_said = True
        yield (
            f"Its regions have up to {threads} threads, and it may use {plural(cores, 'CPU')}: ask"
            f" for more."
        )
        yield f"    OMP_NUM_THREADS={cores} amp-run {command}"
    for key in sorted(worth, key=lambda each: -worth[each]):
        if worth[key] < WORTH * wall or (alike(report) and key in FOR_CLASSES):
            continue
        any_said = True
        region = max(by_key[key], key=lambda each: left(report, each))
        yield (
            f"{worth[key]:.3f} s, most of it in {region['name']}:"
            f" {advise(report, region, loops_of(report, region))}"
        )
        for line in attempts(report, key, by_key[key], command):
            yield f"    {line}"
    if any_said:
        return
    if report["sums"]["elapsed_ns"] < WORTH * processes * report["wall_ns"]:
        yield "Nothing: it spends its time outside of parallel regions, where one core works."
    elif len(capacities_of(report)) == 1:
        yield "Nothing: its cores are equally fast, and were busy in parallel regions."
    else:
        yield "Nothing: its cores were busy in parallel regions."


def explain_one(report, command, unfolded):
    processes = report["processes"]
    of_all = f", {processes} processes (means of them)" if processes > 1 else ""
    print(f"{report['program']}{of_all}: {report['wall_ns'] / 1e9:.3f} s")
    for title, lines in (
        ("What it could reach", say_reach(report)),
        ("What the library did", say_done(report, unfolded)),
        ("Where the time went", say_where(report)),
        ("What is left", say_left(report)),
        ("What to try", say_attempts(report, command)),
    ):
        print(f"  {title}:")
        for line in lines:
            print(f"    {line}")


def explain(paths, command, unfolded):
    by_program = collections.defaultdict(list)
    for path in paths:
        report = read(path)
        by_program[report["program"]].append(report)
    if not by_program:
        fail("no reports: expected files that GOMP_AMP_REPORT names; nothing is shown")
    groups = sorted(
        by_program.values(),
        key=lambda reports: -sum(each["sums"]["elapsed_ns"] for each in reports),
    )
    for reports in groups[:TOP]:
        report = prepare(reports)
        explain_one(report, command or shlex.quote(report["program"]), unfolded)
    for reports in groups[TOP:]:
        seconds = sum(each["sums"]["elapsed_ns"] for each in reports) / 1e9
        print(f"{reports[0]['program']}: {seconds:.3f} s in regions of {len(reports)} processes")
