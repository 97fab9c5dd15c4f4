# SPDX-License-Identifier: GPL-3.0-or-later
"""Summarises, draws, merges and cuts what GOMP_AMP_TRACE=FILE wrote.

Several files are the processes of one run, for example the ranks of an MPI program: their clocks
are aligned. Without --output a summary is printed. Perfetto (https://ui.perfetto.dev) and
chrome://tracing show the output. Names of functions need debug information and addr2line.
"""

import argparse
import collections
import math
import os
import sys

from amp_watch import words
from amp_watch.common import add_version, fail, plural
from amp_watch.traces import (
    align,
    cut,
    end_of,
    merge,
    name_events,
    name_sites,
    number_processes,
    read,
    write,
)

MOST = 10


def summary(traces):
    slices = [event for trace in traces for event in trace["traceEvents"] if is_slice(event)]
    by_kind = collections.defaultdict(list)
    for event in slices:
        by_kind[event["cat"]].append(event)
    rows = {(event["pid"], event["tid"]) for event in slices}
    begin = min((event["ts"] for event in slices), default=0.0)
    end = max((end_of(event) for event in slices), default=0.0)
    program = os.path.basename(traces[0]["otherData"]["program"])
    yield (
        f"{program}: {(end - begin) / 1e6:.6f} s from {begin / 1e6:.6f} s on,"
        f" {plural(len(slices), 'event')} on {plural(len(rows), 'row')} of"
        f" {len(traces)} process{'es' if len(traces) > 1 else ''}"
    )
    regions = collections.defaultdict(list)
    for event in by_kind["region"]:
        regions[event["name"]].append(event)
    ordered = sorted(regions.items(), key=lambda item: -sum(e["dur"] for e in item[1]))
    for name, events in ordered[:MOST]:
        whole = [event for event in events if not event["args"].get("continued")]
        ran = collections.Counter(event["args"].get("ran", "not ended") for event in whole)
        ways = ", ".join(f"{count} {words.WAY.get(way, way)}" for way, count in ran.most_common())
        seconds = [event["dur"] / 1e6 for event in events]
        yield (
            f"{name}: {plural(len(whole), 'execution')}, {sum(seconds):.6f} s"
            f" (longest {max(seconds):.6f} s); {ways}"
        )
    ids = [event for event in by_kind["id"] if not event["args"].get("continued")]
    yield plural(len(ids), "id")
    loops = [event for event in by_kind["loop"] if not event["args"].get("continued")]
    counted = [each["args"]["iterations"] for each in loops if "iterations" in each["args"]]
    tasks = [event for event in by_kind["task"] if not event["args"].get("continued")]
    yield (
        f"{plural(len(loops), 'slice')} of loops, {len(counted)} of them with {sum(counted)}"
        f" counted iterations; {plural(len(tasks), 'task')}"
    )
    waits = collections.Counter()
    for event in by_kind["wait"]:
        waits[event["name"]] += event["dur"] / 1e6
    if waits:
        said = ", ".join(f"{seconds:.6f} s for {name}" for name, seconds in waits.most_common())
        yield f"waits of all rows: {said}"
    yield from losses(traces)


def losses(traces):
    lost = sum(trace["otherData"]["lost"] for trace in traces)
    if lost:
        complete = max(trace["otherData"]["complete_from_us"] for trace in traces)
        yield f"the oldest {lost} events are lost: complete from {complete / 1e6:.6f} s on"
    without = sum(trace["otherData"]["threads_without"] for trace in traces)
    if without:
        yield f"{plural(without, 'thread')} found no room"


def seconds(text):
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError
    return value


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def parsed():
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(prog="amp-trace", description=__doc__)
    add_version(parser)
    parser.add_argument("file", nargs="+", help="what GOMP_AMP_TRACE named")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write the trace to OUT; packed if that ends in .gz"
    )
    parser.add_argument(
        "--from",
        dest="begin",
        type=seconds,
        default=0.0,
        metavar="SECONDS",
        help="only from this time on, counted from the begin of the first process",
    )
    parser.add_argument(
        "--to",
        dest="end",
        type=seconds,
        default=math.inf,
        metavar="SECONDS",
        help="only until this time",
    )
    parser.add_argument(
        "--region",
        metavar="NAME",
        help="only while regions run that have NAME in their name, as the summary shows it",
    )
    parser.add_argument(
        "--last", type=positive, metavar="N", help="only the last N executions of these, or of all"
    )
    return parser.parse_args()


def is_slice(event):
    return event["ph"] in ("X", "i")


def is_region(event):
    return is_slice(event) and event["cat"] == "region"


def nothing_matches(arguments, regions):
    wanted = f"--region '{arguments.region}'" if arguments.region else "--from and --to"
    most = sorted(regions)[:MOST]
    left = f" and {len(regions) - MOST} more" if len(regions) > MOST else ""
    fail(f"{wanted}: nothing matches; regions are {', '.join(most)}{left}; nothing is written")


def main():
    arguments = parsed()
    traces = [read(path) for path in arguments.file]
    for trace in traces:
        name_sites(trace)
        name_events(trace)
    align(traces)
    number_processes(traces)
    regions = {
        event["name"] for trace in traces for event in trace["traceEvents"] if is_region(event)
    }
    for trace in traces:
        cut(trace, arguments)
    if regions and not any(is_slice(event) for trace in traces for event in trace["traceEvents"]):
        nothing_matches(arguments, regions)
    if arguments.output is not None:
        write(merge(traces), arguments.output)
        for line in losses(traces):
            print(f"amp-trace: {line}", file=sys.stderr)
    else:
        print("\n".join(summary(traces)))
