# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how amp-trace makes slices and lanes of events, by threads that do things at random.

slices_test.py [--seeds N]
"""

import argparse
import collections
import json
import pathlib
import random
import re
import struct
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools/amp-watch"))
from amp_watch import chrome, events, traces, words  # noqa: E402
from amp_watch.events import NO_CLASS, NO_WORKER, Event, Ring  # noqa: E402
from amp_watch.lanes import arrange  # noqa: E402
from amp_watch.slices import make_slices  # noqa: E402

BEGINS = (events.Kind.REGION_BEGINS, events.Kind.ID_BEGINS)
ENDS = (events.Kind.REGION_ENDS, events.Kind.ID_ENDS)
WORKERS = 3
ABOUT = {
    "format": events.FORMAT,
    "version": events.VERSION,
    "pid": 7,
    "program": "/bin/app",
    "order": "little",
    "began_ns": 1,
    "classes": 2,
    "classes_forced": False,
    "worker_cpus": [4, 5, 6],
    "threads_without": 0,
    "region_address": "function",
}


class Thread:
    """Makes the events of a thread, which does at random what threads do."""

    def __init__(self, chance, serials):
        self.chance, self.serials = chance, serials
        self.now = chance.randint(1, 1000)
        self.events = []
        self.folded = False

    def later(self):
        # Odd steps: no two events of a thread begin or end at the same time.
        self.now += 2 * self.chance.randint(0, 40) + 1
        return self.now

    def place(self):
        return self.chance.randrange(WORKERS) if self.folded else NO_WORKER

    def add(self, kind, start, a=0, b=0, c=0):
        spans = kind >= events.Kind.SLICE or kind in (events.Kind.WAITED, events.Kind.TASK_RAN)
        self.events.append(Event(kind, start, start + (a >> 16) if spans else start, a, b, c))

    def add_span(self, kind, low, inner, b=0, c=0):
        start = self.later()
        inner()
        span = self.later() - start
        self.add(kind, start, span << 16 | low, b, c)

    def wait(self):
        what_for = self.chance.randrange(len(events.WAITS))
        self.add_span(events.Kind.WAITED, what_for, lambda: None, self.place(), 1)

    def some(self, depth):
        """Loops with waits, tasks, instants, and at times a region."""

        def waits():
            for _ in range(self.chance.randrange(3)):
                self.wait()

        for _ in range(self.chance.randrange(5)):
            what = self.chance.randrange(5)
            if what == 0:
                self.wait()
            elif what == 1:
                kind = events.Kind.SLICE + self.chance.randrange(len(events.RAN_AS))
                self.add_span(kind, 0, waits, 5, 10)
            elif what == 2:
                self.add_span(events.Kind.TASK_RAN, 0, lambda: depth < 6 and self.some(depth + 1))
            elif what == 3:
                self.add(events.Kind.FACTORS, self.later(), 2 << 16)
            elif depth < 2:
                self.region(depth + 1)

    def id(self, serial, number, depth):
        place = self.chance.choice((self.place(), NO_WORKER))
        level = depth + 1
        self.add(events.Kind.ID_BEGINS, self.later(), serial, number << 32 | level << 16 | place, 1)
        self.some(depth)
        cls = self.chance.choice((0, 1, NO_CLASS))
        end = number << 32 | cls << 16 | self.place()
        # Else it was cancelled.
        if self.chance.random() < 0.95:
            self.add(events.Kind.ID_ENDS, self.later(), serial, end)

    def region(self, depth):
        serial = next(self.serials)
        ids = self.chance.randint(1, 3)
        before, self.folded = self.folded, depth == 0 and self.chance.random() < 0.5
        self.add(events.Kind.REGION_BEGINS, self.later(), serial, ids << 32 | (depth + 1) << 16)
        for number in range(ids):
            self.id(serial, number, depth)
        # Tasks in the last barrier.
        self.some(3)
        self.add(events.Kind.REGION_ENDS, self.later(), serial, int(self.folded))
        self.folded = before

    def run(self):
        for _ in range(self.chance.randint(1, 4)):
            # An id of another thread's region.
            if self.chance.random() < 0.3:
                self.id(next(self.serials), 1, 0)
            self.region(0)
            if self.chance.random() < 0.2:
                # It ended in something.
                del self.events[-self.chance.randint(1, len(self.events)) :]
                self.add(events.Kind.THREAD_ENDS, self.later())
        return self.events


def make_rings(chance):
    """Rings of some threads, of some of which the begin or the end is not there; and when the trace
    was written."""
    serials = iter(range(10**6))
    rings = []
    for number in range(chance.randint(1, 5)):
        some = Thread(chance, serials).run()
        lost = chance.randrange(len(some)) if chance.random() < 0.3 else 0
        since = 0
        if chance.random() < 0.3:
            del some[chance.randint(lost, len(some)) :]
            since = max((event.end for event in some), default=0) + 1
        rings.append(Ring(number, some[lost:], lost, since, chance.randrange(len(events.WAITS))))
    end = max((event.end for ring in rings for event in ring.events), default=0) + 2
    return rings, chance.choice((end, end, chance.randint(1, end)))


class Slices(unittest.TestCase):
    def check_once(self, rings, now, picture):
        """Each event has one slice that continues none, or is the gap between two segments, or the
        end of a region or id whose begin has a slice; or it is counted as dropped or lost."""
        drawn = collections.Counter()
        for each in picture.slices:
            if not each.idle and not each.continued:
                drawn[id(each.event)] += 1
        begins = {each.start for row in picture.rows.values() for each in row.segments}
        ends = {each.end for row in picture.rows.values() for each in row.segments}
        dropped = lost = 0
        for ring in rings:
            # Not many events, so that it may be slow.
            kept = list(ring.events)
            while kept and kept[-1].end > now:
                kept.pop()
                dropped += 1
            if ring.lost:
                lost += ring.lost
                while kept and kept[0].kind not in BEGINS:
                    kept.pop(0)
                    lost += 1
            opened = []
            for event in kept:
                count = drawn.pop(id(event), 0)
                if event.kind in BEGINS:
                    opened.append((event.kind + 1, event.a, event.b >> 32))
                    self.assertEqual(count, 1, event)
                elif event.kind in ENDS:
                    of_region = event.kind == events.Kind.REGION_ENDS
                    known = [
                        n
                        for n, (kind, serial, number) in enumerate(opened)
                        if (kind, serial) == (event.kind, event.a)
                        and (of_region or number == event.b >> 32)
                    ]
                    dropped += not known
                    opened = opened[: known[-1]] if known else opened
                    self.assertEqual(count, 0, event)
                elif event.kind == events.Kind.THREAD_ENDS:
                    opened = []
                    self.assertEqual(count, 0, event)
                elif event.kind == events.Kind.WAITED:
                    gap = event.start in ends and event.end in begins
                    self.assertLessEqual(count, 1, event)
                    dropped += count == 0 and not gap
                else:
                    self.assertEqual(count, 1, event)
        # All that is left is the wait of a thread that waits now.
        self.assertLessEqual(set(drawn.values()), {1})
        self.assertLessEqual(len(drawn), sum(ring.since > 0 for ring in rings))
        self.assertEqual((picture.dropped, picture.lost), (dropped, lost))

    def check_times(self, picture):
        """The slices of an event do not overlap, and are in its time and in their segments."""
        by_event = collections.defaultdict(list)
        for each in picture.slices:
            self.assertLessEqual(each.segment.start, each.start)
            self.assertLessEqual(each.start, each.end)
            self.assertLessEqual(each.end, each.segment.end)
            by_event[id(each.event)].append(each)
        for some in by_event.values():
            some.sort(key=lambda each: each.start)
            if some[0].event.kind not in BEGINS and not some[0].idle:
                total = sum(each.end - each.start for each in some)
                self.assertLessEqual(total, some[0].event.end - some[0].event.start)
            self.assertEqual(some[0].slices, len(some))
            for before, after in zip(some, some[1:], strict=False):
                self.assertLessEqual(before.end, after.start)

    def check_lanes(self, picture):
        """On a lane each slice is in those that are open, in their order; and of the segments of a
        lane only those of regions have others in them."""
        opened = collections.defaultdict(list)
        for each in picture.slices:
            stack = opened[each.tid()]
            while stack and stack[-1].end <= each.start:
                if stack[-1].end == stack[-1].start == each.start:
                    break
                stack.pop()
            if stack and stack[-1].end > stack[-1].start:
                self.assertLessEqual(each.end, stack[-1].end)
            stack.append(each)
        tids = [row.tid + lane for row in picture.rows.values() for lane in range(row.lanes)]
        self.assertEqual(sorted(tids), list(range(1, len(tids) + 1)))
        for row in picture.rows.values():
            self.assertEqual({each.lane for each in row.segments}, set(range(row.lanes)))
            for lane in range(row.lanes):
                own = [each for each in row.segments if each.lane == lane and not each.region]
                for before, after in zip(own, own[1:], strict=False):
                    self.assertLessEqual(before.end, after.start)

    def raw(self, rings, now):
        """A file of RINGS, written at NOW; and its line of JSON."""
        about = {**ABOUT, "now_ns": now, "sites": {}}
        for kind in ("regions", "loops", "tasks"):
            about["sites"][kind] = [{"site": "app+1", "module": None, "address": 1}]
        about["rings"] = [
            {
                "events": len(ring.events),
                "lost": ring.lost,
                "since": ring.since,
                "waits_for": ring.waits_for,
            }
            for ring in rings
        ]
        words = (
            (event.start << 8 | event.kind, event.a, event.b, event.c)
            for ring in rings
            for event in ring.events
        )
        data = b"".join(struct.pack("<4Q", *each) for each in words)
        return json.dumps(about).encode() + b"\n" + data, about

    def check_drawing(self, rings, now):
        """What is drawn can be read again, and has all slices."""
        content, about = self.raw(rings, now)
        read = traces.parse("file", content)
        self.assertEqual(read, (about, rings))
        drawn = chrome.draw(*read)
        json.dumps(drawn, allow_nan=False)
        return [each for each in drawn["traceEvents"] if each["ph"] != "M"]

    def test_at_random(self):
        kinds = collections.Counter()
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                rings, now = make_rings(random.Random(seed))
                picture = make_slices(rings, now)
                self.check_once(rings, now, picture)
                arrange(picture)
                self.check_times(picture)
                self.check_lanes(picture)
                self.assertEqual(len(self.check_drawing(rings, now)), len(picture.slices))
                kinds.update(each.event.kind for each in picture.slices)
                kinds.update(
                    flag
                    for each in picture.slices
                    for flag in ("idle", "continued", "unfinished")
                    if getattr(each, flag)
                )
                kinds["dropped"] += picture.dropped
                kinds["lanes"] += sum(row.lanes > 1 for row in picture.rows.values())
        wanted = {*range(events.Kind.SLICE + len(events.RAN_AS))} - {*ENDS, events.Kind.THREAD_ENDS}
        wanted |= {"idle", "continued", "unfinished", "dropped", "lanes"}
        self.assertEqual({kind for kind in wanted if not kinds[kind]}, set())

    def test_damaged_files(self):
        """They are drawn, or refused as read refuses them."""
        results = collections.Counter()
        for seed in range(SEEDS):
            chance = random.Random(seed)
            content = bytearray(self.raw(*make_rings(chance))[0])
            line = content.index(b"\n")
            for _ in range(chance.randint(1, 4)):
                if chance.random() < 0.2:
                    content[chance.randrange(line)] = chance.randrange(32, 127)
                else:
                    at = chance.randrange(line, len(content)) & ~7
                    content[max(at, line + 1) : at + 1] = bytes([chance.randrange(256)])
            if chance.random() < 0.1:
                del content[chance.randrange(line + 1, len(content) + 1) :]
            with self.subTest(seed=seed):
                try:
                    read = traces.parse("file", bytes(content))
                except (ValueError, LookupError, TypeError, SystemExit) as error:
                    results[type(error).__name__] += 1
                else:
                    json.dumps(chrome.draw(*read), allow_nan=False)
                    results["drawn"] += 1
        with self.assertRaises(LookupError):
            traces.parse("file", self.raw([Ring(0, [], 0, 1, len(events.WAITS))], 2)[0])
        for result in ("drawn", "ValueError", "KeyError"):
            self.assertGreater(results[result], 0)

    def test_the_document_has_these_words(self):
        tool = pathlib.Path(traces.__file__).parents[1]
        page = (tool.parents[1] / "docs/design/watch-format.md").read_text()
        table = (tool / "amp_watch/words.def").read_text()
        rows = re.findall(r'^EVENT\(\w+, "(.*)",\s+"(.*)"\)$', table, re.M)
        self.assertEqual(len(rows), len(events.Kind))
        numbers = [*range(events.Kind.SLICE), f"{events.Kind.SLICE:d} and up"]
        lines = (f"| {number} | {what} | {said} |\n" for number, (what, said) in zip(numbers, rows))
        self.assertIn("".join(lines), page)
        for of in (words.RAN, words.WHY, words.WAY):
            self.assertIn(", ".join(f"`{key}`" for key in of), " ".join(page.split()))
        for number, text in enumerate(words.WAIT.values()):
            self.assertIn(f"{number} {text}", page)

    def test_an_id_that_takes_turns_leaves_its_core_when_it_waits(self):
        """Two ids of a worker, of which one waits while the other one runs a loop."""
        first = [
            Event(events.Kind.REGION_BEGINS, 10, 10, 1, 2 << 32 | 1 << 16, 0),
            Event(events.Kind.ID_BEGINS, 10, 10, 1, 0 << 32 | 1 << 16 | 2, 9),
            Event(events.Kind.WAITED, 20, 40, 20 << 16, 2, 9),
            Event(events.Kind.ID_ENDS, 50, 50, 1, 0 << 32 | 1 << 16 | 2, 0),
            Event(events.Kind.REGION_ENDS, 60, 60, 1, 1, 0),
        ]
        second = [
            Event(events.Kind.ID_BEGINS, 22, 22, 1, 1 << 32 | 1 << 16 | 2, 9),
            Event(events.Kind.SLICE, 24, 30, 6 << 16, 5, 5),
            Event(events.Kind.ID_ENDS, 32, 32, 1, 1 << 32 | 1 << 16 | 2, 0),
        ]
        rings = [Ring(0, first, 0, 0, 0), Ring(1, second, 0, 0, 0)]
        slices = [
            (each["name"], each["tid"], each["ts"] * 1000, each["dur"] * 1000)
            for each in self.check_drawing(rings, 100)
        ]
        self.assertEqual(
            slices,
            [
                ("region", 1, 10, 50),
                ("id 0 (fast)", 1, 10, 10),
                ("barrier", 1, 20, 2),
                ("id 1 (fast)", 1, 22, 10),
                ("loop", 1, 24, 6),
                ("barrier", 1, 32, 8),
                ("id 0 (fast)", 1, 40, 10),
                ("barrier", 1, 50, 10),
            ],
        )

    def test_an_id_that_waits_when_the_trace_is_written(self):
        begin = Event(events.Kind.ID_BEGINS, 10, 10, 1, 1 << 16 | 2, 9)
        (drawn,) = self.check_drawing([Ring(0, [begin], 0, 30, 0)], 100)
        self.assertEqual((drawn["ts"] * 1000, drawn["dur"] * 1000), (10, 20))
        self.assertTrue(drawn["args"]["unfinished"])

    def test_tasks_in_tasks_after_the_end_of_an_id(self):
        some = [
            Event(events.Kind.ID_BEGINS, 10, 10, 1, 1 << 16 | NO_WORKER, 9),
            Event(events.Kind.ID_ENDS, 20, 20, 1, NO_WORKER, 0),
            Event(events.Kind.TASK_RAN, 25, 28, 3 << 16, 0, 0),
            Event(events.Kind.TASK_RAN, 32, 38, 6 << 16, 0, 0),
            Event(events.Kind.WAITED, 40, 44, 4 << 16 | events.BARRIER, NO_WORKER, 9),
            Event(events.Kind.TASK_RAN, 31, 50, 19 << 16, 0, 0),
            Event(events.Kind.TASK_RAN, 30, 60, 30 << 16, 0, 0),
        ]
        slices = [
            (each["name"], each["tid"], each["ts"] * 1000)
            for each in self.check_drawing([Ring(0, some, 0, 0, 0)], 100)
        ]
        wanted = [("id 0 (slow)", 10), ("task", 25), ("task", 30), ("task", 31), ("task", 32)]
        self.assertEqual(slices, [(name, 1, at) for name, at in [*wanted, ("barrier", 40)]])

    def test_an_id_beside_the_turn_has_a_lane_of_its_own(self):
        rings = [
            Ring(
                number,
                [
                    Event(events.Kind.ID_BEGINS, start, start, 1, number << 32 | 1 << 16 | 2, 9),
                    Event(events.Kind.ID_ENDS, start + 20, start + 20, 1, number << 32 | 2, 0),
                ],
                0,
                0,
                0,
            )
            for number, start in enumerate((10, 20, 30))
        ]
        slices = [(each["name"], each["tid"]) for each in self.check_drawing(rings, 100)]
        self.assertEqual(slices, [("id 0 (slow)", 1), ("id 2 (slow)", 1), ("id 1 (slow)", 2)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=200)
    arguments, rest = parser.parse_known_args()
    SEEDS = arguments.seeds
    unittest.main(argv=[sys.argv[0], *rest])
