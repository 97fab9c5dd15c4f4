# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as one page of HTML with pictures."""

import html
import math
import os

from amp_watch.sums import MOST, ratio, worst
from amp_watch.text import region_lines, summary

COLOURS = ("#9ecae1", "#3182bd", "#08519c", "#fdae6b", "#e6550d", "#a63603", "#74c476", "#006d2c")


# In pixels: the bars, the names to their left, and a row of them.
BARS, NAMES, ROW = 600, 330, 24


def ticks(most):
    """Round numbers from 0 to MOST, four to eight of them."""
    step = 10 ** math.floor(math.log10(most))
    step *= next(part for part in (0.2, 0.5, 1, 2) if most / step / part < 8)
    return [step * number for number in range(int(most / step * 1.0001) + 1)]


def chart(rows, unit, legend, line=None):
    """A picture of ROWS, from above: the name of each, and its bars, which are BEGIN, LENGTH,
    COLOUR and OPACITY. LEGEND: pairs of a colour and what it means. LINE: where a line is drawn.
    Empty if there is no bar."""
    most = max((sum(bar[:2]) for _, bars in rows for bar in bars), default=0)
    if most <= 0:
        return ""
    scale, bottom = BARS / max(most, line or 0), ROW * len(rows)
    text = [
        f'<svg viewBox="0 0 {NAMES + BARS + 60} {bottom + 45}" font-size="13" role="img">',
        f'<path d="M{NAMES} 0V{bottom}H{NAMES + BARS}" fill="none" stroke="#888"/>',
    ]
    for at, (name, bars) in enumerate(rows):
        place = f'x="{NAMES - 8}" y="{ROW * at + 17}" text-anchor="end"'
        text.append(f"<text {place}>{html.escape(name)}</text>")
        text += [
            f'<rect x="{NAMES + begin * scale:.2f}" y="{ROW * at + 3}" width="{length * scale:.2f}"'
            f' height="{ROW - 6}" fill="{colour}" opacity="{opacity}"/>'
            for begin, length, colour, opacity in bars
            if length > 0
        ]
    for value in ticks(most):
        x = NAMES + value * scale
        text.append(f'<path d="M{x:.2f} {bottom}v5" stroke="#888"/>')
        text.append(f'<text x="{x:.2f}" y="{bottom + 19}" text-anchor="middle">{value:g}</text>')
    if line is not None:
        text.append(f'<path d="M{NAMES + line * scale:.2f} 0V{bottom}" stroke="#000"/>')
    text.append(
        f'<text x="{NAMES + BARS / 2}" y="{bottom + 38}" text-anchor="middle">{unit}</text></svg>'
    )
    keys = "".join(
        f'<span><b style="background: {colour}"></b>{html.escape(meaning)}</span>'
        for colour, meaning in legend
    )
    return f'<p class="legend">{keys}</p>' + "".join(text)


def colour_of(number):
    return COLOURS[number % len(COLOURS)]


def class_legend(numbers):
    return [(colour_of(number), f"class {number}") for number in sorted(numbers)]


def side_by_side(widths):
    """Bars of (WIDTH, COLOUR), each behind the one before."""
    begin = 0
    for width, colour in widths:
        yield begin, width, colour, 1
        begin += width


def short(name, length=44):
    return name if len(name) <= length else name[: length - 3] + "..."


# Of a thread that waits inside of its region. Where in its time it did is not recorded.
WAITS_OPACITY = 0.3
LEGEND = (
    " (a thread's waits at barriers inside of the region, for locks and for its core are light, and"
    " all at the end of its bar; a trace shows where they were)"
)


PARTS = (
    ("useful_ns", "useful", "#31a354"),
    ("imbalance_ns", "imbalance", "#fdae6b"),
    ("scheduling_ns", "scheduling", "#de2d26"),
)


def draw_times(report):
    """Where the time of the regions went."""
    rows = []
    for region in worst(report):
        whole = region["elapsed_ns"] / report["processes"] / 1e9 if region["capacity_ns"] else 0
        parts = [(whole * ratio(region[key], region["capacity_ns"]), c) for key, _, c in PARTS]
        rows.append((short(region["name"]), list(side_by_side(parts))))
    return chart(rows, "seconds", [(colour, meaning) for _, meaning, colour in PARTS])


def draw_shares(report):
    """Which classes ran what part of the iterations of each loop, and of each region's threads."""
    rows = [
        (short(region["name"]), {part["class"]: part["ids"] for part in region["classes"]})
        for region in worst(report)
    ]
    rows += [
        (f"loop {short(loop['name'], 38)}", {p["class"]: p["iterations"] for p in loop["classes"]})
        for loop in sorted(report["loops"], key=lambda each: -each["longest_ns"])[:MOST]
    ]
    rows = [(name, parts) for name, parts in rows if sum(parts.values())]
    bars = [
        (
            name,
            list(
                side_by_side(
                    (100 * parts[number] / sum(parts.values()), colour_of(number))
                    for number in sorted(parts)
                )
            ),
        )
        for name, parts in rows
    ]
    legend = class_legend({number for _, parts in rows for number in parts})
    return chart(bars, "% of the iterations, or of the threads", legend)


def rows_of(ids):
    """The row of each of IDS, from above, and the rows of each place: ids of a place have a row
    each if their times overlap, as they do where ids wait for each other."""
    rows, of_place = {}, {}
    for place in sorted({each["place"] for each in ids}):
        ends = []
        for number, each in enumerate(ids):
            if each["place"] != place:
                continue
            lane = next((i for i, end in enumerate(ends) if end <= each["began"]), len(ends))
            ends[lane : lane + 1] = [each["ended"]]
            rows[number] = sum(map(len, of_place.values())) + lane
        first = sum(map(len, of_place.values()))
        of_place[place] = range(first, first + len(ends))
    return rows, of_place


def draw_longest(region):
    """The longest execution of REGION: when each thread began and ended, and how long it waited, by
    core."""
    ids = sorted(region["longest"]["ids"], key=lambda each: each["began"])
    of_id, of_place = rows_of(ids)
    rows = [("", []) for _ in set(of_id.values())]
    for place, lanes in of_place.items():
        rows[lanes.start] = (f"core {place}", [])
    for number, each in enumerate(ids):
        whole = max(0, each["ended"] - each["began"])
        # Tasks that it has run in the last barrier are useful, too.
        useful = min(whole, each["useful"])
        for begin, length, opacity in (
            (each["began"], useful, 1),
            (each["began"] + useful, whole - useful, WAITS_OPACITY),
        ):
            bar = begin / 1e3, length / 1e3, colour_of(each["class"]), opacity
            rows[of_id[number]][1].append(bar)
    legend = class_legend({each["class"] for each in ids})
    unit = "microseconds since the region began"
    return chart(rows, unit, legend, region["longest"]["ns"] / 1e3)


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em;
        color: #222; background: #fff; }}
pre {{ background: #f6f6f6; padding: 0.8em; white-space: pre-wrap; }}
svg {{ width: 100%; height: auto; }}
.legend span {{ margin-right: 1.5em; }}
.legend b {{ display: inline-block; width: 1em; height: 1em; margin-right: 0.4em; }}
h2 {{ margin-top: 2em; }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def page(report):
    def text(lines):
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"

    body = [text(summary(report))]
    for heading, picture in (
        ("Where the time went", draw_times(report)),
        ("Which classes ran what", draw_shares(report)),
    ):
        if picture:
            body += [f"<h2>{heading}</h2>", picture]
    if report["regions"]:
        body.append("<h2>Regions, by the time lost</h2>")
    for region in worst(report):
        body.append(f"<h3>{html.escape(region['name'])}</h3>")
        body.append(text(region_lines(report, region)))
        if region["longest"]["ids"]:
            body.append(f"<p>Its longest execution{LEGEND}:</p>" + draw_longest(region))
    title = html.escape(f"Report of {os.path.basename(report['program'])}")
    return PAGE.format(title=title, body="\n".join(body))
