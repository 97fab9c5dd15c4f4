# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a picture as trace events of Chrome, which Perfetto reads."""

import os
import struct

from amp_watch.events import HOWS, NO_WORKER, NOT_COUNTED, RAN_AS, WAITS, Kind
from amp_watch.lanes import arrange
from amp_watch.slices import make_slices

# Names of colours that viewers of such files know.
SLOW, MIDDLE, FAST, WAIT = "rail_idle", "rail_load", "rail_response", "grey"
KINDS = ("region", "loop", "task")


class Drawing:
    """The events of PICTURE, of a process of which ABOUT is the line of JSON."""

    def __init__(self, about, picture):
        self.about, self.picture = about, picture
        self.first_site = {}
        self.sites = []
        for kind in KINDS:
            self.first_site[kind] = len(self.sites)
            self.sites += [{"kind": kind, **site} for site in about["sites"][f"{kind}s"]]

    def class_name(self, cls):
        """Of class CLS among all; None if there is one class, or if CLS is none."""
        count = self.about["classes"]
        if cls is None or count == 1:
            return None
        if cls in (0, count - 1):
            return "slow" if cls == 0 else "fast"
        return "middle" if count == 3 else f"middle {chr(ord('a') + (cls - 1) % 26)}"

    def colour(self, cls):
        count = self.about["classes"]
        if cls is None or count == 1:
            return {}
        return {"cname": SLOW if cls == 0 else FAST if cls >= count - 1 else MIDDLE}

    def site(self, kind, number):
        """The place of the site in the list, as an argument of an event."""
        if number >= len(self.about["sites"][f"{kind}s"]):
            return {}
        return {"site": self.first_site[kind] + number}

    def row_name(self, row):
        if row.worker != NO_WORKER:
            name = f"core {row.worker}"
            cpus = self.about["worker_cpus"]
            if row.worker < len(cpus) and not self.about["classes_forced"]:
                name += f" = CPU {cpus[row.worker]}"
            if row.pool != min(each.pool for each in self.picture.rows.values() if each.pool):
                name += " (of another initial thread)"
        elif row.level == 0:
            name = f"thread of ring {row.ring}"
        else:
            name = f"{'inner ' if row.level > 1 else ''}thread {row.id}"
        cls = next(iter(row.classes)) if len(row.classes) == 1 else None
        return ", ".join(filter(None, (name, self.class_name(cls))))

    def rows(self):
        about = self.about
        yield self.meta("process_name", 0, {"name": os.path.basename(about["program"])})
        for row in sorted(self.picture.rows.values(), key=lambda row: row.tid):
            name = self.row_name(row)
            for lane in range(row.lanes):
                tid = row.tid + lane
                beside = f", beside {lane}" if lane else ""
                yield self.meta("thread_name", tid, {"name": name + beside})
                yield self.meta("thread_sort_index", tid, {"sort_index": tid})

    def meta(self, name, tid, arguments):
        return {"ph": "M", "name": name, "pid": self.about["pid"], "tid": tid, "args": arguments}

    def instant(self, event):
        """EVENT, the speedup factors of a loop."""
        factors = struct.unpack("<4f", struct.pack("<2Q", event.b, event.c))
        site = self.site("loop", event.a & 0xFFFF)
        said = [float(f"{factor:.4g}") for factor in factors[: event.a >> 16]]
        return {"name": "SF", "cat": "SF", "args": {**site, "SF": said}}

    def region(self, event):
        arguments = self.site("region", event.b & 0xFFFF)
        arguments |= {"execution": event.a, "ids": event.b >> 32}
        execution = self.picture.executions[event.a]
        if execution.ended is not None:
            arguments["ran"] = HOWS[execution.how]
        return {"name": "region", "cat": "region", "args": arguments}

    def id(self, slice_, cls):
        event = slice_.event
        number = event.b >> 32
        execution = self.picture.executions.get(event.a)
        arguments = self.site("region", execution.site) if execution else {}
        arguments |= {"execution": event.a, "id": number}
        if cls is not None:
            arguments["class"] = cls
        if slice_.slices > 1 and not slice_.continued:
            arguments["slices"] = slice_.slices
        said = self.class_name(cls)
        name = f"id {number}" + (f" ({said})" if said else "")
        return {"name": name, "cat": "id", **self.colour(cls), "args": arguments}

    def wait(self, slice_):
        name = WAITS[slice_.event.a & 0xFFFF]
        return {"name": name, "cat": "wait", "cname": WAIT, "args": {"idle": slice_.idle}}

    def work(self, slice_, cls):
        """A task, or what a thread ran of a loop."""
        event = slice_.event
        kind = "task" if event.kind == Kind.TASK_RAN else "loop"
        arguments = self.site(kind, event.a & 0xFFFF)
        if kind == "task":
            arguments["task"] = True
        else:
            arguments["ran"] = RAN_AS[event.kind - Kind.SLICE]
            if not slice_.continued:
                if event.b != NOT_COUNTED:
                    arguments["iterations"] = event.b
                arguments["trip_count"] = event.c
        return {"name": kind, "cat": kind, **self.colour(cls), "args": arguments}

    def slice(self, slice_):
        kind, row = slice_.event.kind, slice_.segment.row
        drawn = {"ph": "X", "pid": self.about["pid"], "tid": slice_.tid()}
        drawn["ts"] = round(slice_.start / 1000, 3)
        if kind == Kind.FACTORS:
            return {**drawn, "ph": "i", "s": "t", **self.instant(slice_.event)}
        drawn["dur"] = round((slice_.end - slice_.start) / 1000, 3)
        cls = next(iter(row.classes)) if len(row.classes) == 1 else slice_.cls
        if kind == Kind.REGION_BEGINS:
            drawn |= self.region(slice_.event)
        elif kind == Kind.ID_BEGINS:
            drawn |= self.id(slice_, cls)
        elif kind == Kind.WAITED:
            drawn |= self.wait(slice_)
        else:
            drawn |= self.work(slice_, cls)
        for flag in ("continued", "unfinished"):
            if getattr(slice_, flag):
                drawn["args"][flag] = True
        return drawn


def draw(about, rings):
    """The trace of RINGS, whose line of JSON is ABOUT, as Chrome's."""
    picture = make_slices(rings, about["now_ns"])
    arrange(picture)
    drawing = Drawing(about, picture)
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "format": "libgomp-amp trace",
            "version": 1,
            **{key: about[key] for key in ("pid", "program", "began_ns", "threads_without")},
            "lost": picture.lost,
            "dropped": picture.dropped,
            "complete_from_us": picture.complete / 1000,
            "region_address": about["region_address"],
            "sites": drawing.sites,
        },
        "traceEvents": [*drawing.rows(), *map(drawing.slice, picture.slices)],
    }
