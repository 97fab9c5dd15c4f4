# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives segments lanes, so that slices nest on each, and fills the gaps of workers.

A row has further lanes where several of its ids run at a time, because one runs beside the carrier.
"""

import itertools

from amp_watch.events import NO_WORKER, Kind, Event
from amp_watch.slices import Segment, Slice


class Lane:
    """When its last segment ends, and its region."""

    def __init__(self):
        self.last = self.region = 0

    def fits(self, segment):
        if segment.start < self.last:
            return False
        if segment.start >= self.region:
            return True
        return not segment.region and segment.end <= self.region

    def take(self, segment):
        if segment.region:
            self.region = segment.end
        else:
            self.last = segment.end


def find_lanes(row):
    """Give each segment of ROW a lane."""
    row.segments.sort(key=lambda each: (each.start, not each.region, -each.end))
    lanes = []
    for segment in row.segments:
        number = next((n for n, lane in enumerate(lanes) if lane.fits(segment)), len(lanes))
        if number == len(lanes):
            lanes.append(Lane())
        lanes[number].take(segment)
        segment.lane = number
    row.lanes = max(1, len(lanes))


def fill_gaps(picture, row):
    """A worker that has nothing to run waits for what its last id waits for: until its next id runs
    or the region ends."""
    first = [each for each in row.segments if each.lane == 0 and each.execution is not None]
    region = None
    for before, after in itertools.zip_longest(first, first[1:]):
        if before.region:
            region = before
            continue
        execution = picture.executions.get(before.execution)
        end = execution.ended if execution else None
        if end is not None:
            end = min(end, after.start) if after else end
        elif after and after.execution == before.execution and not after.region:
            end = after.start
        if end is not None and region and before.end < region.end:
            end = min(end, region.end)
        if end is None or end <= before.end:
            continue
        segment = Segment(row, before.execution, before.end, end)
        event = Event(Kind.WAITED, before.end, end, before.waits_for, row.worker, 0)
        picture.slices.append(Slice(segment, event, 2, before.end, end, idle=True))


def arrange(picture):
    """Give all slices of PICTURE their lanes, and number these: workers first, then threads. The
    slices are then by lane and time, outer ones first."""

    def order(row):
        if row.worker != NO_WORKER:
            return 0, row.pool, row.worker
        # Threads that ran no id last.
        return (1 if row.level else 2), row.level, row.id, row.ring

    tid = 1
    for row in sorted(picture.rows.values(), key=order):
        find_lanes(row)
        if row.worker != NO_WORKER:
            fill_gaps(picture, row)
        row.tid = tid
        tid += row.lanes
    picture.slices.sort(key=lambda each: (each.tid(), each.start, -each.end, each.depth))
