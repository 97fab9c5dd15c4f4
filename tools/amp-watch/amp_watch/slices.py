# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns the events of all rings into slices on rows.

On a row slices nest. An id of a folded team has its worker's core only between its waits. So it is
cut into segments there, together with the loops and tasks in it.

row        a line of the picture: a worker of folded teams, or a thread
segment    a time in which an id, or something outside of ids, runs on a row
slice      the part of an event that is in one segment
execution  one execution of a region by a team, by its number

Each event has one slice that does not continue an earlier one, but for: what begins and what ends a
region or id, which have one together; a wait of an id of a folded team, which is the gap between
its segments; and those that are counted as dropped.
"""

from amp_watch import events
from amp_watch.events import BARRIER, NO_CLASS, NO_SITE, NO_WORKER, Kind

OPEN = float("inf")


class Row:
    """Worker WORKER of POOL, or the thread of RING if that is NO_WORKER."""

    def __init__(self, pool, worker, ring):
        self.pool, self.worker, self.ring = pool, worker, ring
        # The id that its thread ran first, and the level of its team; 0 if it ran none.
        self.id = self.level = 0
        self.classes = set()
        self.segments = []
        # How many lanes it has, and the number of the first one in the file.
        self.lanes, self.tid = 1, 0


class Segment:
    """WAITS_FOR: what its id waited for then. REGION: it is that of a region, with others in it."""

    __slots__ = ("row", "execution", "start", "end", "region", "waits_for", "lane")

    def __init__(self, row, execution, start, end, region=False):
        self.row, self.execution, self.start, self.end = row, execution, start, end
        self.region = region
        self.waits_for = BARRIER
        self.lane = 0


class Slice:
    """DEPTH: slices of the same time nest by it. IDLE: no event has it, as the worker had nothing
    to run. SLICES: how many the event has, of its first one."""

    __slots__ = ("segment", "event", "depth", "start", "end", "cls", "continued", "unfinished")
    __slots__ += ("idle", "slices")

    def __init__(self, segment, event, depth, start, end, **flags):
        self.segment, self.event, self.depth = segment, event, depth
        self.start, self.end = start, end
        self.cls = flags.get("cls")
        self.continued = flags.get("continued", False)
        self.unfinished = flags.get("unfinished", False)
        self.idle = flags.get("idle", False)
        self.slices = 1

    def tid(self):
        return self.segment.row.tid + self.segment.lane


class Execution:
    def __init__(self):
        self.site, self.ended, self.how = NO_SITE, None, 0


class Picture:
    """All of it. NOW: when the trace was written. COMPLETE: from when on no ring lost anything.
    LOST: events that were overwritten, or whose region or id began before. DROPPED: others that
    have no slice."""

    def __init__(self, now):
        self.now = now
        self.executions, self.rows, self.slices = {}, {}, []
        self.complete = self.lost = self.dropped = 0

    def row(self, pool, worker, ring):
        key = (0, worker, ring) if worker == NO_WORKER else (pool, worker, 0)
        if key not in self.rows:
            self.rows[key] = Row(*key)
        return self.rows[key]

    def add_execution(self, event):
        execution = self.executions.setdefault(event.a, Execution())
        if event.kind == Kind.REGION_BEGINS:
            execution.site = event.b & 0xFFFF
        else:
            execution.ended, execution.how = event.start, event.b


class Open:
    """A region or id that EVENT has begun. OUTER: it is in no id. ROW: that of its first id."""

    def __init__(self, event, outer):
        self.event, self.outer, self.row = event, outer, None
        self.region = event.kind == Kind.REGION_BEGINS

    def ended_by(self, event):
        region = event.kind == Kind.REGION_ENDS
        return (self.region, self.event.a) == (region, event.a) and (
            region or self.event.b >> 32 == event.b >> 32
        )


class Reader:
    """Reads SOME, events of RING."""

    def __init__(self, picture, ring, some):
        self.picture, self.ring, self.events = picture, ring, some
        self.open = []
        # The segments of the id that the thread is in, the last of which may be open; or none.
        self.segments = []
        # Segments outside of ids, and the slices of each.
        self.alone = []
        # Whether the id is of a folded team.
        self.folded = False
        # Where the thread's last id ran, and in which execution.
        self.last_row = self.last_execution = None

    def thread_row(self):
        return self.picture.row(0, NO_WORKER, self.ring.number)

    def add_segment(self, row, *times, **flags):
        segment = Segment(row, *times, **flags)
        row.segments.append(segment)
        return segment

    def add_slice(self, *values, **flags):
        self.picture.slices.append(Slice(*values, **flags))
        return self.picture.slices[-1]

    def add_slices(self, event, depth, start, end, **flags):
        """The slices of EVENT in the segments of the id that the thread is in, if any."""
        segments = self.segments
        if not segments:
            self.add_alone(event, depth, start, end, **flags)
            return
        at = len(segments)
        while at > 0 and segments[at - 1].end > start:
            at -= 1
        first, count = None, 0
        for segment in segments[min(at, len(segments) - 1) :]:
            low, high = max(start, segment.start), min(end, segment.end)
            if low >= high:
                # What took no time, or ran in a gap, has a slice all the same.
                if first or segment is not segments[-1]:
                    continue
                low = high = min(low, segment.end)
            made = self.add_slice(segment, event, depth, low, high, continued=count > 0, **flags)
            first = first or made
            count += 1
        first.slices = count

    def add_alone(self, event, depth, start, end, **flags):
        """The slice of EVENT, which is in no id, such as a task that runs when the thread's id has
        ended. What ran in it came before; they share a segment."""
        self.last_row = self.last_row or self.thread_row()
        segment = Segment(self.last_row, self.last_execution, start, end)
        slices = []
        while self.alone and self.alone[-1][0].start >= start:
            slices += self.alone.pop()[1]
        for each in slices:
            each.segment = segment
        slices.append(self.add_slice(segment, event, depth, start, end, **flags))
        self.alone.append((segment, slices))

    def begin_segment(self, place, pool, execution, start):
        self.folded = place != NO_WORKER
        row = self.picture.row(pool, place, self.ring.number)
        self.segments.append(self.add_segment(row, execution, start, OPEN))

    def end_segment(self, end, waits_for):
        self.segments[-1].end, self.segments[-1].waits_for = end, waits_for

    def first_place(self, event, number):
        """Where the id that begins with EVENT, the one of NUMBER, runs. A thread of a folded team
        may join that only when it first waits."""
        execution = self.picture.executions.get(event.a)
        if execution and execution.ended is not None and execution.how == 0:
            return NO_WORKER
        place = event.b & 0xFFFF
        while place == NO_WORKER and number + 1 < len(self.events):
            number += 1
            later = self.events[number]
            if later.kind in (Kind.WAITED, Kind.ID_ENDS):
                place = later.b & 0xFFFF
            if later.kind == Kind.ID_ENDS:
                break
        return place

    def begin(self, event, number):
        self.open.append(Open(event, outer=not self.segments))
        if event.kind == Kind.REGION_BEGINS or not self.open[-1].outer:
            return
        self.begin_segment(self.first_place(event, number), event.c, event.a, event.start)
        row = self.segments[-1].row
        if row.level == 0:
            row.level, row.id = event.b >> 16 & 0xFFFF, event.b >> 32
        if len(self.open) > 1 and self.open[-2].row is None:
            self.open[-2].row = row

    def end_outer(self, event, depth, end, cls, unfinished):
        """The outer id that EVENT began ended at END, on a core of class CLS."""
        segments, self.segments = self.segments, []
        last = segments[-1]
        self.last_row, self.last_execution = last.row, event.a
        # Unless it waits, and so has ended its last segment.
        if last.end == OPEN:
            last.end = end
        for number, each in enumerate(segments):
            flags = {"cls": cls, "continued": number > 0, "unfinished": unfinished}
            made = self.add_slice(each, event, depth, each.start, each.end, **flags)
            made.slices = len(segments)
        if cls is not None:
            last.row.classes.add(cls)

    def pop(self, end, cls=None, unfinished=False):
        """The innermost region or id ended at END."""
        ended = self.open.pop()
        event, depth = ended.event, 2 * len(self.open) + 1
        if not ended.outer:
            self.add_slices(event, depth, event.start, end, unfinished=unfinished)
        elif not ended.region:
            self.end_outer(event, depth, end, cls, unfinished)
        else:
            row = ended.row or self.thread_row()
            segment = self.add_segment(row, event.a, event.start, end, region=True)
            self.add_slice(segment, event, depth, event.start, end, unfinished=unfinished)

    def end(self, event):
        """EVENT ends a region or id, unless its begin is lost."""
        if not any(each.ended_by(event) for each in self.open):
            self.picture.dropped += 1
            return
        # What is in it has not ended: its thread was cancelled, for example.
        while not self.open[-1].ended_by(event):
            self.pop(event.start, unfinished=True)
        cls = event.b >> 16 & 0xFFFF
        region = event.kind == Kind.REGION_ENDS
        self.pop(event.start, None if region or cls == NO_CLASS else cls)

    def wait(self, event):
        what_for, place = event.a & 0xFFFF, event.b & 0xFFFF
        if self.segments and self.folded:
            self.end_segment(event.start, what_for)
            self.begin_segment(place, event.c, self.segments[0].execution, event.end)
        elif self.segments or (what_for == BARRIER and place == NO_WORKER):
            self.add_slices(event, 2 * len(self.open), event.start, event.end)
        else:
            # Between regions.
            self.picture.dropped += 1

    def end_thread(self, end):
        while self.open:
            self.pop(end, unfinished=True)
        for segment, _ in self.alone:
            segment.row.segments.append(segment)
        self.alone = []
        self.last_row = self.last_execution = None

    def read(self):
        for number, event in enumerate(self.events):
            kind = event.kind
            if kind in (Kind.REGION_BEGINS, Kind.ID_BEGINS):
                self.begin(event, number)
            elif kind in (Kind.REGION_ENDS, Kind.ID_ENDS):
                self.end(event)
            elif kind == Kind.WAITED:
                self.wait(event)
            elif kind == Kind.THREAD_ENDS:
                self.end_thread(event.start)
            else:
                self.add_slices(event, 2 * len(self.open), event.start, event.end)
        self.close()

    def close(self):
        """End what is open when the trace is written."""
        since, now = self.ring.since, self.picture.now
        if self.segments and 0 < since <= now:
            if self.folded:
                self.end_segment(since, self.ring.waits_for)
            else:
                waited = events.Event(Kind.WAITED, since, now, self.ring.waits_for, NO_WORKER, 0)
                self.add_slices(waited, 2 * len(self.open), since, now, unfinished=True)
        self.end_thread(now)


def until_now(picture, some):
    """SOME events of a ring but those at its end that came while the trace was written."""
    count = len(some)
    while count and some[count - 1].end > picture.now:
        count -= 1
    picture.dropped += len(some) - count
    return some[:count]


def without_lost(picture, ring, some):
    """SOME events of RING from the first on whose region or id is there."""
    if not ring.lost:
        return some
    begins = (Kind.REGION_BEGINS, Kind.ID_BEGINS)
    first = next((n for n, event in enumerate(some) if event.kind in begins), len(some))
    picture.lost += ring.lost + first
    if first < len(some):
        picture.complete = max(picture.complete, some[first].start)
    return some[first:]


def make_slices(rings, now):
    """The picture of RINGS, as written at NOW. Its segments have no lanes yet."""
    picture = Picture(now)
    kept = [until_now(picture, ring.events) for ring in rings]
    for event in (event for some in kept for event in some):
        if event.kind in (Kind.REGION_BEGINS, Kind.REGION_ENDS):
            picture.add_execution(event)
    for ring, some in zip(rings, kept):
        Reader(picture, ring, without_lost(picture, ring, some)).read()
    return picture
