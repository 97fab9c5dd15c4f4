# SPDX-License-Identifier: GPL-3.0-or-later
"""Medians with their confidence intervals."""

from math import comb

CONFIDENCE = 0.95


def coverage(n: int, k: int) -> float:
    """The probability that the median lies between the k-th smallest and the k-th largest of n
    values, whatever their distribution."""
    return 1 - 2 * sum(comb(n, i) for i in range(k)) / 2**n


def median_interval(values: list[float]) -> tuple[float, float]:
    """The narrowest interval of order statistics that holds the median with a probability of 95 %;
    of fewer than six values, which have none, their whole range."""
    ordered = sorted(values)
    n = len(ordered)
    k = 1
    while 2 * (k + 1) <= n and coverage(n, k + 1) >= CONFIDENCE:
        k += 1
    return ordered[k - 1], ordered[n - k]
