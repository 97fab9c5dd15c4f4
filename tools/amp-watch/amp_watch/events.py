# SPDX-License-Identifier: GPL-3.0-or-later
"""The raw file of a trace (docs/design/watch-format.md): a line of JSON, and the events of each
ring."""

import enum
import struct
import typing

from amp_watch import words

FORMAT, VERSION = "libgomp-amp events", 3
SIZE = 32
Kind = enum.IntEnum("Kind", list(words.EVENT), start=0)
# By the kind of an event less Kind.SLICE.
RAN_AS = tuple(words.RAN.values())
HOWS = tuple(words.WAY)
WAITS = tuple(words.WAIT.values())
BARRIER = 0
NO_WORKER = NO_SITE = NO_CLASS = 0xFFFF
NOT_COUNTED = (1 << 64) - 1


class Event(typing.NamedTuple):
    """In nanoseconds since the trace began. A, B, C: what its kind has."""

    kind: int
    start: int
    end: int
    a: int
    b: int
    c: int


class Ring(typing.NamedTuple):
    """The events of a thread, after LOST others. Since SINCE, if not 0, it waits for WAITS_FOR."""

    number: int
    events: list
    lost: int
    since: int
    waits_for: int


# What the line has beside what is read here.
KEYS = ("pid", "program", "began_ns", "now_ns", "threads_without", "region_address")
KEYS += ("classes", "classes_forced", "worker_cpus")


def check(about):
    """Raise an error that says so if something is not there."""
    for key in KEYS:
        about[key]
    for kind in ("regions", "loops", "tasks"):
        for site in about["sites"][kind]:
            site["site"], site["module"], site["address"]


def is_known(event):
    if event.kind == Kind.WAITED:
        return event.a & 0xFFFF < len(WAITS)
    if event.kind == Kind.REGION_ENDS:
        return event.b < len(HOWS)
    return event.kind < Kind.SLICE + len(RAN_AS)


def decode(data, order):
    mark = {"little": "<", "big": ">"}[order]
    events = []
    for word, a, b, c in struct.iter_unpack(f"{mark}4Q", data):
        kind, start = word & 0xFF, word >> 8
        spans = kind >= Kind.SLICE or kind in (Kind.WAITED, Kind.TASK_RAN)
        event = Event(kind, start, start + (a >> 16) if spans else start, a, b, c)
        if not is_known(event):
            raise ValueError(f"{event}")
        events.append(event)
    return events


def read_rings(about, data):
    """The rings whose events DATA has, as ABOUT, the line of JSON, says."""
    check(about)
    rings, at = [], 0
    for number, ring in enumerate(about["rings"]):
        until = at + SIZE * ring["events"]
        if until > len(data):
            raise ValueError("events are missing")
        events = decode(data[at:until], about["order"])
        WAITS[ring["waits_for"]]
        rings.append(Ring(number, events, ring["lost"], ring["since"], ring["waits_for"]))
        at = until
    return rings
