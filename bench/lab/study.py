# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed, power and energy of several machines beside one of them, and beside what others have
published."""

from collections.abc import Iterator
from statistics import fmean, geometric_mean, median

from .markdown import aligned
from .matrix import Matrix, Study
from .results import STATIC, Results

SPEED, WATTS, JOULES, EDP = "speed", "watts", "joules", "edp"
_TITLES = {SPEED: "Speed", JOULES: "Energy", EDP: "Energy x delay"}

# A machine and a label.
Case = tuple[str, str]


class Values:
    """The figures of each program by case: of the medians of its rounds."""

    def __init__(self, machines: list[Results]):
        self.found: dict[Case, dict[str, dict[str, float]]] = {}
        for machine in machines:
            for (program, column), cell in machine.cells.items():
                joules = cell.numbers("energy_j")
                if joules:
                    case = machine.name, column.label
                    figures = self._figures(median(cell.values), median(joules))
                    self.found.setdefault(case, {})[program] = figures

    @staticmethod
    def _figures(seconds: float, joules: float) -> dict[str, float]:
        return {
            SPEED: 1 / seconds,
            WATTS: joules / seconds,
            JOULES: joules,
            EDP: joules * seconds,
        }

    def ratio(self, what: str, one: Case, other: Case) -> float | None:
        """One by another, the geometric mean over the programs."""
        own, base = self.found.get(one, {}), self.found.get(other, {})
        ratios = [own[name][what] / base[name][what] for name in own if name in base]
        return geometric_mean(ratios) if ratios else None

    def watts(self, case: Case) -> float | None:
        found = self.found.get(case)
        return fmean(one[WATTS] for one in found.values()) if found else None


def _table(title: str, cells: dict[Case, float | None]) -> Iterator[str]:
    """A row for each machine, a column for each label."""
    names = dict.fromkeys(name for name, _ in cells)
    found = (label for (_, label), value in cells.items() if value is not None)
    labels = list(dict.fromkeys(found))
    rows = [["machine", *labels]]
    for name in names:
        values = [cells.get((name, label)) for label in labels]
        if any(value is not None for value in values):
            rows.append([name, *("-" if one is None else f"{one:.2f}" for one in values)])
    yield title
    yield "\n".join(aligned(rows, len(rows[0])))


def _beside(values: Values, study: Study) -> Iterator[str]:
    rows = [["", "", "published", "here", "apart"]]
    for what, machine, label, over, base, published in study.published:
        ratio = values.ratio(what, (machine, label), (over, base))
        if ratio is not None:
            ours = 100 * ratio - 100
            name = f"{machine} {label} over {over} {base}"
            rows.append([name, what, f"{published:+d}", f"{ours:+.0f}", f"{ours - published:+.0f}"])
    if len(rows) > 1:
        yield "Beside what was published, in percent:"
        yield "\n".join(aligned(rows, len(rows[0])))


def sections(machines: list[Results], matrix: Matrix) -> Iterator[str]:
    """The tables of a matrix that has a study, in Markdown."""
    study, values = matrix.study, Values(machines)
    labels = [schedule.label for schedule in matrix.schedules]
    plain = [label for label in labels if not (study.suffix and label.endswith(study.suffix))]
    cases = [(machine.name, label) for machine in machines for label in plain]
    base = study.over, STATIC
    yield f"## Over {STATIC} on {study.over}"
    for what, title in _TITLES.items():
        found = {case: values.ratio(what, case, base) for case in cases}
        yield from _table(f"{title}, relative to {STATIC} on {study.over}:", found)
        if what == SPEED:
            yield from _table("Watts:", {case: values.watts(case) for case in cases})
    if study.suffix:
        found = {
            (name, label): values.ratio(JOULES, (name, label + study.suffix), (name, label))
            for name, label in cases
        }
        yield from _table(f"Energy with{study.suffix.lstrip(',')}, relative to without:", found)
    yield from _beside(values, study)
