# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in Markdown."""


def aligned(rows: list[list[str]], columns: int) -> list[str]:
    """The rows of a Markdown table, padded so that they read well as plain text too."""
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(columns)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return lines
