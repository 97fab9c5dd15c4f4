# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads DejaGnu's results, compares two runs of a suite, and holds differences against a list."""

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from setup_error import SetupError

STATES = (
    "PASS FAIL XFAIL XPASS KFAIL KPASS UNSUPPORTED UNRESOLVED UNTESTED DESELECTED PATH DUPLICATE "
    "ERROR WARNING"
).split()
ABSENT = "absent"

RESULT = re.compile(rf"^({'|'.join(STATES)}): (.*)$", re.M)


def read_sum(text):
    """A counter of states for the name of each test in TEXT, a .sum file's.

    The state is a part of what is counted: many tests share a name.
    """
    tests = defaultdict(Counter)
    for state, name in RESULT.findall(text):
        tests[name.strip()][state] += 1
    return dict(tests)


def count_states(tests):
    """How often each state occurs in TESTS."""
    return sum(tests.values(), Counter())


@dataclass(frozen=True)
class Difference:
    """One test whose state changed between two runs."""

    change: str
    name: str


def differences(before, after):
    """The changes from the tests BEFORE to those AFTER, ordered by name."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, Counter()), after.get(name, Counter())
        for left, right in itertools.zip_longest(
            sorted((old - new).elements()), sorted((new - old).elements()), fillvalue=ABSENT
        ):
            found.append(Difference(f"{left}->{right}", name))
    return found


class Entry:
    """One line of the list: a change, which may be one of some runs, a pattern and a reason."""

    def __init__(self, change, pattern, reason):
        self.change, self.pattern, self.reason = change.rstrip("?"), pattern, reason
        self.sometimes = change.endswith("?")
        parts = map(re.escape, pattern.split("*"))
        self.regex = re.compile(".*".join(parts) + "$")
        self.hits = 0

    def matches(self, difference):
        return self.change == difference.change and bool(self.regex.match(difference.name))


def read_list(path):
    """The entries of the list in PATH, whose lines are CHANGE[?] | PATTERN | REASON or comments."""
    if not path.is_file():
        raise SetupError(f"--differences is {path}, which is not a file")
    entries = []
    states = rf"(?:{'|'.join([*STATES, ABSENT])})"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [part.strip() for part in line.split(" | ", 2)]
        if (
            len(fields) != 3
            or not all(fields)
            or not re.fullmatch(rf"{states}->{states}\??", fields[0])
        ):
            raise SetupError(
                f"{path}:{number} is {line!r}; it has to be CHANGE | PATTERN | REASON, "
                "where CHANGE is like PASS->FAIL, or PASS->FAIL? if it is not seen in every run"
            )
        entries.append(Entry(*fields))
    return entries


def explain(found, entries):
    """Those of the differences FOUND that no entry matches; each entry counts its hits."""
    unexplained = []
    for difference in found:
        matching = [entry for entry in entries if entry.matches(difference)]
        for entry in matching:
            entry.hits += 1
        if not matching:
            unexplained.append(difference)
    return unexplained
