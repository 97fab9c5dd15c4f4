# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of README.md: speed by how many slow cores there are beside the fast ones."""

from .quotes import Table

# Of the origin, and a slow core to the right, and the speed of one upwards.
_LEFT, _BOTTOM, _RIGHT, _UP = 80, 280, 90, 16
_GREY, _RED, _BLUE = "#57606a", "#cf222e", "#0969da"
# Apart from each other, labels can be read.
_BETWEEN = 16

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 340" width="640" height="340" role="img"
     font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="13" fill="#24292f">
  <title>Speed of seven NPB programs on four fast cores and zero to four slow ones</title>
  <!-- drawn by bench/report of docs/results/littles/report.md -->
  <rect width="640" height="340" rx="6" fill="#ffffff"/>
"""


def _points(values: list[float]) -> list[tuple[int, float]]:
    return [(_LEFT + _RIGHT * i, round(_BOTTOM - _UP * one, 2)) for i, one in enumerate(values)]


def _text(x: float, y: float, text: str, more: str = 'text-anchor="middle"') -> str:
    return f'  <text x="{x:g}" y="{y:g}" {more}>{text}</text>\n'


def _axes(machines: list[str]) -> str:
    end = _LEFT + _RIGHT * (len(machines) - 1)
    found = ""
    for value in range(0, 17, 4):
        y = _BOTTOM - _UP * value
        found += f'  <path d="M{_LEFT} {y}H{end}" stroke="#d0d7de"/>\n'
        found += _text(_LEFT - 10, y + 4, str(value), 'text-anchor="end"')
    for number in range(len(machines)):
        found += _text(_LEFT + _RIGHT * number, _BOTTOM + 20, f"4 + {number}")
    middle = (_LEFT + end) / 2
    found += _text(middle, _BOTTOM + 44, "fast cores (three times as fast) + slow cores")
    turned = 'transform="translate(28 152) rotate(-90)" text-anchor="middle"'
    return found + _text(0, 0, "times one slow core", turned)


def drawn(table: Table) -> str:
    """The picture of the table of speedups in the report of the matrix littles."""
    head, *rows = table

    def column(name: str) -> list[float]:
        return [float(row[head.index(name)]) for row in rows]

    static = column("static threads")
    lines = [
        ("all cores together", column("ideal"), _GREY, 'stroke-width="1.5" stroke-dasharray="6 4"'),
        ("static, fast cores only", static[:1] * len(rows), _GREY, 'stroke-dasharray="2 4"'),
        ("static, all cores", static, _RED, 'stroke-width="3"'),
        ("aid_hybrid", column("aid_hybrid"), _BLUE, 'stroke-width="3"'),
    ]
    found = _HEAD + _axes([row[0] for row in rows])
    for _, values, colour, style in lines:
        points = " ".join(f"{x:g},{y:g}" for x, y in _points(values))
        found += f'  <polyline fill="none" stroke="{colour}" {style} points="{points}"/>\n'
        if colour != _GREY:
            for x, y in _points(values):
                found += f'  <circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>\n'
    below = 0.0
    for label, values, colour, _ in sorted(lines, key=lambda line: -line[1][-1]):
        x, y = _points(values)[-1]
        below = max(y + 4, below + _BETWEEN)
        found += _text(x + 12, below, label, f'fill="{colour}"')
    return found + "</svg>\n"
