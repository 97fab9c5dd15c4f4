# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a report: what was useful, what was lost, how fast classes of cores were."""

import collections
import math

from amp_watch import words
from amp_watch.names import plain
from amp_watch.reports import read_cpus

MOST = 10
# Below this a core class counts as evenly loaded: what fold and AID try to reach.
GOOD = 0.95
# Core classes whose speeds differ by less count as alike.
ALIKE = 1.1


def ratio(part, whole):
    return part / whole if whole else 1.0


def efficiencies(sums, idle=0):
    """Load balance, scheduling and serialization efficiency as TALP defines them, and their
    product."""
    useful, imbalance = sums["useful_ns"], sums["imbalance_ns"]
    balance = ratio(useful + idle, useful + idle + imbalance)
    scheduling = ratio(useful + idle + imbalance, useful + idle + imbalance + sums["scheduling_ns"])
    serialization = ratio(useful, useful + idle)
    return balance, scheduling, serialization, balance * scheduling * serialization


def process_efficiencies(report):
    sums = dict(report["sums"])
    sums["useful_ns"] += report["serial_ns"]
    return efficiencies(sums, report["idle_ns"])


def lost(region):
    """The seconds of REGION's time in which its cores did nothing useful."""
    return region["elapsed_ns"] * (1 - ratio(region["useful_ns"], region["capacity_ns"])) / 1e9


def gained(site):
    """The seconds that SITE was faster than with an even cut, as estimated; None if it was even."""
    if "folded_ns" in site:
        return (site["even_ns"] - site["folded_ns"]) / 1e9 if site["folded_ns"] else None
    if site["even_ns"] is None:
        return None
    uneven = words.ran_as([site], *words.TIMED)
    return (site["even_ns"] - site["longest_ns"]) / 1e9 if uneven else None


def times(part):
    """Of what a class did: the time, and the number of iterations or threads that took it."""
    if "ids" in part:
        return part["ns"], part["ids"]
    return part["counted_ns"], part["iterations"]


def error(part):
    """The standard error of the mean of the times of single threads or iterations, by that mean."""
    value, count = (part["ns"], part["ids"]) if "ids" in part else (part["value"], part["timed"])
    if not value or not count:
        return 0.0
    mean = value / count
    return math.sqrt(max(0.0, part["square"] / count - mean**2) / count) / mean


def factors(site):
    """The speedup factor of each class against the slowest class, by the time of all that they ran,
    with its standard error."""
    parts = [part for part in site["classes"] if all(value > 0 for value in times(part))]
    result = []
    for part in parts[1:]:
        (slow_ns, slow_count), (ns, count) = times(parts[0]), times(part)
        factor = (slow_ns / slow_count) / (ns / count)
        result.append((part["class"], factor, factor * math.hypot(error(parts[0]), error(part))))
    return result


def region_around(report, loop):
    """The region that LOOP is in, if all that is known of regions is where they are called: the
    last one above it in the file."""
    # A loop whose function the compiler did not make may be in any region.
    if loop["place"] is None or loop["function"] == plain(loop["function"]):
        return None
    file, _, line = loop["place"].partition(":")
    function = plain(loop["function"])
    above = {}
    for region in report["regions"]:
        its_file, _, its_line = (region["place"] or "").partition(":")
        if (region["module"], its_file) == (loop["module"], file) and int(its_line) <= int(line):
            if function in ("", plain(region["function"])):
                above[int(its_line)] = region
    return above[max(above)] if above else None


def loops_of(report, region):
    """The loops in the function that the compiler made of REGION."""
    if region["function"] is None:
        return [loop for loop in report["loops"] if loop["site"] == region["site"]]
    if report.get("region_address") == "call":
        return [loop for loop in report["loops"] if region_around(report, loop) is region]
    return [
        loop
        for loop in report["loops"]
        if (loop["module"], loop["function"]) == (region["module"], region["function"])
    ]


def measured_factors(report):
    """By class, how many times as fast as class 0 it was: of loops by the time of an iteration, of
    other regions by that of a thread. The mean of all, weighed by time."""
    sums = collections.defaultdict(lambda: [0.0, 0.0])
    for site in report["loops"] + [
        each for each in report["regions"] if even_threads(report, each)
    ]:
        if site["classes"] and site["classes"][0]["class"] == 0:
            weight = sum(times(part)[0] for part in site["classes"])
            for number, factor, _ in factors(site):
                sums[number][0] += weight * math.log(factor)
                sums[number][1] += weight
    return {number: math.exp(value / weight) for number, (value, weight) in sums.items()}


def speeds(report, site=None):
    """The speed of each class against class 0: as measured in SITE, else in the whole program, else
    by capacity. Of classes whose capacities are unknown, 1."""
    capacities = report["capacities"]
    known = {
        number: capacity / capacities[0] if capacity and capacities[0] else 1.0
        for number, capacity in enumerate(capacities)
    }
    known |= measured_factors(report)
    if site is not None and site["classes"] and site["classes"][0]["class"] == 0:
        known |= {number: factor for number, factor, _ in factors(site)}
    return known


def left(report, region):
    """The seconds of REGION's time that it would not take if all its cores were busy to the end. A
    fast core that waits counts for more than a slow one."""
    # The times of threads that the kernel folds have waits for their core in them.
    if region["ran"]["kernel"]:
        return lost(region)
    known = speeds(report, region if even_threads(report, region) else None)
    done = could = 0.0
    for part in region["classes"]:
        speed = known.get(part["class"], 1.0)
        done += speed * part["ns"]
        could += speed * part.get("capacity_ns", 0)
    if not could:
        return lost(region)
    return region["elapsed_ns"] * (1 - min(1.0, done / could)) / 1e9


def cores_by_class(report):
    """The number of CPUs of each class that the process may use."""
    return [len(read_cpus(cpus)) for cpus in report["cpus"]]


def even_threads(report, region):
    """Whether the times of REGION's threads say how fast classes are: they can be taken to have
    equal work, as no loop is shared out by the library, and none waited for its core."""
    return not loops_of(report, region) and not region["ran"]["kernel"]


def folded_runs(region):
    return region["ran"]["folded"] + region["ran"]["kernel"]


def mean_iteration(loop):
    """The mean time of an iteration in nanoseconds."""
    total = loop["iterations"]
    return sum(part["ns"] for part in loop["classes"]) / total if total else 0.0


def worst(report):
    return sorted(report["regions"], key=lost, reverse=True)[:MOST]


def all_left(report):
    return sum(left(report, region) for region in report["regions"] if not region["nested"])


def gain_of_all(report, known):
    """How many times as fast as equal parts, and as the cores of the fastest class alone, all cores
    together are, if their classes are as fast as KNOWN says."""
    numbers = {number: n for number, n in enumerate(cores_by_class(report)) if n}
    together = sum(n * known.get(number, 1.0) for number, n in numbers.items())
    slowest = min(known.get(number, 1.0) for number in numbers)
    fastest = max(numbers, key=lambda number: known.get(number, 1.0))
    alone = numbers[fastest] * known.get(fastest, 1.0)
    return together / (sum(numbers.values()) * slowest), together / alone, fastest


def capacities_of(report):
    """The capacities of the classes of which the process may use CPUs."""
    numbers = cores_by_class(report)
    return [capacity for capacity, number in zip(report["capacities"], numbers) if number]


def alike(report):
    measured = measured_factors(report)
    return bool(measured) and all(factor < ALIKE for factor in measured.values())
