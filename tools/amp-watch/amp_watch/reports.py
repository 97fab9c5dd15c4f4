# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what GOMP_AMP_REPORT=FILE wrote, and merges the reports of several processes."""

import itertools
import json
import os

from amp_watch.common import fail
from amp_watch.names import name_sites

VERSION = 3
# The keys of libgomp/amp/fold/fold-why.def of regions that the kernel folds.
BY_KERNEL = ("kernel", "no-contexts")


def read_cpus(text):
    """The CPUs of a list such as 0-3,8; none of None."""
    ranges = [each.split("-") for each in (text or "").split(",") if each]
    return {cpu for each in ranges for cpu in range(int(each[0]), int(each[-1]) + 1)}


def show_cpus(cpus):
    """The list of CPUS, a set."""
    ranges = []
    for cpu in sorted(cpus):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(f"{low}" if low == high else f"{low}-{high}" for low, high in ranges)


def total_loop(loop):
    """Sum up what the threads of LOOP did. LONGEST_NS: the longest time of a thread; EVEN_NS: the
    same if all had run as many iterations, None if not all of these are counted."""
    threads = loop.pop("by_thread")
    begun = [thread for thread in threads if thread["invocations"]]
    loop["invocations"] = sum(thread["invocations"] for thread in begun)
    loop["iterations"] = sum(thread["trips"] for thread in begun)
    least = min((thread["least"] for thread in begun), default=0)
    loop["trips"] = [least, max((thread["most"] for thread in begun), default=0)]
    loop["ran"] = merge_ways(thread["ran"] for thread in begun)
    loop["classes"] = merge_classes(thread["classes"] for thread in threads)
    sums = [
        [sum(part[key] for part in thread["classes"]) for key in ("ns", "counted_ns", "iterations")]
        for thread in threads
    ]
    loop["threads"] = sum(ns > 0 for ns, _, _ in sums)
    loop["longest_ns"] = max((ns for ns, _, _ in sums), default=0)
    loop["even_ns"] = None
    if all(ns == counted for ns, counted, _ in sums):
        slowest = max((ns / iterations for ns, _, iterations in sums if iterations), default=0)
        loop["even_ns"] = slowest * loop["iterations"] / max(1, loop["threads"])


def tell_kernel_apart(region):
    """Count the executions of REGION that the kernel has folded by themselves."""
    ran = region["ran"]
    ran["kernel"] = ran["folded"] if region["why_not_key"] in BY_KERNEL else 0
    ran["folded"] -= ran["kernel"]


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        if report["version"] != VERSION:
            fail(f"{path}: version {report['version']!r}: expected {VERSION}; nothing is shown")
        for region in report["regions"]:
            tell_kernel_apart(region)
        for loop in report["loops"]:
            total_loop(loop)
    except OSError as error:
        fail(f"{path}: {error.strerror}; expected a file that GOMP_AMP_REPORT names")
    except (ValueError, KeyError, TypeError, AttributeError):
        fail(f"{path}: expected a report, as GOMP_AMP_REPORT=FILE writes it; nothing is shown")
    # Another OpenMP library knows no classes.
    return {"classes_from": None, "capacities": [], "cpus": [], **report}


def add(sums, more, skip=()):
    """Add the numbers of MORE, a dictionary, to those of SUMS."""
    for key, value in more.items():
        if isinstance(value, (int, float)) and key not in skip:
            sums[key] = sums.get(key, 0) + value


def merge_classes(lists):
    by_class = {}
    for part in itertools.chain.from_iterable(lists):
        add(by_class.setdefault(part["class"], {"class": part["class"]}), part, ("class",))
    return [by_class[number] for number in sorted(by_class)]


def merge_ways(lists):
    ways = {}
    for way in itertools.chain.from_iterable(lists):
        old = ways.setdefault(way["as"], {"as": way["as"], "invocations": 0, "why": []})
        old["invocations"] += way["invocations"]
        old["why"] = sorted({*old["why"], *way["why"]})
    return list(ways.values())


def merge_sites(lists, kind):
    """The regions or loops of several reports; one with the same address in a module of the same
    name is the same."""
    merged = {}
    for site in (site for sites in lists for site in sites):
        old = merged.setdefault(site["site"], site)
        if old is site:
            continue
        even = (old["even_ns"], site["even_ns"])
        add(old, site, ("address", "places", "even_ns"))
        old["even_ns"] = None if None in even else sum(even)
        old["classes"] = merge_classes((old["classes"], site["classes"]))
        if kind == "loops":
            old["ran"] = merge_ways((old["ran"], site["ran"]))
            bounds = (old["trips"], site["trips"])
            old["trips"] = [min(low for low, _ in bounds), max(high for _, high in bounds)]
            continue
        add(old["ran"], site["ran"])
        old["places"] = max(old["places"], site["places"])
        bounds = (old["ids"], site["ids"])
        old["ids"] = [min(low for low, _ in bounds), max(high for _, high in bounds)]
        old["longest"] = max(old["longest"], site["longest"], key=lambda each: each["ns"])
    return list(merged.values())


def merge(reports):
    """One report of those of several processes. Times are sums."""
    whole = dict(reports[0], processes=len(reports))
    whole["sums"] = {}
    for report in reports:
        add(whole["sums"], report["sums"])
    whole["wall_ns"] = max(report["wall_ns"] for report in reports)
    whole["places"] = max(report["places"] for report in reports)
    whole["lost"] = sum(report["lost"] for report in reports)
    whole["same_cpus"] = len({str(report["cpus"]) for report in reports}) == 1
    if not whole["same_cpus"]:
        by_class = itertools.zip_longest(*(report["cpus"] for report in reports))
        whole["cpus"] = [show_cpus(set().union(*map(read_cpus, lists))) for lists in by_class]
    whole["serial_ns"] = sum(
        max(0, report["wall_ns"] - report["sums"]["elapsed_ns"]) for report in reports
    )
    whole["idle_ns"] = sum(
        max(0, report["wall_ns"] - report["sums"]["elapsed_ns"]) * max(0, report["places"] - 1)
        for report in reports
    )
    for kind in ("regions", "loops"):
        whole[kind] = merge_sites([report[kind] for report in reports], kind)
    return whole


def load(paths):
    return prepare([read(path) for path in paths])


def prepare(reports):
    report = merge(reports)
    # The child of a fork knows the regions of its parent.
    report["regions"] = [
        region for region in report["regions"] if region["invocations"] or region["unfinished"]
    ]
    functions = {(region["module"], region["address"]) for region in report["regions"]}
    if report.get("region_address") == "call":
        functions = set()
    name_sites(report["regions"] + report["loops"], functions)
    return report


def find_files(paths):
    """PATHS, with the reports in those that are directories."""
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(
                os.path.join(path, name) for name in os.listdir(path) if name.endswith(".json")
            )
        else:
            yield path
