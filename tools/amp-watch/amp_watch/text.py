# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as text: sums and the regions that lost most, or two runs side by side."""

from amp_watch import words
from amp_watch.advice import advise
from amp_watch.common import WAYS
from amp_watch.sums import (
    GOOD,
    efficiencies,
    even_threads,
    factors,
    gained,
    loops_of,
    lost,
    mean_iteration,
    process_efficiencies,
    ratio,
    worst,
)


def describe_ran(loop):
    ways = sorted(loop["ran"], key=lambda each: -each["invocations"])
    return ", ".join(f"{way['invocations']} as {words.say_ran(way)}" for way in ways)


def describe_ways(region):
    said = [f"{region['ran'][how]} {name}" for how, name in WAYS.items() if region["ran"][how]]
    if region["why_not"]:
        said.append(region["why_not"])
    if region["unfinished"]:
        said.append(f"{region['unfinished']} had not ended")
    if region["nested"]:
        said.append(f"{region['nested']} nested")
    return "; ".join(said)


def describe_factors(site):
    return ", ".join(
        f"class {number} is {factor:.2f} +- {scatter:.2f} times as fast as class"
        f" {site['classes'][0]['class']}"
        for number, factor, scatter in factors(site)
    )


def describe_shares(site, key, noun):
    total = sum(part[key] for part in site["classes"])
    return ", ".join(
        f"{100 * ratio(part[key], total):.0f} % of the {noun} on class {part['class']}"
        for part in site["classes"]
    )


def summary(report):
    balance, scheduling, serialization, product = process_efficiencies(report)
    sums = report["sums"]
    processes = report["processes"]
    of_all = f" of {processes} processes" if processes > 1 else ""
    yield (
        f"{report['program']}: {report['wall_ns'] / 1e9:.3f} s{of_all}, of which"
        f" {sums['elapsed_ns'] / processes / 1e9:.3f} s in {sums['invocations']} executions"
        f" of {len(report['regions'])} regions, on up to {report['places']} cores"
    )
    if report["capacities"]:
        classes = ", ".join(str(capacity or "unknown") for capacity in report["capacities"])
        yield f"core classes by {report['classes_from']}, slow ones first; capacities: {classes}"
    else:
        yield f"it ran on {report.get('runtime')}, which knows no classes of cores"
    yield (
        f"parallel efficiency {product:.2f} = load balance {balance:.2f} x scheduling"
        f" {scheduling:.2f} x serialization {serialization:.2f}"
    )
    if len(report["capacities"]) == 1:
        yield "one class of cores was found; if the chip has more, set GOMP_AMP_TOPOLOGY"
    if serialization < GOOD and report["places"] > 1:
        seconds = report["serial_ns"] / processes / 1e9
        yield f"{seconds:.3f} s were outside of parallel regions, where one core works"
    if report["lost"]:
        yield f"{report['lost']} executions are missing, since memory was short"


def region_lines(report, region):
    balance, scheduling, _, efficiency = efficiencies(region)
    loops = loops_of(report, region)
    seconds = region["elapsed_ns"] / report["processes"] / 1e9
    yield (f"lost {lost(region) / report['processes']:.3f} s of {seconds:.3f} s: {region['name']}")
    yield (
        f"    {region['invocations']} executions, {describe_ways(region)};"
        f" efficiency {efficiency:.2f} = load balance {balance:.2f} x scheduling {scheduling:.2f}"
    )
    if len(region["classes"]) > 1:
        yield f"    {describe_shares(region, 'ids', 'threads')}"
        if even_threads(report, region) and factors(region):
            yield f"    {describe_factors(region)}"
    if gained(region) is not None:
        yield f"    {gained(region):+.3f} s gained over as many threads on each core"
    for loop in loops:
        low, high = loop["trips"]
        trips = f"{low}" if low == high else f"{low}..{high}"
        yield (
            f"    loop {loop['place'] or loop['site']}: {loop['invocations']} times, of {trips}"
            f" iterations of {mean_iteration(loop):.0f} ns; {describe_ran(loop)}"
        )
        if len(loop["classes"]) > 1 and any(part["iterations"] for part in loop["classes"]):
            yield f"        {describe_shares(loop, 'iterations', 'iterations')}"
        if factors(loop):
            yield f"        {describe_factors(loop)}"
        if gained(loop) is not None:
            yield f"        {gained(loop):+.3f} s gained over an even cut"
    yield f"    -> {advise(report, region, loops)}"


def show(report):
    print("\n".join(summary(report)))
    for region in worst(report):
        print()
        print("\n".join(region_lines(report, region)))
    shown = {id(loop) for region in report["regions"] for loop in loops_of(report, region)}
    others = [loop for loop in report["loops"] if id(loop) not in shown]
    if others:
        print("\nloops whose region is not known:")
    for loop in others:
        print(
            f"    {loop['name']}: {loop['invocations']} times, {loop['iterations']} iterations in"
            f" all; {describe_ran(loop)}"
        )


def key(site):
    """What a region is matched by in the report of another build."""
    return (site["function"], site["place"]) if site["function"] else site["site"]


def show_difference(before, after):
    names = {key(region): region for region in before["regions"]}
    later = {key(region): region for region in after["regions"]}
    print(f"{'':>12}{'before':>12}{'after':>12}{'ratio':>8}")
    rows = [("wall", before["wall_ns"] / 1e9, after["wall_ns"] / 1e9)]
    both = sorted({**names, **later}.items(), key=lambda item: -item[1]["elapsed_ns"])
    for name, region in both:
        times = [
            sites[name]["elapsed_ns"] / report["processes"] / 1e9 if name in sites else 0.0
            for sites, report in ((names, before), (later, after))
        ]
        rows.append((region["name"], *times))
    for name, first, second in rows:
        change = f"{second / first:8.3f}" if first else f"{'new':>8}"
        print(f"{'':>12}{first:10.3f} s{second:10.3f} s{change}  {name}")
    for label, report in (("before", before), ("after", after)):
        balance, scheduling, serialization, product = process_efficiencies(report)
        print(
            f"{label}: parallel efficiency {product:.2f} = load balance {balance:.2f} x scheduling"
            f" {scheduling:.2f} x serialization {serialization:.2f}"
        )
