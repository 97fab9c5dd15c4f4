# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and tables that pages quote from reports, rendered where marks say which.

    <!--=full|A|geometric mean|aid_hybrid-->1.79<!--/-->

is the number in that row and column of the first table that has both, in the section `## A` of
docs/results/full/report.md (`full/NAME`: of NAME.md there); without a section of the whole report.
A column is named by its head, or by its number from 0, as `#5`. A fifth field is the form: `%`, the
number of percent in the cell; `gain`, +79 of 1.79; `less`, 20 of 0.80; `.1`, with so many digits;
`cell`, all of it. The list of programs whose best AID schedule is behind another one has a column
`behind`.

    <!--table=full|A|2|schedule,mean-->
    ...
    <!--/-->

is the second table there, with these columns, or without the last field with all. Names that have
commas are separated by semicolons. A further field names the rows, likewise.
"""

import re
from pathlib import Path

from .markdown import aligned
from .record import RecordError

_NUMBER = re.compile(r"<!--=([^>]*)-->(.*?)<!--/-->", re.DOTALL)
_TABLE = re.compile(r"^<!--table=([^>]*)-->\n(.*?)^<!--/-->", re.DOTALL | re.MULTILINE)
_MARK = " !"

Table = list[list[str]]


def tables(text: str) -> list[Table]:
    """The tables in a text, the head first, without marks of disturbance; a list of losses last."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = (
            [cell.strip().removesuffix(_MARK) for cell in line.strip("|").split("|")]
            for line in block.splitlines()
        )
        found.append([head, *rows])
    if behind := re.findall(r"^- (\S.*?): (.+ % behind .*)$", text, re.MULTILINE):
        found.append([["program", "behind"], *map(list, behind)])
    return found


def _plain(cell: str) -> str:
    return re.sub("[`*]", "", cell)


def _chosen(text: str) -> list[str]:
    """The names of columns or rows in a field of a mark."""
    return [name.strip() for name in text.split(";" if ";" in text else ",") if name.strip()]


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if not found:
        raise RecordError(f"'{text}' has no number of that form")
    return found[0]


def formed(cell: str, form: str) -> str:
    """What is shown of a cell."""
    if form == "cell":
        return cell
    if form == "%":
        return _first(r"[-+]?[\d.]+(?= %)", cell)
    number = _first(r"[-+]?\d[\d.]*", cell)
    if not form:
        return number
    if form == "gain":
        return f"{100 * float(number) - 100:+.0f}"
    if form == "less":
        return f"{100 - 100 * float(number):.0f}"
    if not re.fullmatch(r"\.\d", form):
        raise RecordError(f"there is no form '{form}'")
    return f"{float(number):{form}f}"


class Quotes:
    """The reports below a directory."""

    def __init__(self, directory: Path):
        self._directory = directory

    def tables(self, report: str, section: str) -> list[Table]:
        """Those of a section of a report, or of all of it."""
        name, _, page = report.partition("/")
        path = self._directory / name / f"{page or 'report'}.md"
        text = path.read_text()
        if section:
            part = rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)"
            found = re.search(part, text, re.MULTILINE | re.DOTALL)
            if not found:
                raise RecordError(f"{path} has no section '{section}'")
            text = found[1]
        return tables(text)

    def number(self, where: str) -> str:
        """What a mark of a number stands for."""
        report, section, row, column, *form = (part.strip() for part in where.split("|"))
        for head, *rows in self.tables(report, section):
            names = [_plain(cell) for cell in head]
            at = int(column[1:]) if column.startswith("#") else None
            if at is None and column in names:
                at = names.index(column)
            for cells in rows:
                if at is not None and at < len(cells) and _plain(cells[0]) == row:
                    return formed(cells[at], form[0] if form else "")
        raise RecordError(f"{report}: no table has a row '{row}' and a column '{column}'")

    def table(self, where: str) -> str:
        """What a mark of a table stands for."""
        report, section, number, *chosen = (part.strip() for part in where.split("|"))
        found = self.tables(report, section)
        if not 1 <= int(number) <= len(found):
            raise RecordError(f"{report}: there are {len(found)} tables, and no {number}")
        head, *rows = found[int(number) - 1]
        columns, names = (_chosen(text) for text in (*chosen, "", "")[:2])
        if missing := set(columns) - set(head):
            raise RecordError(f"{report}: no column is called {', '.join(sorted(missing))}")
        if missing := set(names) - {_plain(row[0]) for row in rows}:
            raise RecordError(f"{report}: no row is called {', '.join(sorted(missing))}")
        rows = [head, *(row for row in rows if not names or _plain(row[0]) in names)]
        if columns:
            rows = [[row[head.index(name)] for name in columns] for row in rows]
        return "".join(f"{line}\n" for line in aligned(rows, len(rows[0])))

    def rendered(self, text: str) -> str:
        """A page with its marks' numbers and tables as they are in the reports."""

        def number(found: re.Match) -> str:
            where = " ".join(found[1].split())
            return f"<!--={found[1]}-->{self.number(where)}<!--/-->"

        def table(found: re.Match) -> str:
            where = " ".join(found[1].split())
            return f"<!--table={found[1]}-->\n{self.table(where)}<!--/-->"

        return _NUMBER.sub(number, _TABLE.sub(table, text))


def pages(root: Path) -> list[Path]:
    """The pages that may quote: no reports."""
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return [path for path in found if path.parent.parent != root / "docs" / "results"]


def shown(root: Path) -> set[str]:
    """The charts of reports that they show, each as DIRECTORY/FILE."""
    links = re.compile(r"!\[[^\]]*\]\((?:[^()\s]*/)?([^/()\s]+/[^/()\s]+\.svg)\)")
    return {name for page in pages(root) for name in links.findall(page.read_text())}
