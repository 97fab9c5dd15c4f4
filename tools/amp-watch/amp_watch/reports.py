# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what GOMP_AMP_REPORT=FILE wrote, and merges the reports of several processes."""

import itertools
import json
import os

from amp_watch.common import fail
from amp_watch.names import name_sites

VERSION = 1


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


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        if report["version"] != VERSION:
            fail(f"{path}: version {report['version']!r}: expected {VERSION}; nothing is shown")
        for region in report["regions"]:
            # A library of before has none, and gets no advice by it.
            region.setdefault("why_not_key", None)
    except OSError as error:
        fail(f"{path}: {error.strerror}; expected a file that GOMP_AMP_REPORT names")
    except (ValueError, KeyError, TypeError):
        fail(f"{path}: expected a report, as GOMP_AMP_REPORT=FILE writes it; nothing is shown")
    return report


def add(sums, more, skip=()):
    """Add the numbers of MORE, a dictionary, to those of SUMS."""
    for key, value in more.items():
        if isinstance(value, (int, float)) and key not in skip:
            sums[key] = sums.get(key, 0) + value


def merge_classes(sums, more, count, value):
    """Merge lists of classes, whose VALUE is a mean over COUNT parts."""
    by_class = {part["class"]: dict(part) for part in sums}
    for part in more:
        old = by_class.get(part["class"])
        if old is None:
            by_class[part["class"]] = dict(part)
            continue
        first, second = old[count], part[count]
        parts = max(1, first + second)
        mean = (old[value] * first + part[value] * second) / parts
        square = (
            sum(each[count] * (each["variance"] + each[value] ** 2) for each in (old, part)) / parts
        )
        add(old, part, ("class", value, "variance"))
        old[value], old["variance"] = mean, max(0.0, square - mean**2)
    return [by_class[number] for number in sorted(by_class)]


def merge_ways(sums, more):
    ways = {way["as"]: dict(way) for way in sums}
    for way in more:
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
        add(old, site, ("address", "places"))
        old["classes"] = merge_classes(
            old["classes"],
            site["classes"],
            *(("ids", "ns_per_id") if kind == "regions" else ("parts", "ns_per_iteration")),
        )
        if kind == "loops":
            old["ran"] = merge_ways(old["ran"], site["ran"])
            bounds = (old["trips"], site["trips"])
            old["trips"] = [min(low for low, _ in bounds), max(high for _, high in bounds)]
            continue
        add(old["ran"], site["ran"])
        old["places"] = max(old["places"], site["places"])
        bounds = (old["ids"], site["ids"])
        old["ids"] = [min(low for low, _ in bounds), max(high for _, high in bounds)]
        old["longest"] = max(old["longest"], site["longest"], key=lambda run: run["ns"])
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
    whole["same_cpus"] = len({str(report.get("cpus")) for report in reports}) == 1
    if not whole["same_cpus"]:
        by_class = itertools.zip_longest(*(report.get("cpus", []) for report in reports))
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
    name_sites(
        report["regions"] + report["loops"],
        {(region["module"], region["address"]) for region in report["regions"]},
    )
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
