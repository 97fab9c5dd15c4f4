# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure is: cases to compare, how they are measured, and what they have to reach."""

import math
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """What a target limits."""

    SHARE_AT_LEAST = "share of the bound"
    RATIO_AT_MOST = "ratio"
    VALUE_AT_MOST = "value"
    RATIO_WITHIN = "difference from one of the ratio"
    # Shown, and always met.
    RATIO = "nothing"


@dataclass(frozen=True)
class Target:
    """A limit that a case has to keep; the ratio is to the case labelled other."""

    kind: Kind
    limit: float
    other: str = ""


def share_at_least(limit: float) -> Target:
    return Target(Kind.SHARE_AT_LEAST, limit)


def ratio_at_most(limit: float, other: str) -> Target:
    return Target(Kind.RATIO_AT_MOST, limit, other)


def ratio_within(limit: float, other: str) -> Target:
    return Target(Kind.RATIO_WITHIN, limit, other)


def ratio_shown(other: str) -> Target:
    return Target(Kind.RATIO, math.inf, other)


def value_at_most(limit: float) -> Target:
    return Target(Kind.VALUE_AT_MOST, limit)


# What a case needs whose threads are on fast cores only: others than these.
FAST_ONLY = "slow cores"


@dataclass(frozen=True)
class Case:
    """One row of a figure's table: a program under a runtime and a schedule.

    arguments are added to the figure's; program, if given, replaces the figure's. A case of
    fast_only has threads on the cores of the fastest class alone.
    """

    runtime: str
    schedule: str
    target: Target | None = None
    program: str = ""
    arguments: tuple[str, ...] = ()
    prefix: str = ""
    fast_only: bool = False

    @property
    def needs(self) -> set[str]:
        """What has to be there for it."""
        return {self.runtime, FAST_ONLY} if self.fast_only else {self.runtime}

    @property
    def label(self) -> str:
        return " ".join(word for word in (self.prefix, self.runtime, self.schedule) if word)


@dataclass(frozen=True)
class Figure:
    """A table: its cases, all measured in turn in every round.

    measure      the field of the result line that counts, less being better
    bound        whether the capacity bound is measured and shares of it are shown
    slowed       whether it takes a machine with slow CPUs
    two_classes  whether our library is told that the first CPU is faster, on a symmetric machine
    offline_sf   whether our library is given the speedup factor, measured beforehand
    environment  what else our library's runs are given
    crowding     threads a CPU; if more than one they are not bound
    same_order   two runtimes under which the same schedules have to come in the same order
    baseline     the label of the case that the column of speedups compares with
    rounds       how many rounds count, by default
    """

    name: str
    title: str
    program: str
    arguments: tuple[str, ...]
    cases: tuple[Case, ...]
    measure: str = "seconds"
    bound: bool = False
    slowed: bool = False
    two_classes: bool = False
    offline_sf: bool = False
    environment: tuple[tuple[str, str], ...] = field(default=())
    crowding: int = 1
    same_order: tuple[str, str] | None = None
    baseline: str = ""
    rounds: int = 5
