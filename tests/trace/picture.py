# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a trace as a viewer would, and checks that it holds together."""

import collections
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools/amp-watch"))
from amp_watch import traces  # noqa: E402


class Wrong(Exception):
    """The trace contradicts itself."""


def need(holds, what):
    if not holds:
        raise Wrong(what)


def ns(microseconds):
    return round(microseconds * 1000)


class Picture:
    """What amp-trace draws of the file PATH."""

    def __init__(self, path):
        self.path = path
        self.trace = trace = traces.read(path)
        self.about = trace["otherData"]
        self.sites = self.about.get("sites", [])
        self.rows = {}
        self.slices = []
        self.instants = []
        for event in trace["traceEvents"]:
            self.add(event)
        self.check_nesting()
        self.check_runs()

    def add(self, event):
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                key = (event["pid"], event["tid"])
                need(key not in self.rows, f"row {key} has two names")
                self.rows[key] = event["args"]["name"]
            return
        need(event["ph"] in ("X", "i"), f"phase {event['ph']}")
        need((event["pid"], event["tid"]) in self.rows, f"{event} has no row")
        event["start"] = ns(event["ts"])
        event["end"] = event["start"] + ns(event.get("dur", 0))
        need(0 <= event["start"] <= event["end"], f"times of {event}")
        site = event["args"].get("site")
        need(site is None or 0 <= site < len(self.sites), f"site of {event}")
        (self.slices if event["ph"] == "X" else self.instants).append(event)

    def check_nesting(self):
        """On a row each slice is in the ones that are open, in the order of the file."""
        open_slices = collections.defaultdict(list)
        for event in self.slices:
            stack = open_slices[event["pid"], event["tid"]]
            while stack and stack[-1]["end"] <= event["start"]:
                if stack[-1]["end"] == stack[-1]["start"] == event["start"]:
                    break
                stack.pop()
            if stack:
                need(stack[-1]["start"] <= event["start"], f"{event} is before {stack[-1]}")
                empty = stack[-1]["end"] == stack[-1]["start"]
                need(empty or event["end"] <= stack[-1]["end"], f"{event} is not in {stack[-1]}")
            event["inside"] = [outer["cat"] for outer in stack]
            stack.append(event)

    def kind(self, category):
        return [event for event in self.slices if event["cat"] == category]

    def runs(self):
        """The pieces of ids, by run and id."""
        found = collections.defaultdict(lambda: collections.defaultdict(list))
        for event in self.kind("id"):
            found[event["args"]["execution"]][event["args"]["id"]].append(event)
        return found

    def check_runs(self):
        """Each id is there exactly once in a run that is complete, and within it."""
        ids = self.runs()
        complete = ns(self.about["complete_from_us"])
        self.regions = {}
        pieces = sorted(self.kind("region"), key=lambda piece: piece["start"])
        for event in pieces:
            run = event["args"]["execution"]
            need((run in self.regions) == ("continued" in event["args"]), f"{event} is doubled")
            if run in self.regions:
                self.regions[run]["end"] = event["end"]
            else:
                self.regions[run] = event
        for run, region in self.regions.items():
            if region["args"].get("unfinished") or region["start"] < complete:
                continue
            expected = set(range(region["args"]["ids"]))
            need(set(ids[run]) == expected, f"{region} has the ids {set(ids[run])}")
            for pieces in ids[run].values():
                self.check_id(region, pieces)

    def check_id(self, region, pieces):
        begins = [piece for piece in pieces if not piece["args"].get("continued")]
        need(len(begins) == 1, f"{begins} of one id")
        slices = begins[0]["args"].get("slices", 1)
        need(slices == len(pieces), f"{slices} slices: {pieces}")
        ordered = sorted(pieces, key=lambda piece: piece["start"])
        for before, after in zip(ordered, ordered[1:], strict=False):
            need(before["end"] <= after["start"], f"{before} and {after} at a time")
        need(region["start"] <= ordered[0]["start"], f"{pieces} before {region}")
        need(ordered[-1]["end"] <= region["end"], f"{pieces} after {region}")

    def iterations(self):
        """Those of the loops, by site."""
        sums = collections.Counter()
        for event in self.kind("loop"):
            sums[event["args"].get("site")] += event["args"].get("iterations", 0)
        return sums

    def ran(self):
        return collections.Counter(
            region["args"].get("ran", "unfinished") for region in self.regions.values()
        )
