# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads, aligns, cuts, merges and writes traces."""

import bisect
import gzip
import json
import math
import zlib

from amp_watch import events, names
from amp_watch.chrome import draw
from amp_watch.common import fail

VERSION = 1


def check_version(path, about, version):
    if about["version"] != version:
        fail(f"{path}: version {about['version']!r}: expected {version}; nothing is shown")


def parse(path, content):
    """What CONTENT has of a trace: a line of JSON and rings, as the library writes them, or a trace
    and None, as amp-trace does."""
    line, _, data = content.partition(b"\n")
    try:
        about = json.loads(line)
    except ValueError:
        about = None
    if about is None or "otherData" in about:
        trace = json.loads(content)
        if trace["otherData"]["format"] != "libgomp-amp trace":
            raise ValueError
        check_version(path, trace["otherData"], VERSION)
        about = trace["otherData"]
        about["region_address"]
        if not isinstance(trace["traceEvents"], list) or not isinstance(about["sites"], list):
            raise TypeError
        return trace, None
    if about["format"] != events.FORMAT:
        raise ValueError
    check_version(path, about, events.VERSION)
    return about, events.read_rings(about, data)


def read(path):
    """The trace in the file PATH, its times in microseconds."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        about, rings = parse(path, content)
    except OSError as error:
        fail(f"{path}: {error.strerror or error}; expected a file that GOMP_AMP_TRACE names")
    except (ValueError, LookupError, TypeError, EOFError, zlib.error):
        fail(f"{path}: expected a trace, as GOMP_AMP_TRACE=FILE writes it; nothing is shown")
    return about if rings is None else draw(about, rings)


def name_sites(trace):
    """Give each site of TRACE the keys name and place."""
    about = trace["otherData"]
    functions = set()
    for number, site in enumerate(about["sites"]):
        site["number"] = number
        if site["kind"] == "region" and about["region_address"] == "function":
            functions.add((site["module"], site["address"]))
    names.name_sites(about["sites"], functions)


def name_events(trace):
    sites = trace["otherData"]["sites"]
    for event in trace["traceEvents"]:
        number = event.get("args", {}).get("site")
        if number is None or event["ph"] != "X" or event["cat"] == "id":
            continue
        site = sites[number]
        name = (site["kind"] == "loop" and site["place"]) or site["name"]
        event["name"] = f"{site['kind']} {name}"


def align(traces):
    """Let the times of TRACES count from when the first process began."""
    first = min(trace["otherData"]["began_ns"] for trace in traces)
    for trace in traces:
        about = trace["otherData"]
        about["shift"] = shift = (about["began_ns"] - first) / 1000
        if shift:
            for event in trace["traceEvents"]:
                if "ts" in event:
                    event["ts"] = round(event["ts"] + shift, 3)


def number_processes(traces):
    """Let no two processes have the same number, as those of several hosts may have."""
    used = set()
    for order, trace in enumerate(traces):
        pid = trace["otherData"]["pid"]
        while pid in used:
            pid += 1 << 22
        used.add(pid)
        for event in trace["traceEvents"]:
            event["pid"] = pid
            if len(traces) > 1 and event["name"] == "process_name":
                event["args"]["name"] += f" {trace['otherData']['pid']}"
        if len(traces) > 1:
            trace["traceEvents"].append(
                {
                    "ph": "M",
                    "name": "process_sort_index",
                    "pid": pid,
                    "tid": 0,
                    "args": {"sort_index": order},
                }
            )


def end_of(event):
    return event["ts"] + event.get("dur", 0.0)


def executions(trace):
    """The first slice of each execution of a region, in the order of their begin."""
    found = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and event["cat"] == "region":
            found.setdefault(event["args"]["execution"], event)
    return sorted(found.values(), key=lambda event: event["ts"])


def matches(trace, event, name):
    number = event["args"].get("site")
    site = trace["otherData"]["sites"][number] if number is not None else {}
    known = (site.get("name"), site.get("site"), event["name"])
    return any(name in text for text in known if text)


def merge_spans(spans):
    """SPANS without those that overlap."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def wanted_spans(trace, arguments):
    """The times that are wanted."""
    spans = [[0.0, math.inf]]
    if arguments.region is not None or arguments.last is not None:
        found = executions(trace)
        if arguments.region is not None:
            found = [each for each in found if matches(trace, each, arguments.region)]
        if arguments.last is not None:
            found = found[-arguments.last :]
        spans = merge_spans([each["ts"], end_of(each)] for each in found)
    low = arguments.begin * 1e6
    high = arguments.end * 1e6
    return [
        [max(start, low), min(end, high)] for start, end in spans if start <= high and end >= low
    ]


def cut(trace, arguments):
    """Keep the events of TRACE that are in the wanted times, cut there."""
    if (arguments.region, arguments.last) == (None, None) and (
        arguments.begin,
        arguments.end,
    ) == (0.0, math.inf):
        return
    spans = wanted_spans(trace, arguments)
    starts = [start for start, _ in spans]
    kept = []
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            kept.append(event)
            continue
        start, end = event["ts"], end_of(event)
        first = max(0, bisect.bisect_right(starts, start) - 1)
        for low, high in spans[first:]:
            if low > end:
                break
            if high < start or (end > start and (high == start or low == end)):
                continue
            slice_ = dict(event)
            if low > start or high < end:
                slice_["ts"] = round(max(start, low), 3)
                slice_["dur"] = round(min(end, high) - slice_["ts"], 3)
                slice_["args"] = {**event["args"], "cut": True}
            kept.append(slice_)
    rows = {(event["pid"], event["tid"]) for event in kept if event["ph"] != "M"}
    trace["traceEvents"] = [
        event
        for event in kept
        if event["ph"] != "M" or event["tid"] == 0 or (event["pid"], event["tid"]) in rows
    ]


def merge(traces):
    abouts = [trace["otherData"] for trace in traces]
    about = {
        **abouts[0],
        "lost": sum(each["lost"] for each in abouts),
        "threads_without": sum(each["threads_without"] for each in abouts),
        "complete_from_us": max(each["complete_from_us"] + each["shift"] for each in abouts),
    }
    if len(traces) > 1:
        about["merged"] = [each["pid"] for each in abouts]
        # Numbers of sites are those of one process.
        about["sites"] = []
    events = []
    for trace in traces:
        for event in trace["traceEvents"]:
            if len(traces) > 1 and "args" in event:
                event["args"].pop("site", None)
            events.append(event)
    about.pop("shift", None)
    return {"displayTimeUnit": "ns", "otherData": about, "traceEvents": events}


def write(trace, path):
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8") as file:
            file.write('{"displayTimeUnit":"ns",\n"otherData":')
            json.dump(trace["otherData"], file)
            file.write(',\n"traceEvents":[\n')
            file.write(",\n".join(json.dumps(event) for event in trace["traceEvents"]))
            file.write("\n]}\n")
    except OSError as error:
        fail(f"{path}: {error.strerror}; the trace is not written")
