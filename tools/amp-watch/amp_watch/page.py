# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as one page of HTML with pictures, by matplotlib."""

import html
import io
import os

from amp_watch.common import fail
from amp_watch.sums import MOST, ratio, worst
from amp_watch.text import region_lines, summary

COLOURS = ("#9ecae1", "#3182bd", "#08519c", "#fdae6b", "#e6550d", "#a63603", "#74c476", "#006d2c")


def svg_of(figure, plt):
    stream = io.StringIO()
    figure.savefig(stream, format="svg", bbox_inches="tight")
    plt.close(figure)
    text = stream.getvalue()
    return text[text.index("<svg") :]


def short(name, length=44):
    return name if len(name) <= length else name[: length - 3] + "..."


# Of a thread that waits inside of its region. Where in its time it did is not recorded.
WAITS_OPACITY = 0.3
LEGEND = (
    " (a thread's waits at barriers inside of the region, for locks and for its core are light, and"
    " all at the end of its bar; a trace shows where they were)"
)


def draw_times(report, plt):
    """Where the time of the regions went."""
    regions = worst(report)[::-1]
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.4 * len(regions)))
    left = [0.0] * len(regions)
    parts = (
        ("useful_ns", "useful", "#31a354"),
        ("imbalance_ns", "imbalance", "#fdae6b"),
        ("scheduling_ns", "scheduling", "#de2d26"),
    )
    for what, label, colour in parts:
        widths = [
            region["elapsed_ns"] * ratio(region[what], region["capacity_ns"])
            if region["capacity_ns"]
            else 0.0
            for region in regions
        ]
        widths = [width / report["processes"] / 1e9 for width in widths]
        axes.barh(range(len(regions)), widths, left=left, label=label, color=colour)
        left = [before + width for before, width in zip(left, widths)]
    axes.set_yticks(range(len(regions)), [short(region["name"]) for region in regions])
    axes.set_xlabel("seconds")
    axes.legend(loc="lower right", frameon=False)
    return svg_of(figure, plt)


def draw_shares(report, plt):
    """Which classes ran what part of the iterations of each loop, and of each region's threads."""
    rows = [
        (f"loop {short(loop['name'], 38)}", {p["class"]: p["iterations"] for p in loop["classes"]})
        for loop in sorted(report["loops"], key=lambda each: -each["longest_ns"])[:MOST]
    ]
    rows += [
        (short(region["name"]), {part["class"]: part["ids"] for part in region["classes"]})
        for region in worst(report)
    ]
    rows = [(name, parts) for name, parts in rows[::-1] if sum(parts.values())]
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.35 * len(rows)))
    left = [0.0] * len(rows)
    for number in sorted({number for _, parts in rows for number in parts}):
        widths = [100 * parts.get(number, 0) / sum(parts.values()) for _, parts in rows]
        axes.barh(
            range(len(rows)),
            widths,
            left=left,
            label=f"class {number}",
            color=COLOURS[number % len(COLOURS)],
        )
        left = [before + width for before, width in zip(left, widths)]
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xlabel("% of the iterations, or of the threads")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return svg_of(figure, plt)


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


def draw_longest(region, plt):
    """The longest execution of REGION: when each thread began and ended, and how long it waited, by
    core."""
    ids = sorted(region["longest"]["ids"], key=lambda each: each["began"])
    rows, of_place = rows_of(ids)
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.28 * len(set(rows.values()))))
    for number, each in enumerate(ids):
        whole = max(0, each["ended"] - each["began"])
        # Tasks that it has run in the last barrier are useful, too.
        useful = min(whole, each["useful"])
        for length, left, opacity in (
            (useful, each["began"], 1),
            (whole - useful, each["began"] + useful, WAITS_OPACITY),
        ):
            if length:
                axes.barh(
                    rows[number],
                    length / 1e3,
                    left=left / 1e3,
                    height=0.7,
                    color=COLOURS[each["class"] % len(COLOURS)],
                    edgecolor="white",
                    linewidth=0.4,
                    alpha=opacity,
                )
    axes.invert_yaxis()
    axes.axvline(region["longest"]["ns"] / 1e3, color="black", linewidth=0.8)
    axes.set_yticks(
        [(lanes.start + lanes.stop - 1) / 2 for lanes in of_place.values()],
        [f"core {place}" for place in of_place],
    )
    axes.set_xlabel("microseconds since the region began")
    colours = {each["class"]: COLOURS[each["class"] % len(COLOURS)] for each in ids}
    axes.legend(
        [plt.Rectangle((0, 0), 1, 1, color=colours[number]) for number in sorted(colours)],
        [f"class {number}" for number in sorted(colours)],
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        frameon=False,
    )
    return svg_of(figure, plt)


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em;
        color: #222; background: #fff; }}
pre {{ background: #f6f6f6; padding: 0.8em; white-space: pre-wrap; }}
svg {{ max-width: 100%; height: auto; }}
h2 {{ margin-top: 2em; }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def page(report):
    try:
        import matplotlib
    except ImportError as error:
        fail(f"no page: {error}; install python3-matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # The same report gives the same page, and the text in it can be searched.
    matplotlib.rcParams.update({"svg.hashsalt": "amp-report", "svg.fonttype": "none"})

    def text(lines):
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"

    body = [text(summary(report))]
    if report["regions"]:
        body += ["<h2>Where the time went</h2>", draw_times(report, plt)]
        body += ["<h2>Which classes ran what</h2>", draw_shares(report, plt)]
        body.append("<h2>Regions, by the time lost</h2>")
    for region in worst(report):
        body.append(f"<h3>{html.escape(region['name'])}</h3>")
        body.append(text(region_lines(report, region)))
        if region["longest"]["ids"]:
            body.append(f"<p>Its longest execution{LEGEND}:</p>" + draw_longest(region, plt))
    title = html.escape(f"Report of {os.path.basename(report['program'])}")
    return PAGE.format(title=title, body="\n".join(body))
